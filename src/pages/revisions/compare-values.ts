import { diffArrays, diffWordsWithSpace } from 'diff';

/** A value of a field as a comparison sees it. */
export interface ComparedValue {
  /** The value in words. */
  readonly text: string;
  /** Equal for equal values. Values with the same words may differ in their format or target. */
  readonly key: string;
}

/** A part of a text. */
export interface TextPart {
  readonly text: string;
  readonly change: 'same' | 'added' | 'removed';
}

/** A change of a field. */
export type ValueChange =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'changed'; readonly parts: readonly TextPart[] }
  /** The words are the same. */
  | { readonly kind: 'other'; readonly text: string };

/** Longer texts are not compared word by word. */
const MAX_COMPARED_CHARACTERS = 100_000;
/** The time for one comparison in milliseconds: texts without a common word take the longest. */
const MAX_MS = 100;
/** The part of the characters that two texts need in common to be shown as one changed text. */
const MIN_COMMON = 0.3;
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

/** Returns the differences between the values of a field, in order. Undefined if there are none. */
export function compareValues(
  before: readonly ComparedValue[],
  after: readonly ComparedValue[],
): ValueChange[] | undefined {
  if (before.length === after.length && before.every(({ key }, at) => key === after[at]?.key)) return undefined;
  const changes: ValueChange[] = [];
  const parts = diffArrays([...before], [...after], {
    comparator: (one, other) => one.key === other.key,
    timeout: MAX_MS,
  }) ?? [
    { value: [...before], removed: true, added: false },
    { value: [...after], removed: false, added: true },
  ];
  for (const [at, { value, added, removed }] of parts.entries()) {
    const next = parts[at + 1];
    if (removed && next?.added) changes.push(...pairs(value, next.value));
    else if (added && parts[at - 1]?.removed) continue;
    else for (const { text } of value) changes.push({ kind: added ? 'added' : removed ? 'removed' : 'same', text });
  }
  return changes;
}

/** Returns the changes of values that stand in the place of others. */
function pairs(before: readonly ComparedValue[], after: readonly ComparedValue[]): ValueChange[] {
  const length = Math.max(before.length, after.length);
  return Array.from({ length }, (_, at) => pair(before[at]?.text, after[at]?.text)).flat();
}

function pair(before: string | undefined, after: string | undefined): ValueChange[] {
  if (before !== undefined && before === after) return [{ kind: 'other', text: before }];
  const parts = before === undefined || after === undefined ? undefined : wordsOf(before, after);
  if (parts !== undefined) return [{ kind: 'changed', parts }];
  return [
    ...(before === undefined ? [] : [{ kind: 'removed', text: before } as const]),
    ...(after === undefined ? [] : [{ kind: 'added', text: after } as const]),
  ];
}

/** Returns the parts of a changed text. Undefined for texts with little in common, and for very long ones. */
function wordsOf(before: string, after: string): TextPart[] | undefined {
  if (before.length + after.length > MAX_COMPARED_CHARACTERS) return undefined;
  const parts = diffWordsWithSpace(before, after, { timeout: MAX_MS, intlSegmenter: SEGMENTER });
  if (parts === undefined) return undefined;
  const common = parts.reduce(
    (sum, { value, added, removed }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (common < MIN_COMMON * Math.max(before.length, after.length)) return undefined;
  return parts.map(({ value, added, removed }) => ({
    text: value,
    change: added ? 'added' : removed ? 'removed' : 'same',
  }));
}

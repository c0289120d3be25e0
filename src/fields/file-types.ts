import type { JsonObject } from '../base/json.ts';
import type { Item } from '../model/content-model.ts';
import { isNothing, toBoolean, toText } from './convert-scalar.ts';
import type { FieldType } from './field-type.ts';
import { nonTexts, tooLong, wrongType } from './messages.ts';
import { readTarget, targetViolations, withTarget } from './reference-types.ts';

const MAX_ALT_CHARACTERS = 512;
const MAX_TITLE_CHARACTERS = 1024;
const MAX_TRACK_CHARACTERS = { label: 128, kind: 20, srclang: 20 };

/** A file, whether it is listed, and a description of it. */
export const file: FieldType = {
  main: 'target_id',
  parse: (raw, definition) =>
    withMembers(readTarget(raw, definition), {
      display: isNothing(raw.display) ? true : toBoolean(raw.display),
      description: toText(raw.description),
    }),
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...(typeof item.display === 'boolean' ? [] : [wrongType('display')]),
    ...nonTexts(item, ['description']),
  ],
  complete: (item) => withTarget(item, { display: item.display ?? true, description: item.description ?? null }),
};

/**
 * An image file with the text that stands for it. Its size is what the file says: a sent one is dropped.
 * An item that says nothing of `alt` or `title` keeps what is stored of that image, if anything is.
 */
export const image: FieldType = {
  main: 'target_id',
  parse: (raw, definition) => withMembers(readTarget(raw, definition), imageTexts(raw)),
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...nonTexts(item, ['alt', 'title']),
    ...tooLong(item.alt, MAX_ALT_CHARACTERS, 'alt', definition),
    ...tooLong(item.title, MAX_TITLE_CHARACTERS, 'title', definition),
  ],
  complete: (item) =>
    withTarget(item, {
      alt: item.alt ?? '',
      title: item.title ?? null,
      width: item.width ?? null,
      height: item.height ?? null,
    }),
};

/** A file with subtitles or the like, its kind and its language. */
export const mediaTrack: FieldType = {
  main: 'target_id',
  parse: (raw, definition) =>
    withMembers(readTarget(raw, definition), {
      label: toText(raw.label),
      kind: toText(raw.kind),
      srclang: toText(raw.srclang),
      default: isNothing(raw.default) ? false : toBoolean(raw.default),
    }),
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...nonTexts(item, ['label', 'kind', 'srclang']),
    ...Object.entries(MAX_TRACK_CHARACTERS).flatMap(([member, max]) => tooLong(item[member], max, member, definition)),
    ...(typeof item.default === 'boolean' ? [] : [wrongType('default')]),
  ],
  complete: (item) =>
    withTarget(item, {
      label: item.label ?? null,
      kind: item.kind ?? null,
      srclang: item.srclang ?? null,
      default: item.default ?? false,
    }),
};

/**
 * Gives a submitted image the `alt` and `title` that are stored of the same target, where it says nothing of them.
 */
export function keepImageTexts(submitted: Item, stored: readonly Item[]): Item {
  const former = stored.find((item) =>
    ['target_id', 'target_uuid'].some((member) => item[member] !== undefined && item[member] === submitted[member]),
  );
  const kept: Item = { ...submitted };
  for (const member of ['alt', 'title']) {
    const value = former?.[member];
    if (kept[member] === undefined && value !== undefined) kept[member] = value;
  }
  return kept;
}

function imageTexts(raw: JsonObject): Item {
  const texts: Item = {};
  if (raw.alt !== undefined) texts.alt = toText(raw.alt ?? '');
  if (raw.title !== undefined) texts.title = toText(raw.title);
  return texts;
}

function withMembers(target: Item | undefined, own: Item): Item | undefined {
  return target && { ...target, ...own };
}

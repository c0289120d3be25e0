import type { PreviewedItem, ValuesPreview } from '../../bulk/preview-values.ts';
import type { Control } from '../../field-types/control.ts';
import type { Item } from '../../model/content-model.ts';
import type { Call } from '../../web/call.ts';
import type { RowState } from '../edit/form-state.ts';
import { stateOfValues } from '../edit/rows-of-content.ts';
import { type ComparedValue, compareValues, type ValueChange } from '../revisions/compare-values.ts';
import type { ValuesField } from './values-fields.ts';

/** A row of a preview. */
export interface PreviewRow {
  readonly id: number;
  readonly label: string;
  /** The differences between the present values and the new ones. */
  readonly changes: readonly ValueChange[];
  /** The reason why the item stays as it is. */
  readonly reason: string | null;
}

/** A preview as a page shows it. */
export interface PreviewData extends Pick<ValuesPreview, 'examined' | 'unchanged'> {
  readonly rows: readonly PreviewRow[];
  /** The number of items that it does not cover. */
  readonly others: number;
}

/** Returns a preview with its values in words. */
export async function gatherPreview(
  call: Call,
  field: ValuesField,
  { items, examined, unchanged }: ValuesPreview,
  count: number,
): Promise<PreviewData> {
  const { name } = field.definition;
  const valuesOf = ({ before, after = [] }: PreviewedItem) => [...before, ...after];
  const state = await stateOfValues(call, [field], { [name]: items.flatMap(valuesOf) });
  const words = (state.get(name) ?? []).map((row) => wordsOf(field.controls, row));
  let at = 0;
  const compared = (values: readonly Item[]) =>
    values.map((item): ComparedValue => {
      const text = words[at++] ?? '';
      return { text, key: `${text} ${item.format ?? ''}` };
    });
  const rows = items.map(({ id, label, before, after, reason }): PreviewRow => {
    const present = compared(before);
    const next = after && compared(after);
    return { id, label, reason, changes: (next && compareValues(present, next)) ?? [] };
  });
  return { rows, examined, unchanged, others: count - examined };
}

/** Returns a value in words, as the labels of its controls have them. */
function wordsOf(controls: readonly Control[], { texts }: RowState): string {
  const parts = controls.map((control) => {
    const text = texts[control.member] ?? '';
    if (control.kind === 'flag') return text === '1' ? 'Yes' : 'No';
    if (control.kind === 'file') return text === '' ? '' : `File ${text}`;
    if (control.kind !== 'choice') return text;
    // The format of a text is no part of its words.
    return control.member === 'format' ? '' : (control.options.find(({ value }) => value === text)?.label ?? text);
  });
  return parts.filter((part) => part !== '').join(', ');
}

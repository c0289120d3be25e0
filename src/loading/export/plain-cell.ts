import { fieldTypes } from '../../fields/field-types.ts';
import type { FieldDefinition, Item } from '../../model/content-model.ts';

/** Between the parts of links. */
const PART = '%%';

/** A value as a cell tells it, of fields that refer to nothing: what `plainValue` understands. */
export function plainCell(item: Item, { type }: FieldDefinition): string {
  switch (type) {
    case 'link':
      return withTitle([textOf(item.uri)], item);
    case 'authority_link':
      return withTitle([textOf(item.source), textOf(item.uri)], item);
    case 'geolocation':
      return `${withoutExponent(textOf(item.lat))},${withoutExponent(textOf(item.lng))}`;
    default:
      return textOf(item[fieldTypes[type].main ?? 'value']);
  }
}

/** A scalar as text: booleans as 1 and 0, nothing as an empty text. */
export function textOf(value: Item[string] | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `0.0000001` for `1e-7`: a place is written in digits. */
function withoutExponent(text: string): string {
  const [, sign = '', first, rest = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text) ?? [];
  return first === undefined ? text : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
}

function withTitle(parts: readonly string[], { title }: Item): string {
  const text = textOf(title);
  return [...parts, ...(text === '' ? [] : [text])].join(PART);
}

import type { JsonValue } from '../../base/json.ts';
import { DATE_FORMAT } from '../../fields/date-types.ts';
import { fieldTypes } from '../../fields/field-types.ts';
import { isMap } from '../../fields/plain-map.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { type CellFault, type CellValue, faulty, shown } from './cell-value.ts';

/** Between the parts of links: an address can hold neither a space nor two percent signs in a row. */
const PART = '%%';
/** A backslash keeps spreadsheets from taking a plus sign for a formula. */
const POINT = /^\\?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*,\s*\\?\s*([+-]?[\d.]+(?:e[+-]?\d+)?)$/i;

/** Field types whose values are objects without a form of their own in a cell: they are written as JSON. */
const WRITTEN_AS_JSON = new Set<FieldDefinition['type']>([
  'comment',
  'related_item',
  'part_detail',
  'hierarchical_geographic',
  'textfield_attr',
  'textarea_attr',
  'entity_reference_revisions',
  'file',
  'image',
  'media_track',
]);

export function isWrittenAsJson({ type }: FieldDefinition): boolean {
  return WRITTEN_AS_JSON.has(type);
}

/** The values of a cell that is one JSON object, or a list of them. */
export function jsonValues(cell: string, definition: FieldDefinition): CellValue[] {
  const fault = faulty(
    `${shown(cell)} is not JSON; such a field is written as {"member": "value"}, or a list of these.`,
  );
  let read: JsonValue;
  try {
    read = JSON.parse(cell) as JsonValue;
  } catch {
    // Said in words of our own.
    return [fault];
  }
  const list = Array.isArray(read) ? read : [read];
  return list.flatMap((each) => (isMap(each) ? itemOf(each, definition) : fault));
}

/** One value of a cell of a field that refers to nothing; nothing for one that says nothing. */
export function plainValue(text: string, definition: FieldDefinition, textFormat: string | undefined): CellValue[] {
  switch (definition.type) {
    case 'string':
    case 'string_long':
      return itemOf({ value: text }, definition);
    case 'text':
    case 'text_long':
    case 'text_with_summary':
      return itemOf({ value: text, format: textFormat ?? null }, definition);
    case 'link':
      return linkValue(text, definition);
    case 'authority_link':
      return authorityValue(text, definition);
    case 'geolocation':
      return pointValue(text, definition);
    case 'created':
    case 'changed':
    case 'timestamp':
      return momentValue(text, definition);
    default:
      return itemOf({ [fieldTypes[definition.type].main ?? 'value']: text.trim() }, definition);
  }
}

function itemOf(raw: Record<string, JsonValue>, definition: FieldDefinition): CellValue[] {
  const item = fieldTypes[definition.type].parse(raw, definition);
  return item === undefined ? [] : [{ item }];
}

/** A write would tell of such a date alone, and of nothing else that is wrong. */
function momentValue(text: string, definition: FieldDefinition): CellValue[] {
  const values = itemOf({ value: text.trim() }, definition);
  const isRead = values.every((value) => 'item' in value && value.item.format === DATE_FORMAT);
  return isRead ? values : [faulty(`${shown(text)} is no moment of the form 2020-11-15T23:49:22+00:00.`)];
}

function linkValue(text: string, definition: FieldDefinition): CellValue[] {
  const [uri = '', ...title] = text.split(PART);
  return itemOf({ uri: uri.trim(), title: title.length > 0 ? title.join(PART) : null }, definition);
}

function authorityValue(text: string, definition: FieldDefinition): CellValue[] {
  const [source = '', uri, ...title] = text.split(PART);
  if (uri === undefined || uri.trim() === '') return [formFault(text, 'source%%address%%title', definition)];
  return itemOf(
    { source: source.trim(), uri: uri.trim(), title: title.length > 0 ? title.join(PART) : null },
    definition,
  );
}

function pointValue(text: string, definition: FieldDefinition): CellValue[] {
  const [, lat, lng] = POINT.exec(text.trim()) ?? [];
  if (lat === undefined || lng === undefined)
    return [formFault(text, 'latitude,longitude as "49.16667,-123.93333"', definition)];
  return itemOf({ lat, lng }, definition);
}

function formFault(text: string, form: string, { authoritySources }: FieldDefinition): CellFault {
  const sources = authoritySources === undefined ? '' : `; the sources are ${Object.keys(authoritySources).join(', ')}`;
  return faulty(`${shown(text)} is not of the form ${form}${sources}.`);
}

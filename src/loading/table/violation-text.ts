import { nearest } from '../../base/nearest.ts';
import type { Violation } from '../../fields/field-type.ts';
import { MISSING, NOT_A_CHOICE, WRONG_TYPE } from '../../fields/messages.ts';
import type { ContentModel, FieldDefinition, Item } from '../../model/content-model.ts';
import { oneOf, shown } from './cell-value.ts';
import type { TableOptions } from './table-options.ts';

/** What kind of value a field takes, for those that are read out of text. */
const KINDS: Partial<Record<FieldDefinition['type'], string>> = {
  integer: 'a whole number',
  decimal: 'a number',
  float: 'a number',
  boolean: '1 or 0, nor true or false',
  geolocation: 'latitude and longitude, as "49.16667,-123.93333"',
};

/** What is wrong with a value in words for whoever wrote the table, with the place of the value where there are several. */
export function violationText(
  { path, message }: Violation,
  definition: FieldDefinition,
  items: readonly Item[],
  delta: string | undefined,
  model: ContentModel,
  { subdelimiter }: Pick<TableOptions, 'subdelimiter'>,
): string {
  if (message === MISSING) return `A value is required ("${definition.label}").`;
  const item = delta === undefined ? undefined : items[Number(delta)];
  if (item === undefined) return `${message} Values are told apart by "${subdelimiter}" (--subdelimiter).`;
  const member = path.split('.')[2];
  const value = textOf(item, member);
  const text = `${value === undefined ? '' : `${shown(value)}: `}${inWords(message, definition, member, value, model)}`;
  return items.length === 1 ? text : `Value ${Number(delta) + 1}: ${text}`;
}

function textOf(item: Item, member: string | undefined): string | undefined {
  const value = item[member ?? 'value'] ?? item.value ?? item.uri;
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

function inWords(
  message: string,
  definition: FieldDefinition,
  member: string | undefined,
  value: string | undefined,
  model: ContentModel,
): string {
  const kind = KINDS[definition.type];
  if (message === WRONG_TYPE && kind !== undefined) return `This is not ${kind}.`;
  if (message !== NOT_A_CHOICE) return message;
  const choices = choicesOf(definition, member, model);
  if (choices.length === 0) return message;
  // Of the values there are, only text formats are not for everyone.
  if (value !== undefined && choices.includes(value)) return 'The user may not use it.';
  const guess = value === undefined ? undefined : nearest(value, choices);
  return guess === undefined ? `This is none of ${oneOf(choices)}.` : `There is no such value; did you mean ${guess}?`;
}

function choicesOf(
  { type, allowedValues = {}, authoritySources = {}, relationTypes = {} }: FieldDefinition,
  member: string | undefined,
  { languages, textFormats, fallbackFormat }: ContentModel,
): readonly string[] {
  if (member === 'source') return Object.keys(authoritySources);
  if (member === 'rel_type') return Object.keys(relationTypes);
  if (member === 'format') return [fallbackFormat, ...textFormats.keys()];
  if (type === 'language') return languages;
  return Object.keys(allowedValues);
}

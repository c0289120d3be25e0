import { nearest } from '../../base/nearest.ts';
import { oneOf, shown } from '../../field-types/cell.ts';
import type { FieldType, Violation } from '../../field-types/field-type.ts';
import { MISSING, NOT_A_CHOICE, WRONG_TYPE } from '../../field-types/violation.ts';
import type { ContentModel, FieldDefinition, Item } from '../../model/content-model.ts';
import type { Services } from '../../repository/content/services.ts';
import type { TableOptions } from './table-options.ts';

/** What is wrong with a value in words for whoever wrote the table, with the place of the value where there are several. */
export function violationText(
  { path, message }: Violation,
  definition: FieldDefinition,
  items: readonly Item[],
  delta: string | undefined,
  { model, fields }: Pick<Services, 'model' | 'fields'>,
  { subdelimiter }: Pick<TableOptions, 'subdelimiter'>,
): string {
  if (message === MISSING) return `A value is required ("${definition.label}").`;
  const item = delta === undefined ? undefined : items[Number(delta)];
  if (item === undefined) return `${message} Values are told apart by "${subdelimiter}" (--subdelimiter).`;
  const member = path.split('.')[2];
  const value = textOf(item, member);
  const text = `${value === undefined ? '' : `${shown(value)}: `}${inWords(message, fields.types.of(definition), definition, member, value, model)}`;
  return items.length === 1 ? text : `Value ${Number(delta) + 1}: ${text}`;
}

function textOf(item: Item, member: string | undefined): string | undefined {
  const value = item[member ?? 'value'] ?? item.value ?? item.uri;
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

function inWords(
  message: string,
  type: FieldType,
  definition: FieldDefinition,
  member: string | undefined,
  value: string | undefined,
  { languages, textFormats, fallbackFormat }: ContentModel,
): string {
  if (message === WRONG_TYPE && type.cellKind !== undefined) return `This is not ${type.cellKind}.`;
  if (message !== NOT_A_CHOICE) return message;
  const formats = [fallbackFormat, ...textFormats.keys()];
  const choices = type.cellChoices(member, definition, { languages, textFormats: formats });
  if (choices.length === 0) return message;
  // Of the values there are, only text formats are not for everyone.
  if (value !== undefined && choices.includes(value)) return 'The user may not use it.';
  const guess = value === undefined ? undefined : nearest(value, choices);
  return guess === undefined ? `This is none of ${oneOf(choices)}.` : `There is no such value; did you mean ${guess}?`;
}

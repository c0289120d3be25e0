import type { JsonObject, JsonValue } from '../../base/json.ts';
import { shown } from '../../field-types/cell.ts';
import type { FieldType } from '../../field-types/field-type.ts';
import { isMap } from '../../field-types/plain-map.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { type CellValue, faulty } from './cell-value.ts';

/** Returns the values of a cell that is one JSON object, or a list of them. */
export function jsonValues(cell: string, type: FieldType, definition: FieldDefinition): CellValue[] {
  const fault = faulty(
    `${shown(cell)} is not JSON; such a field is written as {"member": "value"}, or a list of these.`,
  );
  let read: JsonValue;
  try {
    read = JSON.parse(cell) as JsonValue;
  } catch {
    // The fault is reported in words of our own.
    return [fault];
  }
  const list = Array.isArray(read) ? read : [read];
  return list.flatMap((each) => (isMap(each) ? itemOf(each, type, definition) : fault));
}

/** Returns one value of a cell of a field that refers to no entity; none for an empty one. */
export function plainValue(
  text: string,
  type: FieldType,
  definition: FieldDefinition,
  textFormat: string | undefined,
): CellValue[] {
  const read = type.readCell(text, definition, { textFormat });
  return 'fault' in read ? [read] : itemOf(read.raw, type, definition);
}

function itemOf(raw: JsonObject, type: FieldType, definition: FieldDefinition): CellValue[] {
  const item = type.parse(raw, definition);
  return item === undefined ? [] : [{ item }];
}

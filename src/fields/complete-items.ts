import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldContext } from './field-type.ts';
import { fieldTypes } from './field-types.ts';

/** Items with their computed members, in the order of the API. */
export function completeItems(items: readonly Item[], definition: FieldDefinition, context: FieldContext): Item[] {
  const type = fieldTypes[definition.type];
  return items.map((item) => type.complete(item, definition, context));
}

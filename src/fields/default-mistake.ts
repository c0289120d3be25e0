import type { JsonObject } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import type { FieldContext, Violation } from './field-type.ts';
import { fieldTypes } from './field-types.ts';
import { unstorableText } from './unstorable-text.ts';

/** What a write of this item would be refused for, so that it cannot be a default. Whether its target exists is another question. */
export function defaultMistake(
  raw: JsonObject,
  definition: FieldDefinition,
  context: FieldContext,
): Violation | undefined {
  const type = fieldTypes[definition.type];
  const item = type.parse(raw, definition);
  if (item === undefined) {
    // Left out, as of a write; what there is in it would be lost.
    const isEmpty = Object.values(raw).every((value) => value === '' || value === null);
    return isEmpty ? undefined : { path: '', message: 'An empty item is no default.' };
  }
  return [...unstorableText(item), ...type.violations(item, definition, context)][0];
}

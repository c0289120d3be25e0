import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldContext, Violation } from './field-type.ts';
import { fieldTypes } from './field-types.ts';
import { MISSING } from './messages.ts';
import { unstorableText } from './unstorable-text.ts';

/** More would not help anyone, and a field of a million bad items must not make an answer of as many lines. */
const MAX_VIOLATIONS = 100;

/**
 * What is wrong with the items that `parseItems` answered, with paths from the field down: `title.0.value`. At most
 * the first hundred; items beyond what the field may hold are counted, not checked (spec: rest-behaviour, 1.4).
 */
export function validateField(items: readonly Item[], definition: FieldDefinition, context: FieldContext): Violation[] {
  const { name, label, cardinality, required } = definition;
  if (items.length === 0) return required ? [{ path: name, message: MISSING }] : [];
  const type = fieldTypes[definition.type];
  const isTooMany = cardinality >= 0 && items.length > cardinality;
  const found: Violation[] = [];
  const count = isTooMany ? cardinality : items.length;
  for (let index = 0; index < count; index++) {
    const item = items[index] as Item;
    const unstorable = unstorableText(item);
    const ofItem = unstorable.length > 0 ? unstorable : type.violations(item, definition, context);
    for (const { path, message } of ofItem) {
      found.push({ path: path === '' ? `${name}.${index}` : `${name}.${index}.${path}`, message });
    }
    if (found.length >= MAX_VIOLATIONS) break;
  }
  const shown = found.slice(0, MAX_VIOLATIONS);
  if (isTooMany)
    shown.push({ path: name, message: `${label}: this field cannot hold more than ${cardinality} values.` });
  return shown;
}

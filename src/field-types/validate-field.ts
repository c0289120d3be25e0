import type { JsonObject } from '../base/json.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { Fields, Violation } from './field-type.ts';
import { MISSING, unstorableText } from './violation.ts';

/** Maximum number of violations of a field in a response. */
const MAX_VIOLATIONS = 100;

/**
 * Returns the problems of the items that `parseItems` returned, with paths such as `title.0.value`, at most a hundred. Items
 * beyond the cardinality are counted but not checked (spec: rest-behaviour, 1.4).
 */
export function validateField(items: readonly Item[], definition: FieldDefinition, fields: Fields): Violation[] {
  const { name, label, cardinality, required } = definition;
  if (items.length === 0) return required ? [{ path: name, message: MISSING }] : [];
  const type = fields.types.of(definition);
  const isTooMany = cardinality >= 0 && items.length > cardinality;
  const violations: Violation[] = [];
  const count = isTooMany ? cardinality : items.length;
  for (let index = 0; index < count; index++) {
    const item = items[index] as Item;
    const unstorable = unstorableText(item);
    const ofItem = unstorable.length > 0 ? unstorable : type.violations(item, definition, fields);
    for (const { path, message } of ofItem) {
      violations.push({ path: path === '' ? `${name}.${index}` : `${name}.${index}.${path}`, message });
    }
    if (violations.length >= MAX_VIOLATIONS) break;
  }
  const shown = violations.slice(0, MAX_VIOLATIONS);
  if (isTooMany)
    shown.push({ path: name, message: `${label}: this field cannot hold more than ${cardinality} values.` });
  return shown;
}

/** Returns items with their computed members, in the order of the API. */
export function completeItems(items: readonly Item[], definition: FieldDefinition, fields: Fields): Item[] {
  const type = fields.types.of(definition);
  return items.map((item) => type.complete(item, definition, fields));
}

/** Returns the reason why a write would reject an item, which then cannot be a default. Targets are not looked up. */
export function defaultProblem(raw: JsonObject, definition: FieldDefinition, fields: Fields): Violation | undefined {
  const type = fields.types.of(definition);
  const item = type.parse(raw, definition);
  if (item === undefined) {
    // An item whose members parse to nothing would lose them.
    const isEmpty = Object.values(raw).every((value) => value === '' || value === null);
    return isEmpty ? undefined : { path: '', message: 'An empty item is no default.' };
  }
  return [...unstorableText(item), ...type.violations(item, definition, fields)][0];
}

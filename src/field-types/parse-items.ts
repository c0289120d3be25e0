import { unprocessable } from '../base/errors.ts';
import { isMap } from '../base/is-map.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldTypes } from './field-type.ts';
import { refersToConfig } from './reference.tsx';

/** Maximum nesting of a value: deeper ones would exhaust the stack of code that compares or copies them. */
const MAX_LEVELS = 16;

/**
 * Returns the items of one member of a submitted entity: a list of items, one bare item, or null for none. A bare scalar
 * in a list is an item's main member; a bare bundle is an item. Empty items are dropped.
 * Throws ServiceError (422) for anything else (spec: rest-behaviour, 1.3; decisions: lenient in what a write may look like).
 */
export function parseItems(raw: JsonValue, definition: FieldDefinition, types: FieldTypes): Item[] {
  if (raw === null) return [];
  const { name } = definition;
  const isBareId = typeof raw === 'string' && refersToConfig(definition);
  const list = Array.isArray(raw) ? raw : isMap(raw) || isBareId ? [raw] : undefined;
  if (list === undefined) throw unprocessable(`Field values for "${name}" must use an array structure`);
  const type = types.of(definition);
  const items: Item[] = [];
  for (const [index, value] of list.entries()) {
    if (value === null) continue;
    const item = type.parse(asMembers(value, type.main, `${name}.${index}`), definition);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function asMembers(value: JsonValue, main: string | undefined, at: string): JsonObject {
  if (Array.isArray(value)) throw unprocessable(`The item "${at}" must be an object, found a list.`);
  if (isMap(value)) {
    if (levelsOf(value) > MAX_LEVELS)
      throw unprocessable(`The item "${at}" is nested more than ${MAX_LEVELS} levels deep.`);
    return value;
  }
  if (main === undefined) throw unprocessable(`The item "${at}" must be an object, found a bare value.`);
  return { [main]: value };
}

/** Returns how deep a value is nested, counted level by level so that its depth cannot exhaust the stack. */
function levelsOf(value: JsonValue): number {
  let levels = 0;
  let inside: JsonValue[] = [value];
  while (inside.length > 0 && levels <= MAX_LEVELS) {
    levels += 1;
    inside = inside.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    inside = inside.filter((each) => typeof each === 'object' && each !== null);
  }
  return levels;
}

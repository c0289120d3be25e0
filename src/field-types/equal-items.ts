import { isDeepStrictEqual } from 'node:util';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldType, FieldTypes } from './field-type.ts';

/**
 * Returns true if two values of a field, as parsed, stored or answered, have the same items in the same order. Computed
 * members do not count, nor do members that only one side has.
 */
export function isEqualValue(
  a: readonly Item[],
  b: readonly Item[],
  definition: FieldDefinition,
  types: FieldTypes,
): boolean {
  const type = types.of(definition);
  return a.length === b.length && a.every((item, index) => isEqualItem(item, b[index] ?? {}, definition, type));
}

function isEqualItem(a: Item, b: Item, definition: FieldDefinition, type: FieldType): boolean {
  if (!isSameTarget(a, b)) return false;
  const ownOfA = ownMembers(type.parse(a, definition));
  const ownOfB = ownMembers(type.parse(b, definition));
  return Object.entries(ownOfA).every(
    ([member, value]) => ownOfB[member] === undefined || isDeepStrictEqual(value, ownOfB[member]),
  );
}

/** Compares targets by UUID if both items have one, otherwise by id. Items without targets are equal. */
function isSameTarget(a: Item, b: Item): boolean {
  if (a.target_uuid !== undefined && b.target_uuid !== undefined) return a.target_uuid === b.target_uuid;
  return a.target_id === b.target_id;
}

function ownMembers(item: Item | undefined): Item {
  const { target_id: _id, target_uuid: _uuid, ...own } = item ?? {};
  return own;
}

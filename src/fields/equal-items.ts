import { isDeepStrictEqual } from 'node:util';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import { fieldTypes } from './field-types.ts';

/**
 * Whether two values of a field, as parsed, stored or answered, are the same: in their items, their order and what can
 * be set of them. Computed members do not count, nor does a member that one side says nothing of.
 */
export function isEqualValue(a: readonly Item[], b: readonly Item[], definition: FieldDefinition): boolean {
  return a.length === b.length && a.every((item, index) => isEqualItem(item, b[index] ?? {}, definition));
}

function isEqualItem(a: Item, b: Item, definition: FieldDefinition): boolean {
  if (!isSameTarget(a, b)) return false;
  const type = fieldTypes[definition.type];
  const ownOfA = ownMembers(type.parse(a, definition));
  const ownOfB = ownMembers(type.parse(b, definition));
  return Object.entries(ownOfA).every(
    ([member, value]) => ownOfB[member] === undefined || isDeepStrictEqual(value, ownOfB[member]),
  );
}

/** By UUID where both have one, otherwise by id; two items that refer to nothing do not differ in that. */
function isSameTarget(a: Item, b: Item): boolean {
  if (a.target_uuid !== undefined && b.target_uuid !== undefined) return a.target_uuid === b.target_uuid;
  return a.target_id === b.target_id;
}

function ownMembers(item: Item | undefined): Item {
  const { target_id: _id, target_uuid: _uuid, ...own } = item ?? {};
  return own;
}

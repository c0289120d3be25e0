import { isDeepStrictEqual } from 'node:util';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldType, FieldTypes } from './field-type.ts';

/**
 * Returns true if two values of a field, as parsed, stored or answered, have the same items in the same order. Empty items
 * and computed members do not count, nor do members that only one side has, unless a missing member has a meaning (`isWhole`).
 */
export function isEqualValue(
  a: readonly Item[],
  b: readonly Item[],
  definition: FieldDefinition,
  types: FieldTypes,
): boolean {
  const type = types.of(definition);
  const [itemsOfA, itemsOfB] = [valuesOf(a, definition, type), valuesOf(b, definition, type)];
  if (itemsOfA.length !== itemsOfB.length) return false;
  if (type.isWhole) return itemsOfA.every(({ own }, index) => isDeepStrictEqual(own, itemsOfB[index]?.own));
  return itemsOfA.every((item, index) => isEqualItem(item, itemsOfB[index]));
}

/** An item that is not empty, with its own members. */
interface ItemValue {
  readonly item: Item;
  readonly own: Item;
}

function valuesOf(items: readonly Item[], definition: FieldDefinition, type: FieldType): ItemValue[] {
  return items.flatMap((item) => {
    const parsed = type.parse(item, definition);
    return parsed === undefined ? [] : [{ item, own: ownMembers(parsed) }];
  });
}

function isEqualItem(a: ItemValue, b: ItemValue | undefined): boolean {
  if (b === undefined || !isSameTarget(a.item, b.item)) return false;
  return Object.entries(a.own).every(
    ([member, value]) => b.own[member] === undefined || isDeepStrictEqual(value, b.own[member]),
  );
}

/** Compares targets by UUID if both items have one, otherwise by id. Items without targets are equal. */
function isSameTarget(a: Item, b: Item): boolean {
  if (a.target_uuid !== undefined && b.target_uuid !== undefined) return a.target_uuid === b.target_uuid;
  return a.target_id === b.target_id;
}

function ownMembers({ target_id: _id, target_uuid: _uuid, ...own }: Item): Item {
  return own;
}

import { type Control, NO_CHOICES } from '../field-types/control.ts';
import { isEqualValue } from '../field-types/equal-items.ts';
import type { FieldTypes } from '../field-types/field-type.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import { ItemSkipped } from './item-skipped.ts';
import { createTextReplacer, type TextReplacement } from './replace-text.ts';

/** The change of the values of a field, which is computed for the present values of each item. */
export type ValuesChange =
  /** `add` adds those that an item lacks behind the present ones, `remove` removes those that it has. */
  | { readonly operation: 'set' | 'add' | 'remove'; readonly items: readonly Item[] }
  | { readonly operation: 'replace'; readonly present: Item; readonly items: readonly Item[] }
  | ({ readonly operation: 'find' } & TextReplacement)
  | { readonly operation: 'clear' };

export type ValueOperation = ValuesChange['operation'];

/** The changes of values, in the order in which pages offer them. */
export const VALUE_OPERATIONS: readonly ValueOperation[] = ['set', 'add', 'replace', 'find', 'remove', 'clear'];

/** Returns the members of a value whose texts are found and replaced: those that forms show as texts. */
export function textMembers(definition: FieldDefinition, types: FieldTypes): readonly string[] {
  const controls = types.of(definition).controls(definition, NO_CHOICES) ?? [];
  return controls.filter(isOfWords).map(({ member }) => member);
}

function isOfWords(control: Control): boolean {
  return control.kind === 'lines' || (control.kind === 'text' && control.type !== 'date' && !control.isList);
}

/** Returns the values that a field gets instead of the stored ones. Throws ItemSkipped for an item that must stay as it is. */
export function changedItems(
  change: ValuesChange,
  stored: readonly Item[],
  definition: FieldDefinition,
  types: FieldTypes,
): readonly Item[] {
  const isSame = (a: Item, b: Item) => isEqualValue([a], [b], definition, types);
  const isIn = (item: Item, list: readonly Item[]) => list.some((each) => isSame(each, item));
  switch (change.operation) {
    case 'set':
      return change.items;
    case 'clear':
      return [];
    case 'add': {
      const { cardinality } = definition;
      const all = [...stored, ...change.items.filter((item) => !isIn(item, stored))];
      if (cardinality >= 0 && all.length > Math.max(cardinality, stored.length))
        throw new ItemSkipped(
          cardinality === 1 ? 'It has a value.' : `It would have more than the ${cardinality} values of this field.`,
        );
      return all;
    }
    case 'remove':
      return stored.filter((item) => !isIn(item, change.items));
    case 'replace': {
      const next = stored.flatMap((item) => (isSame(item, change.present) ? change.items : [item]));
      return withoutRepeated(next, stored, isSame);
    }
    case 'find': {
      const replace = createTextReplacer(change);
      const members = textMembers(definition, types);
      const next = stored.map((item) => withTexts(item, members, replace));
      return withoutRepeated(next, stored, isSame);
    }
    default:
      return change satisfies never;
  }
}

/** Leaves out changed values that repeat another one. */
function withoutRepeated(
  next: readonly Item[],
  stored: readonly Item[],
  isSame: (a: Item, b: Item) => boolean,
): readonly Item[] {
  const isChanged = (item: Item) => !stored.includes(item);
  return next.filter(
    (item, at) =>
      !isChanged(item) ||
      !next.some((other, place) => isSame(other, item) && (isChanged(other) ? place < at : place !== at)),
  );
}

/** Returns an item with replaced texts, or the item itself if none of them changes. */
function withTexts(item: Item, members: readonly string[], replace: (text: string) => string): Item {
  const changed: Item = {};
  for (const member of members) {
    const text = item[member];
    if (typeof text !== 'string' || text === '') continue;
    const next = replace(text);
    if (next !== text) changed[member] = next;
  }
  return Object.keys(changed).length === 0 ? item : { ...item, ...changed };
}

import { madeOnce } from '../../base/made-once.ts';
import type { Bundle, FieldDefinition, Item } from '../../model/content-model.ts';

/** A field of a bundle, with the text that its name is in a document. */
export interface NameText {
  readonly name: string;
  /** Before its items. */
  readonly begin: string;
  /** All of it where it has none. */
  readonly empty: string;
}

/** The fields of a bundle, in order: most of the many are empty, and need not be written each time. */
export const namesIn = madeOnce(({ fields }: Bundle): readonly NameText[] =>
  fields.map(({ name }) => ({ name, begin: `,"${name}":`, empty: `,"${name}":[]` })),
);

const latest = new WeakMap<FieldDefinition, { readonly items: readonly Item[]; readonly text: string }>();

/** A base field as text: that of the last time where it says the same, as dates, owners and flags do. */
export function baseText(definition: FieldDefinition, items: readonly Item[]): string {
  const known = latest.get(definition);
  if (known !== undefined && isSame(known.items, items)) return known.text;
  const text = `,"${definition.name}":${JSON.stringify(items)}`;
  latest.set(definition, { items, text });
  return text;
}

/** Whether items surely are the same text: members that hold objects are not looked into. */
function isSame(some: readonly Item[], others: readonly Item[]): boolean {
  if (some.length !== 1 || others.length !== 1) return some.length === 0 && others.length === 0;
  const [one, other] = [some[0] as Item, others[0] as Item];
  const [members, otherMembers] = [Object.keys(one), Object.keys(other)];
  if (members.length !== otherMembers.length) return false;
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as string;
    if (otherMembers[index] !== member || one[member] !== other[member]) return false;
  }
  return true;
}

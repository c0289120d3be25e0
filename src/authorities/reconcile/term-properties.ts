import type { Bundle, FieldValues, Item, Vocabulary } from '../../model/content-model.ts';

/** A property of terms, as the Reconciliation API knows it: a field. */
interface TermProperty {
  readonly id: string;
  readonly name: string;
}

/** Returns the properties of the terms of vocabularies, each once. */
export function propertiesOf(vocabularies: Iterable<Vocabulary>): TermProperty[] {
  const properties = new Map<string, TermProperty>();
  for (const { fields } of vocabularies)
    for (const { name, label } of fields) if (!properties.has(name)) properties.set(name, { id: name, name: label });
  return [...properties.values()];
}

/** Returns the values of a property of a term as texts: numbers of other terms, addresses, dates and other texts. */
export function valuesOf(bundle: Bundle, members: FieldValues, property: string): string[] {
  if (!bundle.fieldNamed.has(property)) return [];
  return (members[property] ?? []).map(textOf).filter((text) => text !== '');
}

function textOf({ value, uri, target_id, lat, lng }: Item): string {
  if (lat !== undefined && lng !== undefined) return `${lat},${lng}`;
  return String(value ?? uri ?? target_id ?? '');
}

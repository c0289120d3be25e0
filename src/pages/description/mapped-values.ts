import { textWithoutMarkup } from '../../field-types/text-without-markup.ts';
import type { Item } from '../../model/content-model.ts';
import { definitionOf } from '../../repository/content/kinds.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import type { View } from '../view.ts';
import { oneLine } from './plain-text.ts';

export const DCTERMS = 'http://purl.org/dc/terms/';
export const DC = 'http://purl.org/dc/elements/1.1/';
export const SCHEMA = 'http://schema.org/';
export const PERSON = `${SCHEMA}Person`;

const MAX_TEXT_CHARACTERS = 1000;

/** A value under the predicates that the RDF mapping gives its field (config/rdf.yaml). */
export interface MappedValue {
  readonly field: string;
  readonly predicates: readonly string[];
  /** A line of text without markup: the label of a target. */
  readonly text: string;
  /** The target of a reference. */
  readonly target: Neighbour | undefined;
  /** The role of the target, such as `relators:aut`. */
  readonly role: string | undefined;
}

/**
 * Returns the values of mapped fields in their order, apart from the label, without references to targets that the caller
 * may not view.
 */
export function mappedValues(view: View): MappedValue[] {
  const { content, members, source, language } = view;
  const fields = source.model.rdf.mappings[content.kind.type].get(content.bundle.name)?.fields;
  if (fields === undefined) return [];
  const values: MappedValue[] = [];
  for (const [field, items] of Object.entries(members)) {
    const mapped = field === content.kind.labelMember ? undefined : fields.get(field);
    const definition = mapped && definitionOf(content, field);
    // These callbacks replace a value by an address.
    if (definition === undefined || mapped?.callback === 'node_url' || mapped?.callback === 'thumbnail_url') continue;
    const type = source.fieldTypes.of(definition);
    for (const item of items) {
      const target = view.targetOf(item);
      const text =
        target?.label ??
        (isReference(item)
          ? undefined
          : textIn(item, () => type.rdf(item, { definition, callback: undefined, language })));
      if (text === undefined || text.trim() === '') continue;
      const { predicates } = mapped ?? { predicates: [] };
      values.push({ field, predicates, text: oneLine(text, MAX_TEXT_CHARACTERS), target, role: type.role(item) });
    }
  }
  return values;
}

function isReference({ target_id }: Item): boolean {
  return target_id !== undefined;
}

function textIn(item: Item, values: () => readonly ({ '@id': string } | { '@value': string })[]): string | undefined {
  const plain = textWithoutMarkup(item);
  if (plain !== undefined) return plain;
  const [first] = values();
  return first && ('@id' in first ? first['@id'] : first['@value']);
}

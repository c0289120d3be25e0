import { parseItems } from '../../field-types/parse-items.ts';
import { ALTERNATIVE_NAME_FIELDS, alternativeNamesIn } from '../../model/alternative-names.ts';
import type { Bundle, FieldDefinition, Item } from '../../model/content-model.ts';
import { type Content, foldLabel, open } from '../content/content.ts';
import type { SubmittedValues } from '../content/fill/check-values.ts';
import type { Services } from '../content/services.ts';

/** The cardinality of a field without a maximum. */
const UNLIMITED = -1;

/** Returns the field in which a vocabulary has other names; undefined if it has none. */
export function otherNamesField({ fieldNamed }: Pick<Bundle, 'fieldNamed'>): FieldDefinition | undefined {
  const name = ALTERNATIVE_NAME_FIELDS.find((each) => fieldNamed.has(each));
  return name === undefined ? undefined : fieldNamed.get(name);
}

/** Returns the values that a term gets from the one that is merged into it: names and URIs for which its fields have room. */
export function keptValues({ fields }: Pick<Services, 'fields'>, from: Content, into: Content): SubmittedValues {
  const [source, target] = [open(from), open(into)];
  const kept = new Map<string, Item[]>();
  const add = (definition: FieldDefinition, items: readonly Item[], textOf: (item: Item) => string) => {
    const stored = target.values[definition.name] ?? [];
    const known = new Set([target.draft.label, ...stored.map(textOf)].map(foldLabel));
    const added = items.filter((item) => {
      const text = foldLabel(textOf(item));
      return !known.has(text) && known.add(text);
    });
    const room = definition.cardinality === UNLIMITED ? added.length : definition.cardinality - stored.length;
    if (added.length > 0 && room > 0)
      kept.set(definition.name, parseItems([...stored, ...added.slice(0, room)], definition, fields.types));
  };
  const named = otherNamesField(into.bundle);
  if (named !== undefined) {
    const names = [source.draft.label, ...alternativeNamesIn(source.values).split('\n')].filter((name) => name !== '');
    add(
      named,
      names.map((value) => ({ value })),
      ({ value }) => String(value),
    );
  }
  for (const definition of into.bundle.fields) {
    const links = (source.values[definition.name] ?? []).filter(({ uri }) => typeof uri === 'string');
    if (links.length > 0) add(definition, links, ({ uri }) => String(uri));
  }
  return kept;
}

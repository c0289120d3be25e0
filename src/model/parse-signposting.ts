import { Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import type { Bundle, EntityType, FieldDefinition } from './content-model.ts';
import type { FieldFacts } from './field-facts.ts';
import type { Signpost, SignpostingRules } from './signposting.ts';

type Entries = Readonly<Record<string, unknown>>;
type Signposting = Record<EntityType, Map<string, SignpostingRules>>;

/** The types of targets, besides files and web addresses. */
const TARGET_TYPES: readonly unknown[] = ['node', 'media', 'taxonomy_term'];
const ADDRESS = /^https?:\/\//i;

/** The bundles and field types that signposts may name. */
interface SignpostScope {
  readonly bundles: readonly Bundle[];
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
}

/**
 * Reads the Signposting rules of each bundle (config/signposting.yaml). Drops a built-in rule about a field or bundle
 * that the user's file removes or changes.
 */
export function parseSignposting(reader: ConfigReader, value: Entries, scope: SignpostScope): Signposting {
  const known = new Map(scope.bundles.map((bundle) => [`${bundle.entityType}.${bundle.name}`, bundle]));
  const signposting: Signposting = {
    node: new Map(),
    media: new Map(),
    taxonomy_term: new Map(),
    paragraph: new Map(),
    file: new Map(),
    user: new Map(),
  };
  for (const [key, rules] of Object.entries(value)) {
    const path = ['signposting', key];
    const bundle = known.get(key);
    if (bundle !== undefined) {
      signposting[bundle.entityType].set(bundle.name, parseRules(reader, scope, bundle, rules, path));
    } else if (!reader.isBuiltIn(path)) {
      reader.reportUnknown(path, 'bundle', key, known.keys());
    }
  }
  return signposting;
}

function parseRules(
  reader: ConfigReader,
  scope: SignpostScope,
  bundle: Bundle,
  value: unknown,
  path: string[],
): SignpostingRules {
  const file = reader.map(SignpostingBundleSchema, value, path);
  const signposts = (relation: 'author' | 'type' | 'license' | 'collection') =>
    (file[relation] ?? []).flatMap((each, index) =>
      parseSignpost(reader, scope, bundle, each, [...path, relation, String(index)]),
    );
  return {
    citeAs: (file['cite-as'] ?? []).flatMap((name, index) => {
      const field = findField(reader, scope, bundle, name, [...path, 'cite-as', String(index)], false);
      return field === undefined ? [] : [field.name];
    }),
    author: signposts('author'),
    type: signposts('type'),
    license: signposts('license'),
    collection: signposts('collection'),
    item: file.item === undefined ? [] : parseItem(reader, bundle, file.item, [...path, 'item']),
  };
}

function parseSignpost(
  reader: ConfigReader,
  scope: SignpostScope,
  bundle: Bundle,
  value: unknown,
  path: string[],
): Signpost[] {
  if (typeof value === 'string' && ADDRESS.test(value)) {
    if (URL.canParse(value)) return [{ address: value }];
    reader.report(path, `${nameOf(path)} must be an absolute address, found "${value}"`);
    return [];
  }
  const isMap = typeof value === 'object' && value !== null;
  const { field: name, relations }: { field?: unknown; relations?: string[] } = isMap
    ? reader.map(RelationSignpostSchema, value, path)
    : { field: reader.map(SignpostSchema, value, path) };
  if (typeof name !== 'string') return [];
  const at = isMap ? [...path, 'field'] : path;
  const field = findField(reader, scope, bundle, name, at, true);
  if (field === undefined) return [];
  return [
    {
      field: field.name,
      isReference: scope.fieldTypes.get(field.type)?.isSignpost === true,
      relations: relations && parseRelations(reader, field, relations, [...path, 'relations']),
    },
  ];
}

/** Returns the field of this name if links can lead to its values or targets; else reports it and returns undefined. */
function findField(
  reader: ConfigReader,
  { fieldTypes }: SignpostScope,
  { fieldNamed }: Bundle,
  name: string,
  path: string[],
  mayRefer: boolean,
): FieldDefinition | undefined {
  const field = fieldNamed.get(name);
  const isBuiltIn = reader.isBuiltIn(path);
  if (field === undefined) {
    if (!isBuiltIn) reader.reportUnknown(path, 'configured field', name, fieldNamed.keys());
    return undefined;
  }
  const type = fieldTypes.get(field.type);
  const isReference = type?.isSignpost === true;
  if (type?.mayBeAddress || (isReference && mayRefer && TARGET_TYPES.includes(field.targetType))) return field;
  if (!isBuiltIn) {
    const kind = isReference ? `${field.type} to ${field.targetType}` : field.type;
    const references = mayRefer ? `, or a reference to ${TARGET_TYPES.join(', ')}` : '';
    const wanted = [...fieldTypes].flatMap(([known, { mayBeAddress }]) => (mayBeAddress ? known : [])).join(', ');
    reader.report(
      path,
      `${nameOf(path)}: ${name} is ${kind}, which cannot be the target of a link; it must be ${wanted}${references}`,
    );
  }
  return undefined;
}

function parseRelations(
  reader: ConfigReader,
  { name, type, relationTypes }: FieldDefinition,
  relations: readonly string[],
  path: string[],
): ReadonlySet<string> | undefined {
  const isBuiltIn = reader.isBuiltIn(path);
  if (relationTypes === undefined) {
    if (!isBuiltIn) {
      reader.report(path, `${nameOf(path)} means nothing here: ${name} is ${type}; it is for typed_relation`);
    }
    return undefined;
  }
  const known = relations.filter((relation, index) => {
    const isKnown = Object.hasOwn(relationTypes, relation);
    if (!isKnown && !isBuiltIn) {
      reader.reportUnknown([...path, String(index)], 'relation type', relation, Object.keys(relationTypes));
    }
    return isKnown;
  });
  return new Set(known);
}

function parseItem(
  reader: ConfigReader,
  { entityType }: Bundle,
  value: unknown,
  path: string[],
): SignpostingRules['item'] {
  if (entityType !== 'node' && entityType !== 'media') {
    reader.report(path, `${nameOf(path)} means nothing here: only nodes and media have files`);
    return [];
  }
  if (Array.isArray(value)) {
    const uses: unknown = reader.map(ItemUsesSchema, value, path);
    return Array.isArray(uses) ? uses : [];
  }
  return (reader.map(ItemWordSchema, value, path) as unknown) === 'all' ? 'all' : [];
}

/** The schemas of `signposting`. Each `description` completes the sentence "x must be …" of an error message. */

const FIELD = t.String({ minLength: 1, description: 'the name of a field' });
const signposts = t.Array(t.Unknown(), { description: 'a list of fields and addresses' });

const SignpostingBundleSchema = t.Object(
  {
    'cite-as': t.Optional(t.Array(FIELD, { description: 'a list of fields' })),
    author: t.Optional(signposts),
    type: t.Optional(signposts),
    license: t.Optional(signposts),
    collection: t.Optional(signposts),
    item: t.Optional(t.Unknown()),
  },
  { additionalProperties: false, description: 'a map of relations to fields' },
);

const SignpostSchema = t.String({
  minLength: 1,
  description: 'the name of a field, an address, or a map with field',
});

const RelationSignpostSchema = t.Object(
  {
    field: FIELD,
    relations: t.Optional(
      t.Array(t.String({ minLength: 1, description: 'a relation type, such as relators:aut' }), {
        minItems: 1,
        description: 'a list of relation types, such as [relators:aut]',
      }),
    ),
  },
  { additionalProperties: false, description: 'a map with at least field' },
);

const ItemWordSchema = t.Union([t.Literal('all'), t.Literal('none')], {
  description: 'all, none, or a list of the URIs of media uses',
});
const ItemUsesSchema = t.Array(
  t.String({
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s]+$',
    description: 'a URI, such as http://pcdm.org/use#OriginalFile',
  }),
  { description: 'a list of the URIs of media uses' },
);

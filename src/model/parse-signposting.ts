import { nameOf } from '../base/check-shape.ts';
import type { Bundle, EntityType, FieldDefinition, FieldTypeName } from './content-model.ts';
import type { Reading } from './reading.ts';
import type { Signpost, SignpostingRules } from './signposting.ts';
import {
  ItemUsesSchema,
  ItemWordSchema,
  RelationSignpostSchema,
  SignpostingBundleSchema,
  SignpostSchema,
} from './signposting-schema.ts';

type Entries = Readonly<Record<string, unknown>>;
type Signposting = Record<EntityType, Map<string, SignpostingRules>>;

/** Fields whose values may be addresses. */
const ADDRESS_TYPES: readonly FieldTypeName[] = [
  'string',
  'string_long',
  'text',
  'text_long',
  'text_with_summary',
  'list_string',
  'uri',
  'link',
  'authority_link',
  'textfield_attr',
  'textarea_attr',
];
const REFERENCE_TYPES: readonly FieldTypeName[] = ['entity_reference', 'typed_relation'];
/** What links lead to, besides files and addresses elsewhere. */
const TARGET_TYPES: readonly unknown[] = ['node', 'media', 'taxonomy_term'];
const ADDRESS = /^https?:\/\//i;

/**
 * Reads where the links of each bundle lead (config/signposting.yaml). `bundles` are those that there are. What is
 * built in and speaks of something that the user's file took away or changed goes with it.
 */
export function parseSignposting(reading: Reading, value: Entries, bundles: readonly Bundle[]): Signposting {
  const known = new Map(bundles.map((bundle) => [`${bundle.entityType}.${bundle.name}`, bundle]));
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
      signposting[bundle.entityType].set(bundle.name, parseRules(reading, bundle, rules, path));
    } else if (!reading.isBuiltIn(path)) {
      reading.reportUnknown(path, 'bundle', key, known.keys());
    }
  }
  return signposting;
}

function parseRules(reading: Reading, bundle: Bundle, value: unknown, path: string[]): SignpostingRules {
  const file = reading.checkedMap(SignpostingBundleSchema, value, path);
  const signposts = (relation: 'author' | 'type' | 'license' | 'collection') =>
    (file[relation] ?? []).flatMap((each, index) =>
      parseSignpost(reading, bundle, each, [...path, relation, String(index)]),
    );
  return {
    citeAs: (file['cite-as'] ?? []).flatMap((name, index) => {
      const field = findField(reading, bundle, name, [...path, 'cite-as', String(index)], ADDRESS_TYPES);
      return field === undefined ? [] : [field.name];
    }),
    author: signposts('author'),
    type: signposts('type'),
    license: signposts('license'),
    collection: signposts('collection'),
    item: file.item === undefined ? [] : parseItem(reading, bundle, file.item, [...path, 'item']),
  };
}

function parseSignpost(reading: Reading, bundle: Bundle, value: unknown, path: string[]): Signpost[] {
  if (typeof value === 'string' && ADDRESS.test(value)) {
    if (URL.canParse(value)) return [{ address: value }];
    reading.report(path, `${nameOf(path)} must be an absolute address, found "${value}"`);
    return [];
  }
  const isMap = typeof value === 'object' && value !== null;
  const { field: name, relations }: { field?: unknown; relations?: string[] } = isMap
    ? reading.checkedMap(RelationSignpostSchema, value, path)
    : { field: reading.checkedMap(SignpostSchema, value, path) };
  if (typeof name !== 'string') return [];
  const at = isMap ? [...path, 'field'] : path;
  const field = findField(reading, bundle, name, at, [...ADDRESS_TYPES, ...REFERENCE_TYPES]);
  if (field === undefined) return [];
  return [
    {
      field: field.name,
      isReference: REFERENCE_TYPES.includes(field.type),
      relations: relations && parseRelations(reading, field, relations, [...path, 'relations']),
    },
  ];
}

/** The field of this name, if it can say where a link leads. */
function findField(
  reading: Reading,
  { fieldNamed }: Bundle,
  name: string,
  path: string[],
  types: readonly FieldTypeName[],
): FieldDefinition | undefined {
  const field = fieldNamed.get(name);
  const isBuiltIn = reading.isBuiltIn(path);
  if (field === undefined) {
    if (!isBuiltIn) reading.reportUnknown(path, 'configured field', name, fieldNamed.keys());
    return undefined;
  }
  const isReference = REFERENCE_TYPES.includes(field.type);
  if (types.includes(field.type) && (!isReference || TARGET_TYPES.includes(field.targetType))) return field;
  if (!isBuiltIn) {
    const kind = isReference ? `${field.type} to ${field.targetType}` : field.type;
    const references = types.includes('entity_reference') ? `, or a reference to ${TARGET_TYPES.join(', ')}` : '';
    const wanted = types.filter((type) => !REFERENCE_TYPES.includes(type)).join(', ');
    reading.report(
      path,
      `${nameOf(path)}: ${name} is ${kind}, which cannot say where a link leads; it must be ${wanted}${references}`,
    );
  }
  return undefined;
}

function parseRelations(
  reading: Reading,
  { name, type, relationTypes }: FieldDefinition,
  relations: readonly string[],
  path: string[],
): ReadonlySet<string> | undefined {
  const isBuiltIn = reading.isBuiltIn(path);
  if (relationTypes === undefined) {
    if (!isBuiltIn) {
      reading.report(path, `${nameOf(path)} means nothing here: ${name} is ${type}; it is for typed_relation`);
    }
    return undefined;
  }
  const known = relations.filter((relation, index) => {
    const isKnown = Object.hasOwn(relationTypes, relation);
    if (!isKnown && !isBuiltIn) {
      reading.reportUnknown([...path, String(index)], 'relation type', relation, Object.keys(relationTypes));
    }
    return isKnown;
  });
  return new Set(known);
}

function parseItem(reading: Reading, { entityType }: Bundle, value: unknown, path: string[]): SignpostingRules['item'] {
  if (entityType !== 'node' && entityType !== 'media') {
    reading.report(path, `${nameOf(path)} means nothing here: only nodes and media have files`);
    return [];
  }
  if (Array.isArray(value)) {
    const uses: unknown = reading.checkedMap(ItemUsesSchema, value, path);
    return Array.isArray(uses) ? uses : [];
  }
  return (reading.checkedMap(ItemWordSchema, value, path) as unknown) === 'all' ? 'all' : [];
}

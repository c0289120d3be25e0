import { Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { closed } from '../base/schema-parts.ts';
import type { Bundle, FieldDefinition } from './content-model.ts';
import type { FieldFacts } from './field-facts.ts';
import {
  FACET_KINDS,
  type Facet,
  FIELD_COLUMNS,
  type FieldColumn,
  SEARCH_COLUMNS,
  type SearchModel,
} from './search-model.ts';

type Entries = Readonly<Record<string, unknown>>;

interface SearchScope {
  readonly nodeTypes: Iterable<Bundle>;
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
}

/** Maximum number of facets: each search counts all of them. */
const MAX_FACETS = 32;
/** Parameters of the search page that no facet can be named after. */
const RESERVED: ReadonlySet<string> = new Set(['q', 'page', 'size', 'sort', 'after', 'from', 'to', 'view', '_format']);
const WEIGHT = 'a number from 0 to 1000';

const fieldNames = () =>
  t.Array(t.String({ minLength: 1, description: 'the name of a field' }), { description: 'a list of fields' });

const SearchSchema = t.Object(
  {
    weights: t.Optional(
      closed(
        Object.fromEntries(
          SEARCH_COLUMNS.map((name) => [
            name,
            t.Optional(t.Number({ minimum: 0, maximum: 1000, description: WEIGHT })),
          ]),
        ),
        `a map of ${SEARCH_COLUMNS.join(', ')} to weights`,
      ),
    ),
    subject: t.Optional(fieldNames()),
    creator: t.Optional(fieldNames()),
    identifier: t.Optional(fieldNames()),
    dates: t.Optional(fieldNames()),
    facets: t.Optional(
      t.Array(t.Unknown(), { maxItems: MAX_FACETS, description: `a list of at most ${MAX_FACETS} facets` }),
    ),
  },
  { additionalProperties: false, description: 'a map with weights, subject, creator, identifier, dates and facets' },
);

const FacetSchema = t.Object(
  {
    name: t.String({ pattern: '^[a-z][a-z0-9_]{0,31}$', description: 'a machine name, such as genre' }),
    label: t.String({ minLength: 1, description: 'text for people to read' }),
    kind: t.Union(
      FACET_KINDS.map((kind) => t.Literal(kind)),
      { description: `one of ${FACET_KINDS.join(', ')}` },
    ),
    field: t.Optional(t.String({ minLength: 1, description: 'the name of a field' })),
    fields: t.Optional(
      t.Array(t.String({ minLength: 1, description: 'the name of a field' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'a list of names of fields',
      }),
    ),
  },
  { additionalProperties: false, description: 'a facet: a map with name, label and kind' },
);

/**
 * Reads the configuration of the search index (config/search.yaml). Drops a built-in entry about a field that the model
 * lacks.
 */
export function parseSearch(reader: ConfigReader, value: Entries, scope: SearchScope): SearchModel {
  const file = reader.map(SearchSchema, value, ['search']);
  const fields = new Map<string, FieldDefinition>();
  for (const { fields: ofType } of scope.nodeTypes)
    for (const field of ofType) if (!fields.has(field.name)) fields.set(field.name, field);
  const known = (names: readonly string[] | undefined, key: string) =>
    (names ?? []).filter((name, index) => {
      if (fields.has(name)) return true;
      if (!reader.isBuiltIn(['search', key]))
        reader.reportUnknown(['search', key, String(index)], 'field', name, fields.keys());
      return false;
    });
  const columnOf = new Map<string, FieldColumn>();
  for (const column of FIELD_COLUMNS)
    for (const [index, name] of known(file[column], column).entries()) {
      const other = columnOf.get(name);
      const path = ['search', column, String(index)];
      if (other !== undefined) reader.report(path, `${nameOf(path)}: ${name} is already in search.${other}`);
      columnOf.set(name, column);
    }
  const weights = file.weights as Partial<SearchModel['weights']> | undefined;
  return {
    weights: Object.fromEntries(SEARCH_COLUMNS.map((name) => [name, weights?.[name] ?? 1])) as SearchModel['weights'],
    columnOf,
    dates: known(file.dates, 'dates').filter((name, index) => isDate(reader, scope, fields.get(name), index)),
    facets: parseFacets(reader, file.facets ?? [], fields),
  };
}

function isDate(reader: ConfigReader, { fieldTypes }: SearchScope, field: FieldDefinition | undefined, index: number) {
  if (field === undefined || fieldTypes.get(field.type)?.hasYears) return true;
  const path = ['search', 'dates', String(index)];
  if (!reader.isBuiltIn(['search', 'dates']))
    reader.report(path, `${nameOf(path)}: ${field.name} has no dates, it is of type ${field.type}`);
  return false;
}

function parseFacets(
  reader: ConfigReader,
  values: readonly unknown[],
  fields: ReadonlyMap<string, FieldDefinition>,
): Facet[] {
  const facets: Facet[] = [];
  const isBuiltIn = reader.isBuiltIn(['search', 'facets']);
  for (const [index, value] of values.entries()) {
    const path = ['search', 'facets', String(index)];
    const { name, label, kind, field, fields: several } = reader.map(FacetSchema, value, path);
    if (name === undefined || label === undefined || kind === undefined) continue;
    const named = [...(field === undefined ? [] : [field]), ...(several ?? [])];
    // A site need not have all fields of the built-in facets.
    const facet = { name, label, kind, fields: isBuiltIn ? named.filter((each) => fields.has(each)) : named };
    const problem = problemOf(facet, facets, fields);
    if (problem === undefined) facets.push(facet);
    else if (!isBuiltIn) reader.report(path, `${nameOf(path)}: ${problem}`);
  }
  return facets;
}

function problemOf(
  { name, kind, fields: named }: Pick<Facet, 'name' | 'kind' | 'fields'>,
  before: readonly Facet[],
  fields: ReadonlyMap<string, FieldDefinition>,
): string | undefined {
  // Values of filters are members of an object, which has these names without a value.
  if (name in Object.prototype) return `the name ${name} is reserved; choose another name`;
  if (RESERVED.has(name)) return `"${name}" is a parameter of searches`;
  if (before.some((facet) => facet.name === name)) return `there is another facet "${name}"`;
  const needsField = kind === 'reference' || kind === 'agent' || kind === 'rights';
  if (!needsField) return named.length === 0 ? undefined : `a facet of kind ${kind} has no field`;
  if (named.length === 0) return `a facet of kind ${kind} needs a field`;
  for (const field of named) {
    const definition = fields.get(field);
    if (definition === undefined) return `there is no field "${field}"`;
    const { targetType, relationTypes } = definition;
    if (kind === 'rights') continue;
    if (kind === 'agent' && relationTypes === undefined) return `${field} has no roles`;
    if (targetType !== 'taxonomy_term' && targetType !== 'node') return `${field} refers to no terms or nodes`;
  }
  const targets = new Set(named.map((field) => fields.get(field)?.targetType));
  return kind !== 'rights' && targets.size > 1 ? 'its fields refer to both terms and nodes' : undefined;
}

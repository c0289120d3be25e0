import type { TString } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { BASE_FIELD_NAMES } from './base-field-names.ts';
import {
  type Bundle,
  type EntityType,
  RDF_CALLBACKS,
  type Rdf,
  type RdfField,
  type RdfMapping,
} from './content-model.ts';
import {
  RdfBundleSchema,
  RdfFieldSchema,
  RdfNamespaceSchema,
  RdfPredicateSchema,
  RdfSchema,
  RdfTypeSchema,
} from './model-schema.ts';

type Entries = Readonly<Record<string, unknown>>;

interface Scope {
  readonly reader: ConfigReader;
  readonly prefixes: ReadonlyMap<string, string>;
}

const PREFIX = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * Reads the RDF mapping of each bundle, with prefixes expanded (spec: rest-behaviour, 7). Drops a built-in mapping of a
 * bundle or field that the user's file removes.
 */
export function parseRdf(reader: ConfigReader, value: unknown, bundles: readonly Bundle[]): Rdf {
  const file = reader.map(RdfSchema, value, ['rdf']) as { prefixes?: Entries; bundles?: Entries };
  const prefixes = parsePrefixes(reader, file.prefixes ?? {});
  const known = new Map(bundles.map((bundle) => [`${bundle.entityType}.${bundle.name}`, bundle]));
  const mappings: Record<EntityType, Map<string, RdfMapping>> = {
    node: new Map(),
    media: new Map(),
    taxonomy_term: new Map(),
    paragraph: new Map(),
    file: new Map(),
    user: new Map(),
  };
  for (const [key, mapping] of Object.entries(file.bundles ?? {})) {
    const path = ['rdf', 'bundles', key];
    const bundle = known.get(key);
    if (bundle !== undefined) {
      mappings[bundle.entityType].set(bundle.name, parseMapping({ reader, prefixes }, bundle, mapping, path));
    } else if (!reader.isBuiltIn(path)) {
      reader.reportUnknown(path, 'bundle', key, known.keys());
    }
  }
  return { prefixes, mappings };
}

function parsePrefixes(reader: ConfigReader, declared: Entries): Map<string, string> {
  const prefixes = new Map<string, string>();
  for (const [prefix, value] of Object.entries(declared)) {
    const path = ['rdf', 'prefixes', prefix];
    if (!PREFIX.test(prefix)) {
      reader.report(path, `${nameOf(path)}: a prefix is letters, digits, _ and -, and begins with a letter`);
    }
    const namespace = checkedText(reader, RdfNamespaceSchema, value, path);
    if (namespace !== undefined) prefixes.set(prefix, namespace);
  }
  return prefixes;
}

function parseMapping(scope: Scope, { entityType, fieldNamed }: Bundle, value: unknown, path: string[]): RdfMapping {
  const { reader } = scope;
  const file = reader.map(RdfBundleSchema, value, path);
  const fields = new Map<string, RdfField>();
  for (const [name, field] of Object.entries((file.fields ?? {}) as Entries)) {
    const at = [...path, 'fields', name];
    if (BASE_FIELD_NAMES[entityType].has(name) || fieldNamed.has(name)) {
      fields.set(name, parseField(scope, field, at));
    } else if (!reader.isBuiltIn(at)) {
      reader.reportUnknown(at, 'field', name, [...BASE_FIELD_NAMES[entityType], ...fieldNamed.keys()]);
    }
  }
  return { types: parseIris(scope, RdfTypeSchema, file.types ?? [], [...path, 'types']), fields };
}

function parseField(scope: Scope, value: unknown, path: string[]): RdfField {
  if (typeof value === 'string' || Array.isArray(value)) {
    return { predicates: parseIris(scope, RdfPredicateSchema, value, path), callback: undefined };
  }
  const { reader } = scope;
  const { predicates = [], callback } = reader.map(RdfFieldSchema, value, path);
  const known = RDF_CALLBACKS.find((each) => each === callback);
  if (callback !== undefined && known === undefined) {
    reader.reportUnknown([...path, 'callback'], 'callback', callback, RDF_CALLBACKS);
  }
  return { predicates: parseIris(scope, RdfPredicateSchema, predicates, [...path, 'predicates']), callback: known };
}

/** Reads one name or a list, with prefixes expanded. */
function parseIris({ reader, prefixes }: Scope, schema: TString, value: unknown, path: string[]): string[] {
  const names = Array.isArray(value)
    ? value.map((each, index) => checkedText(reader, schema, each, [...path, String(index)]))
    : [checkedText(reader, schema, value, path)];
  return names.flatMap((name) => (name === undefined ? [] : expandIri(prefixes, name)));
}

function checkedText(reader: ConfigReader, schema: TString, value: unknown, path: string[]): string | undefined {
  const checked: unknown = reader.map(schema, value, path);
  return typeof checked === 'string' ? checked : undefined;
}

/** Expands the prefix of an IRI such as `dcterms:title`. Returns IRIs without a declared prefix unchanged. */
export function expandIri(prefixes: ReadonlyMap<string, string>, name: string): string {
  const colon = name.indexOf(':');
  const namespace = colon < 0 || name.startsWith('//', colon + 1) ? undefined : prefixes.get(name.slice(0, colon));
  return namespace === undefined ? name : namespace + name.slice(colon + 1);
}

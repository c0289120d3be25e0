import type { ContentModel, FieldDefinition } from '../model/content-model.ts';
import type { Facet, FacetKind } from '../model/search-model.ts';

import type { Weights } from './engine/find-hits.ts';

/** A facet, whose number in the index is its position in the list. */
export interface FacetSetup {
  readonly name: string;
  readonly label: string;
  readonly kind: FacetKind;
  /** The entities that its values are the ids of; undefined for values of other kinds. */
  readonly target: 'taxonomy_term' | 'node' | undefined;
}

/** The part of the content model that an engine needs. It is sent to a thread, so it holds data only. */
export interface SearchSetup {
  readonly weights: Weights;
  readonly facets: readonly FacetSetup[];
  /** The fields with text of each bundle, those with long texts first. */
  readonly textFields: Readonly<Record<string, readonly string[]>>;
  /** The labels of bundles and of the roles of agents. */
  readonly bundles: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, string>>;
  /** The URIs of the models of collections. */
  readonly collectionUris: readonly string[];
  /** The URIs of the models of items with pages. */
  readonly bookUris: readonly string[];
  /** The vocabularies of the facets, whose terms are suggested. */
  readonly vocabularies: readonly string[];
}

/** The field types whose values are shown in snippets. */
const LONG_TEXTS: ReadonlySet<string> = new Set(['text_with_summary', 'text_long', 'string_long']);
const SHORT_TEXTS: ReadonlySet<string> = new Set(['text', 'string']);

/** Returns what an engine needs of a content model. */
export function createSetup({ search, nodeTypes, vocabularies, models }: ContentModel): SearchSetup {
  const { weights, facets } = search;
  const bundles = [...nodeTypes.values()];
  const fields = bundles.flatMap((bundle) => bundle.fields);
  const { title, subject, creator, identifier, text, fulltext } = weights;
  return {
    weights: [title, subject, creator, identifier, text, fulltext],
    facets: facets.map(({ name, label, kind, fields: named }) => ({
      name,
      label,
      kind,
      target: targetOf(kind, named, fields),
    })),
    textFields: Object.fromEntries(bundles.map((bundle) => [bundle.name, textFieldsOf(bundle.fields)])),
    bundles: Object.fromEntries(bundles.map(({ name, label }) => [name, label])),
    roles: Object.assign({}, ...fields.map(({ relationTypes }) => relationTypes ?? {})),
    collectionUris: models.urisOf('collection'),
    bookUris: models.urisOf('paged'),
    vocabularies: vocabulariesOf(search.facets, fields, [...vocabularies.keys()]),
  };
}

function targetOf(kind: FacetKind, named: readonly string[], fields: readonly FieldDefinition[]): FacetSetup['target'] {
  if (kind === 'collection') return 'node';
  if (kind !== 'reference') return undefined;
  const isToNodes = fields.some(({ name, targetType }) => named.includes(name) && targetType === 'node');
  return isToNodes ? 'node' : 'taxonomy_term';
}

function textFieldsOf(fields: readonly FieldDefinition[]): string[] {
  const ofTypes = (types: ReadonlySet<string>) => fields.filter(({ type }) => types.has(type)).map(({ name }) => name);
  return [...ofTypes(LONG_TEXTS), ...ofTypes(SHORT_TEXTS)];
}

function vocabulariesOf(
  facets: readonly Facet[],
  fields: readonly FieldDefinition[],
  all: readonly string[],
): string[] {
  const shown = new Set(facets.flatMap(({ fields: named }) => named));
  const targets = fields.filter(({ name, targetType }) => shown.has(name) && targetType === 'taxonomy_term');
  return [...new Set(targets.flatMap(({ targetBundles }) => targetBundles ?? all))];
}

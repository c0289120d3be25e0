/** The columns of the full-text index, in their order. */
export const SEARCH_COLUMNS = ['title', 'subject', 'creator', 'identifier', 'text', 'fulltext'] as const;
export type SearchColumn = (typeof SEARCH_COLUMNS)[number];

/** The columns whose fields are configured. All other fields with text are in `text`. */
export const FIELD_COLUMNS = ['subject', 'creator', 'identifier'] as const satisfies readonly SearchColumn[];
export type FieldColumn = (typeof FIELD_COLUMNS)[number];

export const FACET_KINDS = [
  ...(['reference', 'agent', 'collection', 'decade', 'full_text', 'file_type', 'bundle', 'rights'] as const),
] as const;
export type FacetKind = (typeof FACET_KINDS)[number];

/** A facet. Its number in the index is its position in `SearchModel.facets`. */
export interface Facet {
  /** The query parameter, unique. */
  readonly name: string;
  readonly label: string;
  readonly kind: FacetKind;
  /** The fields whose values it counts. Empty for kinds that need none. */
  readonly fields: readonly string[];
}

/** The search index as configured (config/search.yaml). */
export interface SearchModel {
  readonly weights: Readonly<Record<SearchColumn, number>>;
  /** The column of each field that is not in `text`. */
  readonly columnOf: ReadonlyMap<string, FieldColumn>;
  /** The fields with the date of a node, in order of preference. */
  readonly dates: readonly string[];
  readonly facets: readonly Facet[];
}

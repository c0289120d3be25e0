/** The placeholders of templates: facts about a value and its record (config/harvest.yaml). */
export const HARVEST_FACTS = [
  ...(['value', 'uri', 'address', 'doi', 'bundle', 'role', 'role_label', 'language', 'edtf', 'date_range'] as const),
  ...(['language_code', 'language_or_label', 'other_identifier', 'name_id', 'name_id_scheme'] as const),
  ...(['name_id_uri', 'affiliation', 'affiliation_id', 'affiliation_id_scheme', 'affiliation_id_uri'] as const),
  ...(['date_words', 'year', 'latitude', 'longitude', 'url', 'title', 'added_year', 'site'] as const),
  ...(['access_coar', 'access_eu_repo', 'access_label', 'access_words', 'open_from'] as const),
] as const;
export type HarvestFact = (typeof HARVEST_FACTS)[number];

/** A placeholder, and the table in which its word is looked up. */
export interface Placeholder {
  readonly fact: HarvestFact;
  readonly table: ReadonlyMap<string, string> | undefined;
}

/** Text with placeholders. */
export type TemplateText = readonly (string | Placeholder)[];

/** An element that a value becomes. */
export interface ElementTemplate {
  readonly name: string;
  readonly attributes: readonly { readonly name: string; readonly text: TemplateText }[];
  readonly text: TemplateText;
  readonly children: readonly ElementTemplate[];
}

/** A metadata format. */
export interface HarvestFormat {
  /** The `metadataPrefix`. */
  readonly prefix: string;
  readonly element: string;
  readonly namespace: string;
  /** The address of its XML schema. */
  readonly schema: string;
  /** The media type of a record on its own. */
  readonly mediaType: string;
  /** Prefix to namespace. */
  readonly namespaces: ReadonlyMap<string, string>;
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements at the top that all values of a record share. */
  readonly merged: ReadonlySet<string>;
  /** Elements at the top that a record has once. */
  readonly single: ReadonlySet<string>;
  /** By the name of a field. An empty list drops the values. */
  readonly byField: ReadonlyMap<string, readonly ElementTemplate[]>;
  /** By the IRI of a predicate. */
  readonly byPredicate: ReadonlyMap<string, readonly ElementTemplate[]>;
  /** The entry for each file that is no derivative: its media type is the value. */
  readonly files: readonly ElementTemplate[];
  /** What the rules of a record become whose files are closed. */
  readonly access: readonly ElementTemplate[];
  /** For records without an element of that name. */
  readonly defaults: ReadonlyMap<string, readonly ElementTemplate[]>;
}

/** The formats of harvesters, and the node types whose nodes they contain. */
export interface HarvestModel {
  readonly nodeTypes: ReadonlySet<string>;
  /** By prefix, `oai_dc` first. */
  readonly formats: ReadonlyMap<string, HarvestFormat>;
}

/** The format that every repository offers (OAI-PMH 2.0, 2.7.7). */
export const DUBLIN_CORE = 'oai_dc';

/** A field whose values or targets a relation leads to. */
export interface FieldSignpost {
  readonly field: string;
  /** True if it refers to nodes, media or terms. */
  readonly isReference: boolean;
  /** The accepted roles of a typed relation; undefined for all. */
  readonly relations: ReadonlySet<string> | undefined;
}

/** The target of a relation: a field, or one address for every entity of a bundle. */
export type Signpost = FieldSignpost | { readonly address: string };

/** The targets of each relation of a bundle (FAIR Signposting Profile, section 2). */
export interface SignpostingRules {
  /** Fields whose first address, DOI, Handle or ARK identifies an entity permanently. */
  readonly citeAs: readonly string[];
  readonly author: readonly Signpost[];
  readonly type: readonly Signpost[];
  readonly license: readonly Signpost[];
  readonly collection: readonly Signpost[];
  /** The files to link: all, or those whose use has one of these URIs. */
  readonly item: 'all' | readonly string[];
}

/** A field that says where a relation leads. */
export interface FieldSignpost {
  readonly field: string;
  /** Whether it refers to nodes, media or terms. */
  readonly isReference: boolean;
  /** Of a typed relation: the roles that count; undefined for all. */
  readonly relations: ReadonlySet<string> | undefined;
}

/** One thing that a relation leads to: what a field says, or the same address from every entity of a bundle. */
export type Signpost = FieldSignpost | { readonly address: string };

/** Where each relation of one bundle leads (FAIR Signposting Profile, section 2). */
export interface SignpostingRules {
  /** Fields whose first address, DOI, Handle or ARK names an entity for good. */
  readonly citeAs: readonly string[];
  readonly author: readonly Signpost[];
  readonly type: readonly Signpost[];
  readonly license: readonly Signpost[];
  readonly collection: readonly Signpost[];
  /** Which files are told of: all, or those whose use has one of these URIs. */
  readonly item: 'all' | readonly string[];
}

/** An initial term of a vocabulary. */
export interface DefaultTerm {
  readonly name: string;
  readonly uri: string | undefined;
  readonly description: string | undefined;
  /** The name of the parent in the same vocabulary. */
  readonly parent: string | undefined;
  readonly code: string | undefined;
  /** The `source` of an authority link. */
  readonly source: string | undefined;
}

/** The kinds of authority records. `other` is one of which its file tells no kind. */
export const AUTHORITY_KINDS = [
  ...(['person', 'family', 'organisation', 'topic', 'place', 'genre', 'period', 'title', 'other'] as const),
] as const;
export type AuthorityKind = (typeof AUTHORITY_KINDS)[number];

/** A name with its language tag, which is empty for none. */
export type LanguageName = readonly [name: string, language: string];

/** An entry of an authority list. */
export interface AuthorityRecord {
  readonly uri: string;
  readonly kind: AuthorityKind;
  /** The preferred name that is shown. */
  readonly label: string;
  readonly preferred: readonly LanguageName[];
  readonly variants: readonly LanguageName[];
  /** As the source has them, such as `1835-11-30`. */
  readonly dateBegin: string | undefined;
  readonly dateEnd: string | undefined;
  /** A note that tells it from others of the same name. */
  readonly scope: string | undefined;
}

/** Returns all names of a record, each once. */
export function namesOf({ label, preferred, variants }: Pick<AuthorityRecord, 'label' | 'preferred' | 'variants'>) {
  return [...new Set([label, ...[...preferred, ...variants].map(([name]) => name)])];
}

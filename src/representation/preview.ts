/** The form behind a page that shows typed values which are not saved. */
export interface Preview {
  /** The path to which the form is sent. */
  readonly action: string;
  readonly token: string;
  /** The fields as they were typed. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** True for content that does not exist yet: it has no address. */
  readonly isNew: boolean;
  /** The names of the terms that do not exist yet. */
  readonly newTerms: readonly string[];
}

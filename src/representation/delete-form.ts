/** The form that deletes content. */
export interface DeleteForm {
  /** The name of what is deleted. */
  readonly label: string;
  /** The kind of content: `Repository Item`. */
  readonly kind: string;
  /** Sentences about what is lost, and about what stays. */
  readonly effects: readonly string[];
  readonly action: string;
  readonly token: string;
  readonly cancel: string;
}

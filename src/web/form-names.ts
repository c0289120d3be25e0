/** The hidden field of a form with the token of the session. */
export const FORM_TOKEN = 'form_token';

/** The form of a caller whose session has ended: what was typed, and where it was sent. */
export interface PendingForm {
  /** The path and query to which it was sent. */
  readonly address: string;
  /** The fields, encoded as in a URL. Undefined for a form that is too large to be carried by the one to sign in. */
  readonly fields: string | undefined;
}

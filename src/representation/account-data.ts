import type { AdminPage } from './admin-pages.ts';
import type { PendingForm } from './form-names.ts';

/** The page on which a user signs in. */
export interface SignInData {
  /** The name that was typed. */
  readonly name?: string;
  /** The reason why a try has failed. */
  readonly problem?: string;
  /** The path that is opened then. */
  readonly address?: string;
  /** The form that was sent without a session, which is offered again. */
  readonly typed?: PendingForm | undefined;
  /** True if the caller opened a page that requires a user. */
  readonly isNeeded?: boolean;
}

/** The page on which a user signs out. */
export interface SignOutData {
  /** The `logout_token` of the session. Undefined for a caller who sends a password or a token with each request. */
  readonly token: string | undefined;
}

/** A form that is offered again: what was typed, and the token of the present session. */
export interface SendAgainData extends PendingForm {
  readonly token: string;
}

/** The pages for the management of the repository that a caller may open. */
export interface AdminData {
  readonly pages: readonly Pick<AdminPage, 'path' | 'label' | 'description'>[];
}

import type { PeopleFilter, Person } from '../../repository/users/find-people.ts';
import type { FormProblem } from '../forms/error-summary.tsx';

/** An account that a page is about. */
interface PageAccount {
  readonly id: number;
  readonly name: string;
}

/** A form of an account, with the token of the session. */
interface AccountForm {
  readonly token: string;
  readonly account: PageAccount;
  readonly problems: readonly FormProblem[];
}

/** The page on which a user changes the own password. */
export type PasswordPageData = AccountForm;

/** The page on which a visitor asks for a reset link. */
export interface ResetRequestData {
  /** False without a mail server. */
  readonly mayMail: boolean;
  /** The name or mail address that was typed. */
  readonly name: string;
  /** True once the request was sent. */
  readonly isSent: boolean;
  readonly problems: readonly FormProblem[];
}

/** The page to which a reset link leads. */
export interface NewPasswordData {
  readonly token: string;
  /** Undefined for an invalid link. */
  readonly name: string | undefined;
  readonly problems: readonly FormProblem[];
}

/** The page to which the link for a new mail address leads. */
export interface ConfirmMailData {
  readonly token: string;
  /** Undefined for an invalid link. */
  readonly change: { readonly name: string; readonly mail: string } | undefined;
}

/** The page on which an administrator creates a reset link. */
export interface ResetLinkData extends AccountForm {
  readonly mail: string | null;
  readonly isBlocked: boolean;
  /** True for the own account, for which a link requires the present password. */
  readonly isOwn: boolean;
  readonly mayMail: boolean;
  /** The created link, which is shown once. */
  readonly link?: string | undefined;
  /** True if the account has just been created. */
  readonly isNew?: boolean;
}

/** A session in the list of an account. Times are seconds since 1970. */
export interface SessionRow {
  readonly id: string;
  readonly created: number;
  readonly expires: number;
  readonly used: number;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** True for the session that shows the page. */
  readonly isThis: boolean;
}

export interface SessionsData extends AccountForm {
  readonly isOwn: boolean;
  readonly sessions: readonly SessionRow[];
}

/** A role with its label. */
export interface NamedRole {
  readonly name: string;
  readonly label: string;
}

export interface PeopleData {
  readonly people: readonly Person[];
  readonly total: number;
  readonly filter: PeopleFilter;
  readonly roles: readonly NamedRole[];
}

/** The values of the form of an account. */
export interface AccountValues {
  readonly name: string;
  readonly mail: string;
  readonly roles: readonly string[];
  readonly isBlocked: boolean;
}

/** The way in which a new account gets its password. */
export const INVITATIONS = ['link', 'mail', 'password'] as const;
export type Invitation = (typeof INVITATIONS)[number];

/** The form for a new account. */
export interface NewAccountData {
  readonly token: string;
  readonly values: AccountValues;
  readonly invitation: Invitation;
  readonly roles: readonly NamedRole[];
  readonly mayMail: boolean;
  readonly problems: readonly FormProblem[];
}

/** The form that changes an account. */
export interface EditAccountData extends AccountForm {
  readonly values: AccountValues;
  /** The state of the account when the form was opened. */
  readonly version: string;
  /** The roles that the caller may grant. Undefined for a caller who may only change the own mail address. */
  readonly roles: readonly NamedRole[] | undefined;
  /** The new address that waits for its confirmation. */
  readonly pendingMail: string | undefined;
  /** True for the own account, which cannot be blocked. */
  readonly isOwn: boolean;
}

/** The states that the page of an account's end can give it. */
export const ACCOUNT_ENDS = ['active', 'blocked', 'deleted'] as const;
export type AccountEnd = (typeof ACCOUNT_ENDS)[number];

/** The page that blocks, unblocks or deletes an account, with what the user owns. */
export interface CancelData extends AccountForm {
  /** True for the own account, which a user only blocks. */
  readonly isOwn: boolean;
  readonly isBlocked: boolean;
  /** The choice in the form. */
  readonly chosen: AccountEnd;
  readonly nodes: number;
  readonly media: number;
}

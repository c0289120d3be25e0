import type { ParsedContent } from '../../repository/content/content.ts';
import type { Surroundings } from '../../repository/content/read/surroundings.ts';

/** A revision as the pages of a history show it. */
export interface RevisionEntry {
  readonly id: number;
  /** In seconds since 1970. */
  readonly created: number;
  /** The user who made it. Undefined if there is none, or if the caller may not view the user. */
  readonly user: { readonly id: number; readonly name: string } | undefined;
  readonly log: string | undefined;
  readonly isCurrent: boolean;
  /** True if the caller may view content as of this revision. */
  readonly isReadable: boolean;
  /** The effect of bringing it back. Undefined if the caller may not, or if nothing would change. */
  readonly restoring: Restoring | undefined;
}

/** The effect of bringing back a revision. */
interface Restoring {
  /** The labels of the fields that change. */
  readonly changes: readonly string[];
  /** The names of its fields that the content model no longer has: it cannot be brought back then. */
  readonly lost: readonly string[];
}

/** The values of the form that brings back a version. */
export interface RestoreForm {
  /** The field with the token of the session. */
  readonly tokenName: string;
  readonly token: string;
  /** The version of the content that the page shows as the present one. */
  readonly version: number;
}

/** A page of the history of content. */
export interface RevisionList {
  /** Undefined for a caller who may not bring back revisions. */
  readonly restore: RestoreForm | undefined;
  readonly content: ParsedContent;
  /** The newest first. */
  readonly revisions: readonly RevisionEntry[];
  /** From 0. */
  readonly page: number;
  readonly pages: number;
}

/** Content as of a revision, with the related entities that the caller may view. */
export interface RevisionContent {
  readonly revision: RevisionEntry;
  readonly content: ParsedContent;
  readonly around: Surroundings;
}

/** Two revisions of content, the earlier one first. */
export interface RevisionPair {
  readonly restore: RestoreForm | undefined;
  readonly before: RevisionContent;
  readonly after: RevisionContent;
}

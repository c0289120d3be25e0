import type { BulkAction, ItemState } from '../../bulk/bulk-action.ts';
import type { BulkResult, BulkRun } from '../../bulk/find-runs.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { MemberChoices } from '../members/gather-members.ts';
import type { Choice, ManagedList } from './content-list-data.ts';

/** The items of a change that is not confirmed yet. */
export interface BulkSelection {
  readonly kind: ManagedList;
  readonly action: BulkAction;
  /** The ids of the items. Empty if all of a source are meant. */
  readonly entries: readonly number[];
  /** Undefined if entries are named. */
  readonly source: ItemSource | undefined;
}

/** The sources of items: the filter of a list, the query of a search, an imported table, or a change. */
export const SOURCES = ['filter', 'search', 'import', 'run'] as const;

/** A source of which all items are meant. */
export interface ItemSource {
  readonly of: (typeof SOURCES)[number];
  /** The filter or the query, encoded as in an address, or the id of the table or the change. */
  readonly text: string;
}

/** The page on which a change is confirmed. */
export interface BulkConfirmData extends BulkSelection {
  /** Undefined for a caller without a session, who cannot use the form. */
  readonly token: string | undefined;
  readonly count: number;
  /** The titles of the first items. */
  readonly first: readonly { readonly id: number; readonly label: string }[];
  /** The effects of a deletion. */
  readonly affected: { readonly media: number; readonly members: number } | undefined;
  /** The members that may follow. Undefined for another action, and for items without members. */
  readonly members: MemberChoices | undefined;
  /** The collections that are offered. Undefined: too many. */
  readonly collections: readonly Choice[] | undefined;
  /** The fields of terms that are offered, each with its terms. */
  readonly fields: readonly Choice[];
  /** The terms that are offered instead of an unknown or ambiguous name. */
  readonly near: readonly Choice[];
  /** The typed values. */
  readonly typed: BulkFormValues;
  readonly problems: readonly FormProblem[];
  /** The address of the list. */
  readonly back: string;
}

/** The fields of the form, as they were typed. */
export interface BulkFormValues {
  readonly collection?: string | undefined;
  readonly mode?: string | undefined;
  readonly field?: string | undefined;
  readonly term?: string | undefined;
  /** The term that was chosen among the offered ones; empty for the typed name. */
  readonly near?: string | undefined;
  readonly members?: string | undefined;
  readonly with_media?: string | undefined;
  readonly with_files?: string | undefined;
}

/** The page of a change. */
export interface BulkRunData {
  readonly run: BulkRun;
  readonly token: string | undefined;
  /** The shown items. */
  readonly shown: ItemState;
  readonly results: readonly BulkResult[];
  /** The page of the shown items, from 0. */
  readonly page: number;
  readonly pages: number;
  /** True if the caller may undo it. */
  readonly mayUndo: boolean;
  /** True if the caller started it. */
  readonly isOwn: boolean;
}

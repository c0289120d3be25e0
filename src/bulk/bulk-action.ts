import type { bulkItems } from '../database/schema/bulk.ts';
import type { LinkedType } from '../repository/access-rule.ts';
import { MEMBER_OF } from '../repository/relations.ts';
import { runsOf } from '../runs/runs.ts';
import type { ValuesChange } from './values-change.ts';

/**
 * A change of many items. `order` gives each member of an item its weight, `update` gives each item the values of its row
 * in a table, and `undo` restores what another run has changed. Lists offer none of these.
 */
export type BulkAction =
  | ('publish' | 'unpublish' | 'collection' | 'term' | 'values' | 'delete' | 'derivatives')
  | ('order' | 'update' | 'undo');
/** The kinds of content that runs change. */
export type BulkType = LinkedType;
export type ItemState = (typeof bulkItems)['$inferSelect']['state'];

/** The actions of each kind, in the order in which pages offer them. */
export const ACTIONS_OF: Readonly<Record<BulkType, readonly BulkAction[]>> = {
  node: ['publish', 'unpublish', 'collection', 'term', 'values', 'derivatives', 'delete'],
  media: ['publish', 'unpublish', 'term', 'values', 'derivatives', 'delete'],
  taxonomy_term: [],
};

/** The members that follow a change of their item: none, its pages, or everything below it. */
export const MEMBER_SCOPES = ['none', 'pages', 'all'] as const;
export type MemberScope = (typeof MEMBER_SCOPES)[number];

/** The actions that members may follow. */
export type MemberAction = 'publish' | 'unpublish' | 'delete';

/** The parameters of an action; those of other actions are missing. */
export interface BulkParameters {
  /** The field that the action changes; undefined for deletions and derivatives. */
  readonly field?: string | undefined;
  /** The id of the collection or term. */
  readonly target?: number | undefined;
  /** The label of that, of the item whose members are ordered, of the field whose values change, or the name of the table. */
  readonly targetLabel?: string | undefined;
  /** True if the collection replaces those that an item is in. */
  readonly replaces?: boolean | undefined;
  /** True if the media of a deleted node are deleted, too. */
  readonly withMedia?: boolean | undefined;
  /** True if the files of deleted media that no other content uses are deleted, too. */
  readonly withFiles?: boolean | undefined;
  /** The item whose members are ordered, or get their earlier order back. */
  readonly membersOf?: number | undefined;
  /** The run that is undone. */
  readonly undoes?: number | undefined;
  /** The import of which it deletes the nodes that no one has changed since. */
  readonly deletesImport?: number | undefined;
  /** The change of the values of the field. */
  readonly change?: ValuesChange | undefined;
  /** The reason of an update or of a change of values, for the log of the revisions. */
  readonly reason?: string | undefined;
  /** The members that follow the items. */
  readonly members?: MemberScope | undefined;
  /** The last row of the items themselves: the rows behind it are members that follow them. */
  readonly lastChosen?: number | undefined;
}

/** What a bulk change does. */
export interface BulkChange {
  readonly type: BulkType;
  readonly action: BulkAction;
  readonly parameters: BulkParameters;
}

/** The runs of bulk changes. The result is the reason why one has stopped, unless a user stopped it. */
export const bulkRuns = runsOf<BulkChange, never, string>('bulk', 'bulk change');

/** A run that a process works on. */
export interface ActiveRun extends BulkChange {
  readonly id: number;
}

/** The field of the actions whose parameters do not name one. */
export const FIELD_OF: Readonly<Partial<Record<BulkAction, string>>> = {
  publish: 'status',
  unpublish: 'status',
  collection: MEMBER_OF,
};

/** Maximum number of items of a run. */
export const MAX_ITEMS = 50_000;

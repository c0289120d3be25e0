import type { ErrorKind } from '../../base/errors.ts';
import type { ReaderPlace } from '../../database/remote/open-database.ts';
import type { SnapshotPlace } from '../engine/node-snapshot.ts';
import type { SearchList, SearchQuery, SearchResult, Suggestion, Viewer } from '../search-types.ts';
import type { SearchSetup } from '../setup.ts';

/** The parts that a thread needs. */
export interface ThreadSetup {
  readonly place: ReaderPlace;
  readonly setup: SearchSetup;
  readonly snapshots?: SnapshotPlace | undefined;
}

/** The work of a thread. */
export type Task =
  | { readonly type: 'search'; readonly viewer: Viewer; readonly query: SearchQuery }
  | { readonly type: 'list'; readonly viewer: Viewer; readonly query: SearchQuery; readonly limit: number }
  | { readonly type: 'matching'; readonly condition: string; readonly nids: readonly number[] }
  | { readonly type: 'suggest'; readonly viewer: Viewer; readonly text: string };

export type Answer = SearchResult | SearchList | Suggestion[] | number[];

/** A message to a thread: first `open`; `abort` ends a task, `close` the thread. */
export type ToThread =
  | ({ readonly type: 'open' } & ThreadSetup)
  | { readonly type: 'task'; readonly id: number; readonly task: Task }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close' };

/** An error as data. */
export interface Failure {
  /** That of a ServiceError; undefined for an error of the program. */
  readonly kind: ErrorKind | undefined;
  readonly message: string;
  readonly headers: Record<string, string>;
  /** The cause, for the log. */
  readonly detail: string | undefined;
}

/** The end of a task. An answer is JSON, which takes half the time of a clone. */
export type TaskEnd =
  | { readonly id: number; readonly answer: string }
  | { readonly id: number; readonly failure: Failure };

/** A message from a thread: `saved` is the token of a new snapshot. */
export type FromThread = TaskEnd | { readonly saved: string } | { readonly notSaved: Failure };

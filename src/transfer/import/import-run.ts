import { sql } from 'drizzle-orm';
import { runs } from '../../database/schema/runs.ts';
import { type Run, runsOf } from '../../runs/runs.ts';

/** The identity of a table in the journal. */
export interface JournalTable {
  /** SHA-256 of the file. */
  readonly sha256: string;
  /** The real path of the file. */
  readonly path: string;
}

/** An import of a table. Times are seconds since 1970, by the clock of the database. */
export interface ImportRun extends JournalTable {
  readonly id: number;
  readonly rows: number;
  readonly startedAt: number;
  /** Undefined for an unfinished import. */
  readonly endedAt: number | undefined;
  /** The reserved node id of row 1; undefined for a run of a version that reserved no ids. */
  readonly firstNodeId: number | undefined;
}

/** An import whose lease this process holds. */
export interface HeldRun extends ImportRun {
  readonly lease: string;
  readonly firstNodeId: number;
}

/** The facts of a table that a journal records. */
export interface TableToTake extends JournalTable {
  readonly rows: number;
  /** The number of its last row, including comments. */
  readonly lastRow: number;
  /** True if it was uploaded in a browser. */
  readonly isUploaded: boolean;
  /** True if its rows keep the node ids that the run has already reserved for them. */
  readonly keepsIds: boolean;
}

/** The state of a table in the journal. */
export type JournalState =
  /** `former` is a finished run of another table with the same path. `lastId` is the id of the last run. */
  | { readonly kind: 'new'; readonly former: ImportRun | undefined; readonly lastId: number }
  | { readonly kind: 'finished'; readonly run: ImportRun }
  /** `isChanged` is true if the table has changed since. */
  | { readonly kind: 'unfinished'; readonly run: ImportRun; readonly isChanged: boolean };

/** Returns the node id that is reserved for a row. */
export function nodeIdOf(firstNodeId: number, { number }: { readonly number: number }): number {
  return firstNodeId + number - 1;
}

/** What rows of the journal store about an import. */
interface StoredImport extends JournalTable {
  readonly rows: number;
  readonly firstNodeId: number | null;
  /** True for a table that was uploaded in a browser: its upload is a run, too. */
  readonly isUploaded: boolean;
}

/** The runs of imports. The progress is the number of loaded rows, the result the problem that stopped one. */
export const importRuns = runsOf<StoredImport, number, string>('import', 'import');

/** Returns an import from its row. */
export function toImportRun({ id, about, createdAt, endedAt }: Run<StoredImport, number, string>): ImportRun {
  const { firstNodeId, isUploaded: _, ...facts } = about;
  return {
    ...{ id, ...facts, firstNodeId: firstNodeId ?? undefined },
    ...{ startedAt: Math.floor(createdAt), endedAt: endedAt === null ? undefined : Math.floor(endedAt) },
  };
}

/** The condition that a command has started an import: an uploaded table is a run of its own. */
export const IS_OF_COMMAND = sql`NOT ${runs.about} ->> 'isUploaded'`;

import { basename } from 'node:path';
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
  /** The name of the file on the machine of the user. */
  readonly name: string;
  /** The user in whose name it is imported. */
  readonly userId: number;
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
export interface StoredImport extends JournalTable {
  readonly rows: number;
  readonly firstNodeId: number | null;
  /** True for a table that was uploaded in a browser: its upload is a run, too. */
  readonly isUploaded: boolean;
  /** The name of the file on the machine of the user; missing in runs of earlier versions. */
  readonly name?: string;
  /** The bulk change that deletes what the import has created. The journal then no longer knows the table. */
  readonly deletedBy?: number;
}

/** The runs of imports. The progress is the number of loaded rows, the result the problem that stopped one. */
export const importRuns = runsOf<StoredImport, number, string>('import', 'import');

/** Returns an import from its row. */
export function toImportRun({ id, about, createdAt, endedAt }: Run<StoredImport, number, string>): ImportRun {
  const { firstNodeId, sha256, path, rows } = about;
  return {
    ...{ id, sha256, path, rows, firstNodeId: firstNodeId ?? undefined },
    ...{ startedAt: Math.floor(createdAt), endedAt: endedAt === null ? undefined : Math.floor(endedAt) },
  };
}

/** Returns the name of the table of an import. */
export function nameOfImport({ name, path }: StoredImport): string {
  return name ?? basename(path);
}

/** The condition that no one has deleted what an import has created. */
export const IS_KEPT = sql`${runs.about} ->> 'deletedBy' IS NULL`;

/** The condition that a command has started an import: an uploaded table is a run of its own. */
export const IS_OF_COMMAND = sql`NOT ${runs.about} ->> 'isUploaded'`;

import type { Row } from '@libsql/client';

/** A table as a journal knows it. */
export interface JournalTable {
  /** Of its bytes. */
  readonly sha256: string;
  /** Its real path. */
  readonly path: string;
}

/** An import of a table. Times are seconds since 1970, by the clock of the database. */
export interface ImportRun extends JournalTable {
  readonly id: number;
  readonly rows: number;
  readonly startedAt: number;
  /** Undefined as long as something is left to load. */
  readonly endedAt: number | undefined;
}

/** An import that this process is at. */
export interface HeldRun extends ImportRun {
  readonly lease: string;
}

/** What a journal says of a table before it is loaded. */
export type FoundRun =
  /** `former`: one of another table that was at the same place then. `lastId`: of the last run that there was. */
  | { readonly kind: 'new'; readonly former: ImportRun | undefined; readonly lastId: number }
  | { readonly kind: 'finished'; readonly run: ImportRun }
  /** `isChanged`: the table is another one since. */
  | { readonly kind: 'unfinished'; readonly run: ImportRun; readonly isChanged: boolean };

/** The columns that `toRun` reads, in its order. */
export const RUN_COLUMNS = 'id, sha256, path, rows, started_at, ended_at';

/** A run from its row. */
export function toRun(row: Row): ImportRun {
  return {
    id: Number(row[0]),
    sha256: String(row[1]),
    path: String(row[2]),
    rows: Number(row[3]),
    startedAt: Number(row[4]),
    endedAt: row[5] === null ? undefined : Number(row[5]),
  };
}

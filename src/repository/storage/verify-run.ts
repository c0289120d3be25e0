import type { Row } from '@libsql/client';
import { parseScope, type VerifyScope } from './verify-scope.ts';

/** What a look at a file can come to. */
export type FixityOutcome = 'intact' | 'missing' | 'damaged' | 'unreadable';

/** What a check has counted. */
export interface VerifyCounts {
  /** Files that were looked at. */
  readonly checked: number;
  readonly bytes: number;
  readonly damaged: number;
  readonly missing: number;
  readonly unreadable: number;
}

/** A check, as far as it has come. Times are seconds since 1970, by the clock of the database. */
export interface VerifyRun extends VerifyCounts {
  readonly id: number;
  readonly scope: VerifyScope;
  /** The last file that was looked at, or passed over by a sample, and the last there was at the beginning. */
  readonly position: number;
  readonly lastId: number;
  /** How many files it is about. */
  readonly total: number;
  readonly startedAt: number;
  /** Undefined as long as there is something left. */
  readonly endedAt: number | undefined;
}

/** A check that this process is at. */
export interface HeldRun extends VerifyRun {
  readonly lease: string;
}

/** How many of the files that were looked at are not as they should be. */
export function problemsOf({ damaged, missing, unreadable }: VerifyCounts): number {
  return damaged + missing + unreadable;
}

/** The columns that `toRun` reads, in its order. */
export const RUN_COLUMNS = `id, scope, position, last_id, total, checked, checked_bytes, damaged, missing, unreadable,
  started_at, ended_at`;

/** A run from its row. */
export function toRun(row: Row): VerifyRun {
  const number = (at: number) => Number(row[at]);
  return {
    id: number(0),
    scope: parseScope(String(row[1])),
    position: number(2),
    lastId: number(3),
    total: number(4),
    checked: number(5),
    bytes: number(6),
    damaged: number(7),
    missing: number(8),
    unreadable: number(9),
    startedAt: number(10),
    endedAt: row[11] === null ? undefined : number(11),
  };
}

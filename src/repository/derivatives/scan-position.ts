import type { InStatement, Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { failedGuard } from '../../database/errors.ts';

/** What a scan has counted. */
export interface ScanCounts {
  /** Media that were looked at. */
  readonly scanned: number;
  /** Derivatives that were missing or too old, and are queued by now. */
  readonly queued: number;
  /** Those whose jobs were on their way already. */
  readonly open: number;
  /** Those whose jobs have failed: they are left to whoever looks into that. */
  readonly failed: number;
}

export const NOTHING_COUNTED: ScanCounts = { scanned: 0, queued: 0, open: 0, failed: 0 };

/** How far a scan has come, and how far it goes. */
export interface ScanPosition extends ScanCounts {
  readonly position: number;
  readonly lastId: number;
}

/** What a batch has brought, to be kept in the transaction of its jobs. */
export interface ScanAdvance {
  readonly from: ScanPosition;
  readonly to: number;
  readonly found: ScanCounts;
  /** Node and action of what must not be counted again. */
  readonly counted: readonly (readonly [nodeId: number, action: string])[];
  readonly isLast: boolean;
}

/** Adds what a batch has found. */
export function addCounts(to: ScanCounts, found: ScanCounts): ScanCounts {
  return {
    scanned: to.scanned + found.scanned,
    queued: to.queued + found.queued,
    open: to.open + found.open,
    failed: to.failed + found.failed,
  };
}

/** Where scans are that may be broken off: a scan of the same scope goes on from there. */
export interface ScanPositions {
  find(scope: string): Promise<ScanPosition | undefined>;
  /** Begins anew, or with `keeps` only where none is under way. */
  begin(scope: string, keeps: boolean): Promise<void>;
  /** Writes all of a batch, or nothing and answers false: somebody else has advanced the same scan, or ended it. */
  advance(scope: string, jobs: readonly InStatement[], advance: ScanAdvance): Promise<boolean>;
}

/** The positions that a database keeps. */
export function createScanPositions(database: Database): ScanPositions {
  const forget = (scope: string): InStatement[] =>
    ['derivative_scan', 'derivative_scan_count'].map((table) => ({
      sql: `DELETE FROM ${table} WHERE scope = ?`,
      args: [scope],
    }));
  return {
    async find(scope) {
      const row = await database.first(
        'SELECT position, last_id, scanned, queued, open, failed FROM derivative_scan WHERE scope = ?',
        [scope],
      );
      return row && toPosition(row);
    },
    async begin(scope, keeps) {
      const begin = {
        sql: `INSERT INTO derivative_scan (scope, position, last_id, scanned, queued, open, failed)
          SELECT ?, 0, coalesce(max(id), 0), 0, 0, 0, 0 FROM media WHERE true ON CONFLICT (scope) DO NOTHING`,
        args: [scope],
      };
      await database.write(keeps ? [begin] : [...forget(scope), begin]);
    },
    async advance(scope, jobs, { from, to, found, counted, isLast }) {
      const { scanned, queued, open, failed } = found;
      const move: InStatement[] = [
        {
          sql: `UPDATE derivative_scan SET position = ?, scanned = scanned + ?, queued = queued + ?, open = open + ?,
            failed = failed + ? WHERE scope = ? AND position = ?`,
          args: [to, scanned, queued, open, failed, scope, from.position],
        },
        { sql: 'INSERT INTO guard (lost) SELECT 1 WHERE changes() <> 1', args: [] },
      ];
      const remember: InStatement = {
        sql: `INSERT INTO derivative_scan_count (scope, node_id, action)
          SELECT ?, value ->> 0, value ->> 1 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
        args: [scope, JSON.stringify(counted)],
      };
      try {
        await database.write([...move, ...jobs, ...(isLast ? forget(scope) : [remember])]);
        return true;
      } catch (error) {
        if (failedGuard(error) === 'guard_lost') return false;
        throw error;
      }
    },
  };
}

function toPosition(row: Row): ScanPosition {
  const [position, lastId, scanned, queued, open, failed] = Array.from({ length: 6 }, (_, at) => Number(row[at]));
  return { position, lastId, scanned, queued, open, failed } as ScanPosition;
}

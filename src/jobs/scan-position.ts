import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { media } from '../database/schema/content.ts';
import { derivativeScanCounts as scanCounts, derivativeScans as scans } from '../database/schema/derivatives.ts';
import { namesOf, requireOne } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';

/** The counts of a scan. */
export interface ScanCounts {
  /** Scanned media. */
  readonly scanned: number;
  /** Missing or outdated derivatives, which are queued now. */
  readonly queued: number;
  /** Those that had an open job already. */
  readonly open: number;
  /** Those whose jobs have failed: an administrator decides on them. */
  readonly failed: number;
}

export const NOTHING_COUNTED: ScanCounts = { scanned: 0, queued: 0, open: 0, failed: 0 };

/** The progress of a scan, and the id at which it ends. */
export interface ScanPosition extends ScanCounts {
  readonly position: number;
  readonly lastId: number;
}

/** The result of a batch, which is stored in the transaction of its jobs. */
interface ScanAdvance {
  readonly from: ScanPosition;
  readonly to: number;
  readonly counts: ScanCounts;
  /** Node and action of derivatives that must not be counted again. */
  readonly counted: readonly (readonly [nodeId: number, action: string])[];
  readonly isLast: boolean;
}

/** Adds the counts of a batch. */
export function addCounts(to: ScanCounts, counts: ScanCounts): ScanCounts {
  return {
    scanned: to.scanned + counts.scanned,
    queued: to.queued + counts.queued,
    open: to.open + counts.open,
    failed: to.failed + counts.failed,
  };
}

/** Stores the positions of scans: a scan of the same scope continues an interrupted one. */
interface ScanPositions {
  find(scope: string): Promise<ScanPosition | undefined>;
  /** Starts from the beginning; with `keeps`, continues an interrupted scan. */
  begin(scope: string, keeps: boolean): Promise<void>;
  /** Writes a batch. Writes nothing and returns false if another process has advanced or finished the same scan. */
  advance(scope: string, jobs: readonly Statement[], advance: ScanAdvance): Promise<boolean>;
}

const scanOf = prepare(({ scope }: Named<{ scope: string }>) => {
  const { position, lastId, scanned, queued, open, failed } = scans;
  return query.select({ position, lastId, scanned, queued, open, failed }).from(scans).where(eq(scans.scope, scope));
});
const beginScan = prepare(({ scope }: Named<{ scope: string }>) => {
  const { position, lastId, scanned, queued, open, failed } = scans;
  // WHERE separates the SELECT from ON CONFLICT.
  return plain(sql`INSERT INTO ${scans} (${namesOf(scans.scope, position, lastId, scanned, queued, open, failed)})
    SELECT ${scope}, 0, coalesce(max(${media.id}), 0), 0, 0, 0, 0 FROM ${media} WHERE TRUE
    ON CONFLICT (${namesOf(scans.scope)}) DO NOTHING`);
});
const forgetScan = prepare(({ scope }: Named<{ scope: string }>) => query.delete(scans).where(eq(scans.scope, scope)));
const forgetCounts = prepare(({ scope }: Named<{ scope: string }>) =>
  query.delete(scanCounts).where(eq(scanCounts.scope, scope)),
);
const moveScan = prepare(
  ({
    scope,
    from,
    to,
    scanned,
    queued,
    open,
    failed,
  }: Named<ScanCounts & { scope: string; from: number; to: number }>) =>
    query
      .update(scans)
      .set({
        position: to,
        scanned: sql`${scans.scanned} + ${scanned}`,
        queued: sql`${scans.queued} + ${queued}`,
        open: sql`${scans.open} + ${open}`,
        failed: sql`${scans.failed} + ${failed}`,
      })
      .where(and(eq(scans.scope, scope), eq(scans.position, from))),
);
const addCounted = prepare(({ scope, counted }: Named<{ scope: string; counted: string }>) =>
  plain(sql`INSERT INTO ${scanCounts} (${namesOf(scanCounts.scope, scanCounts.nodeId, scanCounts.action)})
    SELECT ${scope}, value ->> 0, value ->> 1 FROM json_each(${counted}) WHERE TRUE ON CONFLICT DO NOTHING`),
);

/** Creates the store of scan positions of a database. */
export function createScanPositions(database: Database): ScanPositions {
  const forget = (scope: string) => [forgetScan({ scope }), forgetCounts({ scope })];
  return {
    find: (scope) => database.get(scanOf({ scope })),
    async begin(scope, keeps) {
      await database.write({ forgotten: keeps ? [] : forget(scope), begun: beginScan({ scope }) });
    },
    async advance(scope, jobs, { from, to, counts, counted, isLast }) {
      try {
        await database.write({
          moved: moveScan({ scope, from: from.position, to, ...counts }),
          lost: requireOne('lost'),
          jobs,
          counted: isLast ? forget(scope) : [addCounted({ scope, counted: JSON.stringify(counted) })],
        });
        return true;
      } catch (error) {
        if (failedGuard(error) === 'guard_lost') return false;
        throw error;
      }
    },
  };
}

import { and, eq, isNull, max, notExists, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { media } from '../database/schema/content.ts';
import { derivativeScanCounts as scanCounts } from '../database/schema/derivatives.ts';
import { runs } from '../database/schema/runs.ts';
import { namesOf, requireOne } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement, statementOf } from '../database/statement.ts';
import { newLease, RELEASED, RENEWED } from '../runs/lease.ts';
import { runsOf } from '../runs/runs.ts';

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

/** What rows store about a scan. */
export interface StoredScan {
  /** A scan continues only one with the same scope. */
  readonly scope: string;
  /** Undefined for all actions. */
  readonly action?: string | undefined;
  /** True if it only counts. */
  readonly isDryRun: boolean;
}

/** The runs of scans. Processes may share one: each advances it from the position that it has read. */
export const scanRuns = runsOf<StoredScan, ScanPosition>('scan', 'scan');

/** Stores the positions of scans: a scan of the same scope continues an interrupted one. */
interface ScanPositions {
  find(): Promise<ScanPosition | undefined>;
  /** Starts from the beginning; with `keeps`, continues an interrupted scan. */
  begin(keeps: boolean): Promise<void>;
  /** Writes a batch. Writes nothing and returns false if another process has advanced or finished the same scan. */
  advance(jobs: readonly Statement[], advance: ScanAdvance): Promise<boolean>;
  /** Shows that this process no longer works on it. */
  release(): Promise<void>;
}

const forgetCounts = prepare(({ scope }: Named<{ scope: string }>) =>
  query.delete(scanCounts).where(eq(scanCounts.scope, scope)),
);
const addCounted = prepare(({ scope, counted }: Named<{ scope: string; counted: string }>) =>
  plain(sql`INSERT INTO ${scanCounts} (${namesOf(scanCounts.scope, scanCounts.nodeId, scanCounts.action)})
    SELECT ${scope}, value ->> 0, value ->> 1 FROM json_each(${counted}) WHERE TRUE ON CONFLICT DO NOTHING`),
);
const findLastId = prepare(() => query.select({ id: max(media.id) }).from(media));

/** Creates the store of the positions of a scan. `userId` is the user on whose behalf it queues jobs. */
export function createScanPositions(database: Database, about: StoredScan, userId: number): ScanPositions {
  const { scope } = about;
  // It shows which process works on the scan, and excludes no other.
  const lease = newLease();
  const isOpen = and(scanRuns.isOfKind, isNull(runs.endedAt), sql`${runs.about} ->> 'scope' = ${scope}`);
  const find = () => scanRuns.find(database, isOpen);
  return {
    find: async () => (await find())?.progress,
    async begin(keeps) {
      const lastId = (await database.get(findLastId()))?.id ?? 0;
      const others = query.select({ id: runs.id }).from(runs).where(isOpen);
      const progress = { position: 0, lastId, ...NOTHING_COUNTED };
      await database.write({
        forgotten: keeps ? [] : [statementOf(query.delete(runs).where(isOpen)), forgetCounts({ scope })],
        begun: scanRuns.add({ about, userId, progress, where: notExists(others) }),
      });
    },
    async advance(jobs, { from, to, counts, counted, isLast }) {
      const isUnchanged = and(isOpen, sql`${runs.progress} ->> 'position' = ${from.position}`);
      const progress = { ...addCounts(from, counts), position: to, lastId: from.lastId };
      const next = isLast ? { state: 'done' as const, endedAt: CLOCK, ...RELEASED } : { lease, ...RENEWED };
      const moving = query.update(runs).set({ progress: JSON.stringify(progress), ...next });
      try {
        await database.write({
          moved: statementOf(moving.where(isUnchanged)),
          lost: requireOne('lost'),
          jobs,
          counted: isLast ? [forgetCounts({ scope })] : [addCounted({ scope, counted: JSON.stringify(counted) })],
        });
        return true;
      } catch (error) {
        if (failedGuard(error) === 'guard_lost') return false;
        throw error;
      }
    },
    async release() {
      await database.write([statementOf(query.update(runs).set(RELEASED).where(eq(runs.lease, lease)))]);
    },
  };
}

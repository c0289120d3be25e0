import type { InStatement } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { NOW } from '../../database/database-time.ts';
import { failedGuard } from '../../database/errors.ts';
import { reserveIds } from '../../database/reserve-ids.ts';
import { isOrphaned, LEASE_SECONDS, newLease } from '../../repository/storage/verify-lease.ts';
import {
  type FoundRun,
  type HeldRun,
  type ImportRun,
  type JournalTable,
  RUN_COLUMNS,
  type TableToTake,
  toRun,
} from './import-run.ts';

const RENEWED = `lease_until = ${NOW} + ${LEASE_SECONDS}`;
const IS_FREE = `(lease IS NULL OR lease_until <= ${NOW} OR lease = ?)`;
const LOST: InStatement = { sql: 'INSERT INTO guard (lost) SELECT 1 WHERE changes() <> 1', args: [] };

/** Imports of tables that may be broken off: what they have made is kept in the transactions that made it. */
export interface Journal {
  /**
   * What is known of a table. One that was loaded whole is `finished`, with `again` a new one. Throws `conflict` while
   * another process loads it.
   */
  find(table: JournalTable, again: boolean): Promise<FoundRun>;
  /**
   * Begins or continues an import, with `also` in the same transaction. Reserves a node id for each row, unless the
   * table keeps the ids of the run. Throws `conflict` as `find` does.
   */
  take(found: FoundRun, table: TableToTake, also?: InStatement[]): Promise<HeldRun>;
  /** Throws `conflict` if somebody else has taken it over. */
  renew(run: HeldRun): Promise<void>;
  /** Nothing is left to load. Throws as `renew` does. */
  finish(run: HeldRun): Promise<void>;
  /** Lets go of it, so that anyone may go on with it at once; one that has made nothing is forgotten. */
  release(run: HeldRun): Promise<void>;
}

/** The journal that a database keeps. */
export function createJournal(database: Database): Journal {
  const { write } = database;

  /** The run that a condition is about, the last one if there are several, and whether another process is at it. */
  async function look(condition: string, argument: string) {
    const sql = `SELECT ${RUN_COLUMNS}, lease, lease_until > ${NOW} FROM import_run WHERE ${condition}
      ORDER BY ended_at IS NOT NULL, id DESC LIMIT 1`;
    const row = await database.first(sql, [argument]);
    if (row === undefined) return undefined;
    const isHeld = row[7] !== null && row[8] === 1 && !isOrphaned(String(row[7]));
    return { run: toRun(row), isHeld };
  }

  /** The holder of a run that is known to have ended, or what no lease is. */
  async function orphanOf({ id }: ImportRun): Promise<string> {
    const row = await database.first('SELECT lease FROM import_run WHERE id = ?', [id]);
    const lease = String(row?.[0] ?? '');
    return lease !== '' && isOrphaned(lease) ? lease : '';
  }

  return {
    async find({ sha256, path }, again) {
      database.refresh();
      const last = await database.first('SELECT max(id) FROM import_run', []);
      const lastId = Number(last?.[0] ?? 0);
      const open = await look('sha256 = ? AND ended_at IS NULL', sha256);
      if (open?.isHeld) throw underWay(open.run);
      if (open) return { kind: 'unfinished', run: open.run, isChanged: false };
      const ended = again ? undefined : await look('sha256 = ?', sha256);
      if (ended) return { kind: 'finished', run: ended.run };
      const former = await look('path = ?', path);
      if (former === undefined || former.run.sha256 === sha256) return { kind: 'new', former: undefined, lastId };
      if (former.run.endedAt !== undefined) return { kind: 'new', former: former.run, lastId };
      if (former.isHeld) throw underWay(former.run);
      return { kind: 'unfinished', run: former.run, isChanged: true };
    },
    async take(found, { sha256, path, rows, lastRow, keepsIds }, also = []) {
      const reserving = keepsIds ? [] : reserveIds('node', lastRow);
      const firstReserved = `(SELECT seq FROM sqlite_sequence WHERE name = 'node') - ${lastRow - 1}`;
      const lease = newLease();
      const orphan = found.kind === 'unfinished' ? await orphanOf(found.run) : '';
      const statement: InStatement =
        found.kind === 'unfinished'
          ? {
              sql: `UPDATE import_run SET sha256 = ?, path = ?, rows = ?, lease = ?, ${RENEWED},
                  first_node_id = ${keepsIds ? 'first_node_id' : firstReserved}
                WHERE id = ? AND sha256 = ? AND ended_at IS NULL AND ${IS_FREE} RETURNING ${RUN_COLUMNS}`,
              args: [sha256, path, rows, lease, found.run.id, found.run.sha256, orphan],
            }
          : {
              sql: `INSERT INTO import_run (sha256, path, rows, started_at, lease, lease_until, first_node_id)
                SELECT ?1, ?2, ?3, unixepoch(), ?4, ${NOW} + ${LEASE_SECONDS}, ${firstReserved}
                WHERE NOT EXISTS (
                  SELECT 1 FROM import_run WHERE (ended_at IS NULL OR id > ?5) AND (sha256 = ?1 OR path = ?2))
                RETURNING ${RUN_COLUMNS}`,
              // What another process has loaded whole while this one looked at the table is not loaded once more.
              args: [sha256, path, rows, lease, found.kind === 'new' ? found.lastId : 0],
            };
      try {
        const results = await write([...reserving, statement, LOST, ...also]);
        const row = results[reserving.length]?.rows[0];
        if (row === undefined) throw underWay(undefined);
        const run = toRun(row);
        return { ...run, lease, firstNodeId: Number(run.firstNodeId) };
      } catch (error) {
        throw failedGuard(error) === 'guard_lost' ? underWay(undefined) : error;
      }
    },
    renew: ({ id, lease }) =>
      orTakenOver(() =>
        write([{ sql: `UPDATE import_run SET ${RENEWED} WHERE id = ? AND lease = ?`, args: [id, lease] }, LOST]),
      ),
    finish: ({ id, lease }) =>
      orTakenOver(() =>
        write([
          {
            sql: `UPDATE import_run SET ended_at = unixepoch(), lease = NULL, lease_until = NULL
              WHERE id = ? AND lease = ?`,
            args: [id, lease],
          },
          LOST,
        ]),
      ),
    async release({ id, lease }) {
      await write([
        {
          sql: `DELETE FROM import_run WHERE id = ?1 AND lease = ?2 AND ended_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM import_item WHERE run_id = ?1)`,
          args: [id, lease],
        },
        { sql: 'UPDATE import_run SET lease = NULL, lease_until = NULL WHERE id = ? AND lease = ?', args: [id, lease] },
      ]);
    },
  };
}

async function orTakenOver(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw failedGuard(error) === 'guard_lost' ? takenOver(error) : error;
  }
}

/** Somebody else has gone on with an import that this process was at. */
export function takenOver(cause: unknown): ServiceError {
  return new ServiceError('conflict', 'Another process has taken over this import.', { cause });
}

function underWay(run: ImportRun | undefined): ServiceError {
  const message =
    run === undefined
      ? 'This table is being imported by another process at this moment, or has just been.'
      : `This table is being imported by another process at this moment, since ${timeText(run.startedAt)}.`;
  return new ServiceError('conflict', message);
}

/** A time for people: `2026-11-22 04:30 UTC`. */
export function timeText(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

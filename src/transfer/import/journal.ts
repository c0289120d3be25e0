import type { InStatement } from '@libsql/client';
import { and, desc, eq, getTableName, gt, isNull, max, notExists, or, type SQL, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { momentInWords } from '../../base/in-words.ts';
import type { Database } from '../../database/database.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { reserveIds } from '../../database/reserve-ids.ts';
import { nodes } from '../../database/schema/content.ts';
import { importItems, importRuns } from '../../database/schema/loading.ts';
import { literal, namesOf, requireOne } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import {
  changeHeld,
  isFree,
  isLeased,
  isUnderWay,
  newLease,
  orphansAmong,
  RELEASED,
  RENEWED,
} from '../../runs/lease.ts';
import {
  type HeldRun,
  type ImportRun,
  type JournalState,
  type JournalTable,
  RUN_COLUMNS,
  type TableToTake,
  toRun,
} from './import-run.ts';

const { id, sha256, path, rows, startedAt, endedAt, lease, leaseUntil, firstNodeId } = importRuns;
const TAKEN_OVER = 'Another process has taken over this import.';

const findLastId = prepare(() => query.select({ id: max(id) }).from(importRuns));
const findLease = prepare((values: Named<{ id: number }>) =>
  query.select({ lease }).from(importRuns).where(eq(id, values.id)),
);

/** Prepares the look-up of the last run with a condition, an unfinished one first, and of its lease. */
const findLastRun = (condition: (value: Named<{ value: string }>['value']) => SQL | undefined) =>
  prepare(({ value }: Named<{ value: string }>) =>
    query
      .select({ ...RUN_COLUMNS, lease, isLeased: isLeased(importRuns) })
      .from(importRuns)
      .where(condition(value))
      .orderBy(sql`${endedAt} IS NOT NULL`, desc(id))
      .limit(1),
  );
const findOpen = findLastRun((value) => and(eq(sha256, value), isNull(endedAt)));
const findSame = findLastRun((value) => eq(sha256, value));
const findAtPath = findLastRun((value) => eq(path, value));

type TakenRun = Record<'sha256' | 'path' | 'lease', string> & { readonly rows: number; readonly afterFirst: number };

/** The reserved id of the first row, which `afterFirst` ids follow. */
const firstReserved = ({ afterFirst }: Named<TakenRun>) =>
  sql<number>`(SELECT seq FROM sqlite_sequence WHERE name = ${literal(getTableName(nodes))}) - ${afterFirst}`;

/** Takes over an unfinished run, unless another process holds it. */
const continueRun = prepare(
  (run: Named<TakenRun & { id: number; formerSha256: string; orphaned: string; keepsIds: boolean }>) =>
    query
      .update(importRuns)
      .set({
        ...{ sha256: run.sha256, path: run.path, rows: run.rows, lease: run.lease, ...RENEWED },
        firstNodeId: sql`CASE WHEN ${run.keepsIds} THEN ${firstNodeId} ELSE ${firstReserved(run)} END`,
      })
      .where(and(...[eq(id, run.id), eq(sha256, run.formerSha256), isNull(endedAt)], isFree(importRuns, run.orphaned)))
      .returning(RUN_COLUMNS),
);

/** Begins a run, unless another process has begun or finished one of the same table since the run `lastId`. */
const beginRun = prepare((run: Named<TakenRun & { lastId: number }>) => {
  const isSame = or(eq(sha256, run.sha256), eq(path, run.path));
  const other = query
    .select({ id })
    .from(importRuns)
    .where(and(or(isNull(endedAt), gt(id, run.lastId)), isSame));
  return plain(
    sql`INSERT INTO ${importRuns} (${namesOf(sha256, path, rows, startedAt, lease, leaseUntil, firstNodeId)})
      SELECT ${run.sha256}, ${run.path}, ${run.rows}, unixepoch(), ${run.lease}, ${RENEWED.leaseUntil}, ${firstReserved(run)}
      WHERE NOT EXISTS ${other} RETURNING ${namesOf(...Object.values(RUN_COLUMNS))}`,
    RUN_COLUMNS,
  );
});

type Held = { readonly id: number; readonly lease: string };
const isHeldBy = (run: Named<Held>) => and(eq(id, run.id), eq(lease, run.lease));

const renewRun = prepare((run: Named<Held>) => query.update(importRuns).set(RENEWED).where(isHeldBy(run)));
const finishRun = prepare((run: Named<Held>) =>
  query
    .update(importRuns)
    .set({ endedAt: sql`unixepoch()`, ...RELEASED })
    .where(isHeldBy(run)),
);
const releaseRun = prepare((run: Named<Held>) => query.update(importRuns).set(RELEASED).where(isHeldBy(run)));
const removeEmptyRun = prepare((run: Named<Held>) => {
  const items = query.select({ id: importItems.runId }).from(importItems).where(eq(importItems.runId, run.id));
  return query.delete(importRuns).where(and(isHeldBy(run), isNull(endedAt), notExists(items)));
});

/** The journal of imports. The transactions that create content record it, so that interrupted imports can continue. */
export interface Journal {
  /**
   * Returns the state of a table. A completely loaded table is `finished`, or new if `again` is true. Throws `conflict`
   * while another process loads it.
   */
  find(table: JournalTable, again: boolean): Promise<JournalState>;
  /**
   * Begins or continues an import, with `also` in the same transaction. Reserves a node id for each row, unless the
   * table keeps the ids of the run. Throws `conflict` as `find` does.
   */
  take(state: JournalState, table: TableToTake, also?: InStatement[]): Promise<HeldRun>;
  /** Renews the lease. Throws `conflict` if another process has taken over the run. */
  renew(run: HeldRun): Promise<void>;
  /** Ends a complete import. Throws as `renew` does. */
  finish(run: HeldRun): Promise<void>;
  /** Releases the lease, so that another process may continue. Removes a run that has created nothing. */
  release(run: HeldRun): Promise<void>;
}

/** Creates the journal of a database. */
export function createJournal(database: Database): Journal {
  const { write } = database;

  /** Returns the last run that a query finds, and whether another process holds it. */
  async function look(find: typeof findOpen, value: string) {
    const row = await database.get(find({ value }));
    if (row === undefined) return undefined;
    const { lease: _, isLeased: __, ...run } = row;
    return { run: toRun(run), isHeld: isUnderWay(row) };
  }

  return {
    async find(table, again) {
      database.refresh();
      const lastId = (await database.get(findLastId()))?.id ?? 0;
      const open = await look(findOpen, table.sha256);
      if (open?.isHeld) throw underWay(open.run);
      if (open) return { kind: 'unfinished', run: open.run, isChanged: false };
      const ended = again ? undefined : await look(findSame, table.sha256);
      if (ended) return { kind: 'finished', run: ended.run };
      const former = await look(findAtPath, table.path);
      if (former === undefined || former.run.sha256 === table.sha256) return { kind: 'new', former: undefined, lastId };
      if (former.run.endedAt !== undefined) return { kind: 'new', former: former.run, lastId };
      if (former.isHeld) throw underWay(former.run);
      return { kind: 'unfinished', run: former.run, isChanged: true };
    },
    async take(state, { lastRow, keepsIds, ...table }, also = []) {
      const holder = newLease();
      const taken = { ...table, lease: holder, afterFirst: lastRow - 1 };
      let statement = beginRun({ ...taken, lastId: state.kind === 'new' ? state.lastId : 0 });
      if (state.kind === 'unfinished') {
        const { id: runId, sha256: formerSha256 } = state.run;
        const orphaned = orphansAmong(await database.all(findLease({ id: runId })));
        statement = continueRun({ ...taken, id: runId, formerSha256, orphaned, keepsIds });
      }
      try {
        const { run } = await write({
          reserved: keepsIds ? [] : Object.values(reserveIds('node', lastRow)),
          run: statement,
          lost: requireOne('lost'),
          also,
        });
        const [row] = run;
        if (row === undefined) throw underWay(undefined);
        return { ...toRun(row), lease: holder, firstNodeId: Number(row.firstNodeId) };
      } catch (error) {
        throw failedGuard(error) === 'guard_lost' ? underWay(undefined) : error;
      }
    },
    renew: (run) => changeHeld(database, TAKEN_OVER, renewRun(heldOf(run))),
    finish: (run) => changeHeld(database, TAKEN_OVER, finishRun(heldOf(run))),
    async release(run) {
      await write([removeEmptyRun(heldOf(run)), releaseRun(heldOf(run))]);
    },
  };
}

const heldOf = ({ id: runId, lease: holder }: HeldRun): Held => ({ id: runId, lease: holder });

/** Returns the error for an import that another process has taken over. */
export function takenOver(cause: unknown): ServiceError {
  return new ServiceError('conflict', TAKEN_OVER, { cause });
}

function underWay(run: ImportRun | undefined): ServiceError {
  const message =
    run === undefined
      ? 'Another process is importing this table, or has just finished.'
      : `Another process has been importing this table since ${momentInWords(run.startedAt)}.`;
  return new ServiceError('conflict', message);
}

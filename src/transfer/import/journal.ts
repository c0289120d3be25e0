import type { InStatement } from '@libsql/client';
import { and, desc, eq, getTableName, gt, isNull, max, notExists, or, type SQL, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { momentInWords } from '../../base/in-words.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { reserveIds } from '../../database/reserve-ids.ts';
import { nodes } from '../../database/schema/content.ts';
import { importItems } from '../../database/schema/loading.ts';
import { runs } from '../../database/schema/runs.ts';
import { literal, requireOne } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import {
  type HeldRun,
  type ImportRun,
  IS_KEPT,
  importRuns,
  type JournalState,
  type JournalTable,
  type TableToTake,
  toImportRun,
} from './import-run.ts';

const about = (name: keyof JournalTable) => sql<string>`${runs.about} ->> ${literal(name)}`;
const findLastId = prepare(() => query.select({ id: max(runs.id) }).from(runs));

/** Returns what a row stores about a table, whose first row has the id that `afterFirst` reserved ids follow. */
function aboutOf({ sha256, path, rows, isUploaded, name, keepsIds, lastRow }: TableToTake): SQL {
  const reserved = sql`(SELECT seq FROM sqlite_sequence WHERE name = ${literal(getTableName(nodes))}) - ${lastRow - 1}`;
  const firstNodeId = keepsIds ? sql`${runs.about} -> 'firstNodeId'` : reserved;
  return sql`json_object('sha256', ${sha256}, 'path', ${path}, 'rows', ${rows}, 'firstNodeId', ${firstNodeId},
    'isUploaded', json(${JSON.stringify(isUploaded)}), 'name', ${name})`;
}

const removeEmptyRun = prepare(({ id, lease }: Named<{ id: number; lease: string }>) => {
  const items = query.select({ id: importItems.runId }).from(importItems).where(eq(importItems.runId, id));
  return query.delete(runs).where(and(eq(runs.id, id), eq(runs.lease, lease), isNull(runs.endedAt), notExists(items)));
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
  /** Ends a complete import. Throws `conflict` if another process has taken it over. */
  finish(run: HeldRun): Promise<void>;
  /**
   * Releases the lease, so that another process may continue, and stores the number of loaded rows and the problem that
   * stopped the import. Removes a run that has created nothing.
   */
  release(run: HeldRun, rows?: number, problem?: string): Promise<void>;
}

/** Creates the journal of a database. */
export function createJournal(database: Database): Journal {
  /** Returns the last run with a condition, an unfinished one first. */
  async function look(condition: SQL | undefined) {
    const run = await importRuns.find(
      database,
      and(condition, IS_KEPT),
      sql`${runs.endedAt} IS NOT NULL, ${desc(runs.id)}`,
    );
    return run && { run: toImportRun(run), isHeld: run.isUnderWay };
  }

  return {
    async find({ sha256, path }, again) {
      database.refresh();
      const lastId = (await database.get(findLastId()))?.id ?? 0;
      const same = await look(eq(about('sha256'), sha256));
      const isOpen = same !== undefined && same.run.endedAt === undefined;
      if (isOpen && same.isHeld) throw underWay(same.run);
      if (isOpen) return { kind: 'unfinished', run: same.run, isChanged: false };
      if (same && !again) return { kind: 'finished', run: same.run };
      const former = await look(eq(about('path'), path));
      if (former === undefined || former.run.sha256 === sha256) return { kind: 'new', former: undefined, lastId };
      if (former.run.endedAt !== undefined) return { kind: 'new', former: former.run, lastId };
      if (former.isHeld) throw underWay(former.run);
      return { kind: 'unfinished', run: former.run, isChanged: true };
    },
    async take(state, table, also = []) {
      const reserved = table.keepsIds ? [] : Object.values(reserveIds('node', table.lastRow));
      const run =
        state.kind === 'unfinished'
          ? await importRuns.take(database, {
              where: and(eq(runs.id, state.run.id), eq(about('sha256'), state.run.sha256), isNull(runs.endedAt)),
              set: { about: aboutOf(table), result: null },
              ...{ before: () => reserved, also },
            })
          : await begin(database, state.kind === 'new' ? state.lastId : 0, table, reserved);
      if (run === undefined) throw underWay(undefined);
      return { ...toImportRun(run), lease: run.lease, firstNodeId: Number(run.about.firstNodeId) };
    },
    finish: (run) => importRuns.settle(database, run, { state: 'done', progress: run.rows }),
    async release({ id, lease }, rows = 0, problem) {
      const held = { id, lease };
      await database.write([
        removeEmptyRun(held),
        importRuns.release(held, { progress: rows, result: problem ?? null }),
      ]);
    },
  };
}

/** Begins a run, unless another process has begun or finished one of the same table since the run `lastId`. */
function begin(database: Database, lastId: number, table: TableToTake, reserved: readonly InStatement[]) {
  const isSame = and(or(eq(about('sha256'), table.sha256), eq(about('path'), table.path)), IS_KEPT);
  const isOther = and(importRuns.isOfKind, or(isNull(runs.endedAt), gt(runs.id, lastId)), isSame);
  const others = query.select({ id: runs.id }).from(runs).where(isOther);
  const none = { rows: table.rows, firstNodeId: null, isUploaded: table.isUploaded };
  return importRuns.take(database, {
    where: and(gt(runs.id, lastId), isSame, isNull(runs.endedAt)),
    set: { about: aboutOf(table) },
    before: () => [
      ...reserved,
      importRuns.add({
        about: { sha256: table.sha256, path: table.path, name: table.name, ...none },
        userId: table.userId,
        where: notExists(others),
      }),
      requireOne('lost'),
    ],
  });
}

function underWay(run: ImportRun | undefined): ServiceError {
  const message =
    run === undefined
      ? 'Another process is importing this table, or has just finished.'
      : `Another process has been importing this table since ${momentInWords(run.startedAt)}.`;
  return new ServiceError('conflict', message);
}

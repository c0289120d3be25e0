import { and, count, desc, eq, gt, isNull, lte, notExists, type SQL, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { fixityChecks, fixityRuns } from '../../database/schema/fixity.ts';
import { excluded, namesOf, requireOne } from '../../database/sql.ts';
import { plain, type Statement, statementOf } from '../../database/statement.ts';
import { changeHeld, isFree, newLease, orphansAmong, RELEASED, RENEWED } from '../../runs/lease.ts';
import type { CheckedFile } from './verify-file.ts';
import {
  type FixityOutcome,
  type HeldRun,
  isInScope,
  runColumns,
  sampleSize,
  scopeText,
  toRun,
  type VerifyRun,
  type VerifyScope,
} from './verify-run.ts';

/** The result of a batch. */
interface VerifyAdvance {
  readonly to: number;
  readonly results: readonly CheckedFile[];
  readonly isLast: boolean;
}

const { id, scope: scopeColumn, position, endedAt, lease: leaseColumn } = fixityRuns;
const TAKEN_OVER = 'Another process has taken over or restarted this check.';

const isOpen = (scope: string) => and(eq(scopeColumn, scope), isNull(endedAt));
const isHeld = (run: HeldRun) => and(eq(id, run.id), eq(leaseColumn, run.lease));

/** Returns the functions for checks that may be interrupted: a database stores their progress with their results. */
export function createVerifyRuns(database: Database) {
  const { write } = database;

  /** Returns the statement that starts a check unless there is an open one. */
  async function begin(scope: VerifyScope): Promise<Statement> {
    const last = sql<number>`coalesce(max(${files.id}), 0)`;
    const row = await database.get(
      statementOf(query.select({ last, files: count() }).from(files).where(isInScope(scope))),
    );
    const text = scopeText(scope);
    const total = sampleSize(scope.sample, row?.files ?? 0);
    const { lastId, checked, checkedBytes, damaged, missing, unreadable, startedAt, total: totalColumn } = fixityRuns;
    const counts = namesOf(checked, checkedBytes, damaged, missing, unreadable);
    const others = query.select({ id }).from(fixityRuns).where(isOpen(text));
    return statementOf(
      plain(sql`INSERT INTO ${fixityRuns} (${namesOf(scopeColumn, position, lastId, totalColumn, startedAt)}, ${counts})
        SELECT ${text}, 0, ${row?.last ?? 0}, ${total}, unixepoch(), 0, 0, 0, 0, 0 WHERE ${notExists(others)}`),
    );
  }

  return {
    /** Returns the latest check of a scope. */
    async findLatest(scope: VerifyScope): Promise<VerifyRun | undefined> {
      const isMeant = eq(scopeColumn, scopeText(scope));
      const runs = query.select(runColumns).from(fixityRuns).where(isMeant).orderBy(desc(id)).limit(1);
      const row = await database.get(statementOf(runs));
      return row && toRun(row);
    },
    /**
     * Continues the interrupted check of a scope, or starts one; with `restarts` always a new one. Throws `conflict` while
     * another process holds it.
     */
    async take(scope: VerifyScope, restarts: boolean): Promise<HeldRun> {
      database.refresh();
      const text = scopeText(scope);
      const lease = newLease();
      const open = await database.all(
        statementOf(query.select({ lease: leaseColumn }).from(fixityRuns).where(isOpen(text))),
      );
      const isTakeable = and(isOpen(text), isFree(fixityRuns, orphansAmong(open)));
      const taking = query.update(fixityRuns).set({ lease, ...RENEWED });
      try {
        const { taken } = await write({
          forget: restarts ? [statementOf(query.delete(fixityRuns).where(isTakeable))] : [],
          // Counting files takes time: it is skipped for a check that only continues.
          begin: restarts || open.length === 0 ? [await begin(scope)] : [],
          taken: statementOf(taking.where(isTakeable).returning(runColumns)),
          guard: requireOne('lost'),
        });
        const [row] = taken;
        if (row === undefined) throw underWay();
        return { ...toRun(row), lease };
      } catch (error) {
        throw failedGuard(error) === 'guard_lost' ? underWay() : error;
      }
    },
    /** Throws `conflict` if another process has taken it over. */
    renew: (run: HeldRun): Promise<void> =>
      changeHeld(database, TAKEN_OVER, statementOf(query.update(fixityRuns).set(RENEWED).where(isHeld(run)))),
    /** Stores the results of a batch, or none and throws as `renew` does. */
    async advance(run: HeldRun, { to, results, isLast }: VerifyAdvance): Promise<HeldRun> {
      const { bytes, ...counts } = counted(run, results);
      const progress = { position: to, checkedBytes: bytes, ...counts };
      const change = isLast ? { endedAt: sql`unixepoch()`, ...RELEASED } : RENEWED;
      const isUnchanged = and(isHeld(run), eq(position, run.position));
      const advancing = query.update(fixityRuns).set({ ...progress, ...change });
      await changeHeld(database, TAKEN_OVER, statementOf(advancing.where(isUnchanged)), [
        forgetRemoved(run.position, isLast ? Number.MAX_SAFE_INTEGER : to),
        keepResults(run, results),
      ]);
      const next = { ...run, ...counts, bytes, position: to };
      return isLast ? { ...next, endedAt: Math.floor(Date.now() / 1_000) } : next;
    },
    /** Releases a check, so that any process may continue it at once. */
    async release(run: HeldRun): Promise<void> {
      await write([statementOf(query.update(fixityRuns).set(RELEASED).where(isHeld(run)))]);
    },
  };
}

/** Deletes results of files that were removed. */
function forgetRemoved(after: number, to: number): Statement {
  const { fileId } = fixityChecks;
  const file = query.select({ id: files.id }).from(files).where(eq(files.id, fileId));
  return statementOf(query.delete(fixityChecks).where(and(gt(fileId, after), lte(fileId, to), notExists(file))));
}

/** Stores the results of files whose bytes have not been replaced since. */
function keepResults(run: HeldRun, results: readonly CheckedFile[]): Statement {
  const rows = results.map(({ file, outcome, detail }) => [file.id, file.storageKey, outcome, detail]);
  const { fileId, runId, storageKey, at, outcome, detail } = fixityChecks;
  const changed = [runId, storageKey, at, outcome, detail];
  const changes = changed.map((column): SQL => sql`${namesOf(column)} = ${excluded(column)}`);
  return statementOf(
    plain(sql`INSERT INTO ${fixityChecks} (${namesOf(fileId, ...changed)})
      SELECT ${files.id}, ${run.id}, ${files.storageKey}, unixepoch(), value ->> 2, value ->> 3
      FROM json_each(${JSON.stringify(rows)})
      JOIN ${files} ON ${files.id} = value ->> 0 AND ${files.storageKey} = value ->> 1 WHERE true
      ON CONFLICT (${namesOf(fileId)}) DO UPDATE SET ${sql.join(changes, sql`, `)}`),
  );
}

function counted(run: VerifyRun, results: readonly CheckedFile[]) {
  const count = (outcome: FixityOutcome) => results.filter((result) => result.outcome === outcome).length;
  // Missing and unreadable files have no bytes that were compared.
  const compared = results.filter(({ outcome }) => outcome === 'intact' || outcome === 'damaged');
  return {
    checked: run.checked + results.length,
    bytes: compared.reduce((sum, { file }) => sum + file.filesize, run.bytes),
    damaged: run.damaged + count('damaged'),
    missing: run.missing + count('missing'),
    unreadable: run.unreadable + count('unreadable'),
  };
}

function underWay(): ServiceError {
  return new ServiceError('conflict', 'Such a check is under way already: see how far it is with --show.');
}

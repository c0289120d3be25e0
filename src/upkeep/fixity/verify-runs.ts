import { and, count, eq, gt, lte, notExists, type SQL, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { fixityChecks } from '../../database/schema/fixity.ts';
import { runs } from '../../database/schema/runs.ts';
import { excluded, namesOf } from '../../database/sql.ts';
import { plain, type Statement, statementOf } from '../../database/statement.ts';
import type { CheckedFile } from './verify-file.ts';
import {
  type FixityOutcome,
  type HeldRun,
  IS_INCOMPLETE,
  isInScope,
  isOfScope,
  sampleSize,
  storedScope,
  toVerifyRun,
  type VerifyRun,
  type VerifyScope,
  verifyRuns,
} from './verify-run.ts';

/** The result of a batch. */
interface VerifyAdvance {
  readonly to: number;
  readonly results: readonly CheckedFile[];
  readonly isLast: boolean;
}

const isIncomplete = (scope: VerifyScope) => and(IS_INCOMPLETE, isOfScope(scope));

/** Returns the functions for checks that may be interrupted: a database stores their progress with their results. */
export function createVerifyRuns(database: Database) {
  /** Returns the statement that starts a check unless there is an incomplete one of the same scope. */
  async function begin(scope: VerifyScope): Promise<Statement> {
    const last = sql<number>`coalesce(max(${files.id}), 0)`;
    const row = await database.get(
      statementOf(query.select({ last, files: count() }).from(files).where(isInScope(scope))),
    );
    const total = sampleSize(scope.sample, row?.files ?? 0);
    const counts = { checked: 0, bytes: 0, damaged: 0, missing: 0, unreadable: 0 };
    const progress = { position: 0, lastId: row?.last ?? 0, total, ...counts };
    const others = query.select({ id: runs.id }).from(runs).where(isIncomplete(scope));
    return verifyRuns.add({ about: storedScope(scope), progress, where: notExists(others) });
  }

  return {
    /** Returns the latest check of a scope. */
    async findLatest(scope: VerifyScope): Promise<VerifyRun | undefined> {
      const run = await verifyRuns.find(database, isOfScope(scope));
      return run && toVerifyRun(run);
    },
    /**
     * Continues the interrupted check of a scope, or starts one; with `restarts` always a new one. Throws `conflict` while
     * another process holds it.
     */
    async take(scope: VerifyScope, restarts: boolean): Promise<HeldRun> {
      database.refresh();
      const where = isIncomplete(scope);
      const open = await verifyRuns.find(database, where);
      // Counting files takes time: it is skipped for a check that only continues.
      const added = restarts || open === undefined ? await begin(scope) : undefined;
      const run = await verifyRuns.take(database, {
        ...{ where, set: { state: 'running' } },
        before: (isFree) => [
          ...(restarts ? [statementOf(query.delete(runs).where(and(where, isFree)))] : []),
          ...(added === undefined ? [] : [added]),
        ],
      });
      if (run === undefined) throw underWay();
      return { ...toVerifyRun(run), lease: run.lease };
    },
    /** Stores the results of a batch. Throws `TakenOver`, and stores nothing, if another process has taken the check. */
    async advance(run: HeldRun, { to, results, isLast }: VerifyAdvance): Promise<HeldRun> {
      const { lastId, total } = run;
      const progress = { position: to, lastId, total, ...counted(run, results) };
      const also = [forgetRemoved(run.position, isLast ? Number.MAX_SAFE_INTEGER : to), keepResults(run, results)];
      if (isLast) await verifyRuns.settle(database, run, { state: 'done', progress }, also);
      else await verifyRuns.change(database, run, { progress }, also);
      const next = { ...run, ...progress };
      return isLast ? { ...next, endedAt: Math.floor(Date.now() / 1_000) } : next;
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

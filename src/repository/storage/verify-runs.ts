import type { InStatement } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { NOW } from '../../database/database-time.ts';
import { failedGuard } from '../../database/errors.ts';
import type { CheckedFile } from './verify-file.ts';
import { isOrphaned, LEASE_SECONDS, newLease } from './verify-lease.ts';
import { type FixityOutcome, type HeldRun, RUN_COLUMNS, toRun, type VerifyRun } from './verify-run.ts';
import { sampleSize, scopeCondition, scopeText, type VerifyScope } from './verify-scope.ts';

const RENEWED = `lease_until = ${NOW} + ${LEASE_SECONDS}`;
const IS_FREE = `(lease IS NULL OR lease_until <= ${NOW} OR lease = ?)`;
const LOST: InStatement = { sql: 'INSERT INTO guard (lost) SELECT 1 WHERE changes() <> 1', args: [] };

/** What a batch has brought. */
export interface VerifyAdvance {
  readonly to: number;
  readonly results: readonly CheckedFile[];
  readonly isLast: boolean;
}

/** Checks that may be broken off: how far they have come is kept with what they have found. */
export interface VerifyRuns {
  /** The one of this scope that is under way, or was broken off. */
  findOpen(scope: VerifyScope): Promise<VerifyRun | undefined>;
  /** The one of this scope that was begun last. */
  findLatest(scope: VerifyScope): Promise<VerifyRun | undefined>;
  /**
   * Goes on with the one that was broken off, or begins one; with `restarts` anew in any case. Throws `conflict` while
   * another process is at it.
   */
  take(scope: VerifyScope, restarts: boolean): Promise<HeldRun>;
  /** Throws `conflict` if somebody else has taken it over. */
  renew(run: HeldRun): Promise<void>;
  /** Keeps all of a batch, or nothing and throws as `renew` does. */
  advance(run: HeldRun, advance: VerifyAdvance): Promise<HeldRun>;
  /** Lets go of it, so that anyone may go on with it at once. */
  release(run: HeldRun): Promise<void>;
}

/** The checks that a database keeps. */
export function createVerifyRuns(database: Database): VerifyRuns {
  const { write } = database;

  async function findOne(condition: string, scope: VerifyScope): Promise<VerifyRun | undefined> {
    const sql = `SELECT ${RUN_COLUMNS} FROM fixity_run WHERE scope = ? ${condition} ORDER BY id DESC LIMIT 1`;
    const row = await database.first(sql, [scopeText(scope)]);
    return row && toRun(row);
  }

  /** Statements that begin a check where there is none to go on with. */
  async function begin(scope: VerifyScope): Promise<InStatement> {
    const { sql, args } = scopeCondition(scope);
    const found = await database.first(`SELECT coalesce(max(id), 0), count(*) FROM file WHERE true ${sql}`, args);
    const total = sampleSize(scope.sample, Number(found?.[1]));
    const text = scopeText(scope);
    return {
      sql: `INSERT INTO fixity_run (scope, position, last_id, total, checked, checked_bytes, damaged, missing,
          unreadable, started_at)
        SELECT ?, 0, ?, ?, 0, 0, 0, 0, 0, unixepoch()
          WHERE NOT EXISTS (SELECT 1 FROM fixity_run WHERE scope = ? AND ended_at IS NULL)`,
      args: [text, Number(found?.[0]), total, text],
    };
  }

  return {
    findOpen: (scope) => findOne('AND ended_at IS NULL', scope),
    findLatest: (scope) => findOne('', scope),
    async take(scope, restarts) {
      database.refresh();
      const text = scopeText(scope);
      const lease = newLease();
      const open = await database.first('SELECT lease FROM fixity_run WHERE scope = ? AND ended_at IS NULL', [text]);
      const former = open?.[0] ?? null;
      // Of a process that is known to have ended.
      const orphaned = former !== null && isOrphaned(String(former)) ? String(former) : '';
      const forget = {
        sql: `DELETE FROM fixity_run WHERE scope = ? AND ended_at IS NULL AND ${IS_FREE}`,
        args: [text, orphaned],
      };
      try {
        const results = await write([
          ...(restarts ? [forget] : []),
          // To count files takes a while: not where it is only to go on.
          ...(restarts || open === undefined ? [await begin(scope)] : []),
          {
            sql: `UPDATE fixity_run SET lease = ?, ${RENEWED} WHERE scope = ? AND ended_at IS NULL AND ${IS_FREE}
              RETURNING ${RUN_COLUMNS}`,
            args: [lease, text, orphaned],
          },
          LOST,
        ]);
        const row = results.at(-2)?.rows[0];
        if (row === undefined) throw underWay();
        return { ...toRun(row), lease };
      } catch (error) {
        throw failedGuard(error) === 'guard_lost' ? underWay() : error;
      }
    },
    renew: ({ id, lease }) =>
      orTakenOver(() =>
        write([{ sql: `UPDATE fixity_run SET ${RENEWED} WHERE id = ? AND lease = ?`, args: [id, lease] }, LOST]),
      ),
    async advance(run, { to, results, isLast }) {
      const next = { ...run, ...counted(run, results), position: to };
      await orTakenOver(() =>
        write([
          {
            sql: `UPDATE fixity_run SET position = ?, checked = ?, checked_bytes = ?, damaged = ?, missing = ?,
              unreadable = ?, ${isLast ? 'ended_at = unixepoch(), lease = NULL, lease_until = NULL' : RENEWED}
              WHERE id = ? AND lease = ? AND position = ?`,
            args: [
              ...[to, next.checked, next.bytes, next.damaged, next.missing, next.unreadable],
              ...[run.id, run.lease, run.position],
            ],
          },
          LOST,
          ...keepResults(run, isLast ? Number.MAX_SAFE_INTEGER : to, results),
        ]),
      );
      return isLast ? { ...next, endedAt: Math.floor(Date.now() / 1_000) } : next;
    },
    async release({ id, lease }) {
      await write([
        { sql: 'UPDATE fixity_run SET lease = NULL, lease_until = NULL WHERE id = ? AND lease = ?', args: [id, lease] },
      ]);
    },
  };
}

/** Results of files that are still there with the same bytes; those of files that are gone are forgotten. */
function keepResults(run: HeldRun, to: number, results: readonly CheckedFile[]): InStatement[] {
  const rows = results.map(({ file, outcome, detail }) => [file.id, file.storageKey, outcome, detail]);
  return [
    {
      sql: `DELETE FROM fixity_check WHERE file_id > ? AND file_id <= ?
        AND NOT EXISTS (SELECT 1 FROM file WHERE file.id = file_id)`,
      args: [run.position, to],
    },
    {
      sql: `INSERT INTO fixity_check (file_id, run_id, storage_key, at, outcome, detail)
        SELECT file.id, ?, file.storage_key, unixepoch(), value ->> 2, value ->> 3
          FROM json_each(?) JOIN file ON file.id = value ->> 0 AND file.storage_key = value ->> 1 WHERE true
        ON CONFLICT (file_id) DO UPDATE SET run_id = excluded.run_id, storage_key = excluded.storage_key,
          at = excluded.at, outcome = excluded.outcome, detail = excluded.detail`,
      args: [run.id, JSON.stringify(rows)],
    },
  ];
}

function counted(run: VerifyRun, results: readonly CheckedFile[]) {
  const count = (outcome: FixityOutcome) => results.filter((result) => result.outcome === outcome).length;
  // What is missing or cannot be read was not read: only bytes that were compared count.
  const compared = results.filter(({ outcome }) => outcome === 'intact' || outcome === 'damaged');
  return {
    checked: run.checked + results.length,
    bytes: compared.reduce((sum, { file }) => sum + file.filesize, run.bytes),
    damaged: run.damaged + count('damaged'),
    missing: run.missing + count('missing'),
    unreadable: run.unreadable + count('unreadable'),
  };
}

async function orTakenOver(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (failedGuard(error) !== 'guard_lost') throw error;
    throw new ServiceError('conflict', 'Another process has taken over this check, or begun it anew.', {
      cause: error,
    });
  }
}

function underWay(): ServiceError {
  return new ServiceError('conflict', 'Such a check is under way already: see how far it is with --show.');
}

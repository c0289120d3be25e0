import type { Database } from '../../database/database.ts';
import { FILE_TO_CHECK_COLUMNS, type FileToCheck, toFileToCheck } from './verify-file.ts';
import type { VerifyRun } from './verify-run.ts';
import { scopeCondition } from './verify-scope.ts';

/** A check that is broken off reads so much again, at most, or one file where that is larger … */
const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024 * 1024;
/** … and one that may only read slowly, so many seconds' worth. */
const MAX_SECONDS = 2;
/** So many rows are considered at a time where a sample passes over most of them. */
const MAX_PASSED_OVER = 2_000;

/** The files that are looked at next. */
export interface VerifyBatch {
  readonly files: readonly FileToCheck[];
  /** The last one that was considered. */
  readonly position: number;
  readonly isLast: boolean;
}

/** Chooses files in order of their ids. */
export interface VerifyBatches {
  next(run: VerifyRun): Promise<VerifyBatch>;
}

/**
 * The files of a run from where it is. Of a sample each row that is left is taken with the chance that makes as many as
 * are wanted (selection sampling, Knuth's Algorithm S): every choice of so many files is as likely as any other, and to
 * go on takes no more than the numbers of what is left.
 */
export async function createVerifyBatches(
  database: Database,
  run: VerifyRun,
  bytesPerSecond = Number.POSITIVE_INFINITY,
): Promise<VerifyBatches> {
  const { sql: condition, args } = scopeCondition(run.scope);
  const isSample = run.scope.sample !== undefined;
  const left = `FROM file WHERE file.id > ? AND file.id <= ? ${condition}`;
  let rowsLeft = isSample
    ? Number((await database.first(`SELECT count(*) ${left}`, [run.position, run.lastId, ...args]))?.[0])
    : 0;
  const maxBytes = Math.min(MAX_BYTES, MAX_SECONDS * bytesPerSecond);
  const limit = isSample ? MAX_PASSED_OVER : MAX_FILES;

  return {
    async next({ position, lastId, total, checked }) {
      const { rows } = await database.client.execute({
        sql: `SELECT ${FILE_TO_CHECK_COLUMNS} ${left} ORDER BY file.id LIMIT ${limit}`,
        args: [position, lastId, ...args],
      });
      const files: FileToCheck[] = [];
      let bytes = 0;
      let considered = 0;
      for (const row of rows) {
        if (files.length === MAX_FILES || bytes >= maxBytes) break;
        const wanted = total - checked - files.length;
        if (isSample && wanted <= 0) break;
        considered += 1;
        const isTaken = !isSample || Math.random() * rowsLeft < wanted;
        rowsLeft -= 1;
        if (!isTaken) continue;
        const file = toFileToCheck(row);
        files.push(file);
        bytes += file.filesize;
      }
      const isFull = isSample && total - checked - files.length <= 0;
      const isLast = isFull || (considered === rows.length && rows.length < limit);
      const last = rows[considered - 1]?.[0];
      return { files, position: isLast ? lastId : Number(last ?? position), isLast };
    },
  };
}

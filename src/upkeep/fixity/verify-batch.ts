import { and, asc, count, gt, lte } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import { type FileToCheck, fileToCheck } from './verify-file.ts';
import { isInScope, type VerifyRun } from './verify-run.ts';

/** Maximum size of a batch, unless its only file is larger: an interrupted check reads as much again. */
const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum duration of a batch at a limited rate. */
const MAX_SECONDS = 2;
/** Maximum number of rows that a batch of a sample draws from. */
const MAX_PASSED_OVER = 2_000;

/** The files to check next. */
export interface VerifyBatch {
  readonly files: readonly FileToCheck[];
  /** The id of the last file that was considered. */
  readonly position: number;
  readonly isLast: boolean;
}

/**
 * Returns a function that chooses the next files of a run, in the order of their ids. For a sample, takes each remaining row with the probability that yields
 * the required number (selection sampling, Knuth's Algorithm S): every choice is equally likely, and continuing a sample
 * requires only the numbers of remaining files.
 */
export async function createVerifyBatches(
  database: Database,
  run: VerifyRun,
  bytesPerSecond = Number.POSITIVE_INFINITY,
): Promise<(run: VerifyRun) => Promise<VerifyBatch>> {
  const isSample = run.scope.sample !== undefined;
  const maxBytes = Math.min(MAX_BYTES, MAX_SECONDS * bytesPerSecond);
  const limit = isSample ? MAX_PASSED_OVER : MAX_FILES;
  const isLeft = ({ position, lastId }: Left) =>
    and(gt(files.id, position), lte(files.id, lastId), isInScope(run.scope));
  const findNext = prepare((left: Named<{ position: number; lastId: number }>) =>
    query.select(fileToCheck).from(files).where(isLeft(left)).orderBy(asc(files.id)).limit(limit),
  );
  const countLeft = statementOf(query.select({ left: count() }).from(files).where(isLeft(run)));
  let rowsLeft = isSample ? ((await database.get(countLeft))?.left ?? 0) : 0;

  return async ({ position, lastId, total, checked }) => {
    const rows = await database.all(findNext({ position, lastId }));
    const chosen: FileToCheck[] = [];
    let bytes = 0;
    let considered = 0;
    for (const row of rows) {
      if (chosen.length === MAX_FILES || bytes >= maxBytes) break;
      const wanted = total - checked - chosen.length;
      if (isSample && wanted <= 0) break;
      considered += 1;
      const isTaken = !isSample || Math.random() * rowsLeft < wanted;
      rowsLeft -= 1;
      if (!isTaken) continue;
      chosen.push(row);
      bytes += row.filesize;
    }
    const isFull = isSample && total - checked - chosen.length <= 0;
    const isLast = isFull || (considered === rows.length && rows.length < limit);
    return { files: chosen, position: isLast ? lastId : (rows[considered - 1]?.id ?? position), isLast };
  };
}

type Left = Pick<VerifyRun, 'position' | 'lastId'> | Named<{ position: number; lastId: number }>;

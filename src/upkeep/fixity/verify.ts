import { and, asc, count, gt, lte } from 'drizzle-orm';
import { createPace } from '../../base/byte-pace.ts';
import { unprocessable } from '../../base/errors.ts';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import {
  type CheckedFile,
  checkFile,
  createStoreWatch,
  type FileToCheck,
  fileToCheck,
  type Reading,
} from './verify-file.ts';
import { type HeldRun, isInScope, problemsOf, type VerifyRun, type VerifyScope, verifyRuns } from './verify-run.ts';
import { createVerifyRuns } from './verify-runs.ts';

/** Number of files that are read at the same time: most of the time of small files is latency of the store. */
const MAX_READERS = 4;

/** The options of a check. */
export interface VerifyOptions {
  readonly scope: VerifyScope;
  /** Undefined: no limit. */
  readonly bytesPerSecond?: number | undefined;
  /** True to start again instead of continuing an interrupted check. */
  readonly restart?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Called after each file and each chunk. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  /** Called once for each file that is not intact, after its result is stored. */
  readonly onProblem?: ((problem: CheckedFile) => void) | undefined;
  /** True to pause the check. */
  readonly isEnough?: ((run: VerifyRun) => boolean) | undefined;
}

/** The progress of a check. */
export interface VerifyProgress {
  readonly total: number;
  readonly checked: number;
  readonly bytes: number;
  readonly problems: number;
}

/**
 * Reads files, compares them with their checksums, and stores the results. The next check of the same scope continues an
 * interrupted one, even after a kill; the returned run has no end then. Throws `conflict` while another process runs the
 * check, `unavailable` if a store is unusable, and `unprocessable` for an unknown store.
 */
export async function verify(services: Services, options: VerifyOptions): Promise<VerifyRun> {
  const { store } = options.scope;
  if (store !== undefined && !services.schemes.has(store)) {
    const known = [...services.schemes.keys()].join(', ');
    throw unprocessable(`Unknown storage scheme ${store.slice(0, 100)}; the schemes are ${known}.`);
  }
  const runs = createVerifyRuns(services.database);
  let run = await runs.take(options.scope, options.restart ?? false);
  /** Aborts with the first error; `options.signal` aborts on request. */
  const failing = new AbortController();
  const fail = (error: unknown) => {
    if (!options.signal.aborted) failing.abort(error);
  };
  const endRenewing = verifyRuns.keepRenewing(services.database, run, fail);
  const signal = AbortSignal.any([options.signal, failing.signal]);
  const follow = followProgress(() => run, options.onProgress);
  const reading: Reading = {
    pace: createPace(options.bytesPerSecond),
    stores: createStoreWatch(),
    signal,
    onBytes: follow.addBytes,
  };
  const check = async (file: FileToCheck) => {
    const result = await checkFile(services, file, reading);
    if (result !== undefined) follow.addResult(result);
    return result;
  };
  try {
    const nextBatch = await createVerifyBatches(services.database, run, options.bytesPerSecond);
    while (!signal.aborted && run.endedAt === undefined && !options.isEnough?.(run)) {
      services.database.refresh();
      const { files, position: to, isLast } = await nextBatch(run);
      const results = await checkAll(files, check, fail);
      signal.throwIfAborted();
      run = await runs.advance(run, { to, results, isLast });
      follow.settle();
      for (const result of results) if (result.outcome !== 'intact') options.onProblem?.(result);
    }
  } catch (error) {
    fail(error);
  } finally {
    endRenewing();
  }
  const { lease: _, ...done } = { ...run, isUnderWay: false };
  if (run.endedAt !== undefined) return done;
  const releasing = services.database.write([verifyRuns.release(run)]);
  // The first error takes precedence. A lease that cannot be released expires.
  if (failing.signal.aborted) await Promise.allSettled([releasing]);
  failing.signal.throwIfAborted();
  await releasing;
  return done;
}

/** Returns the results in the order of the files, without removed files. The first failure aborts the others by `fail`. */
async function checkAll(
  files: readonly FileToCheck[],
  check: (file: FileToCheck) => Promise<CheckedFile | undefined>,
  fail: (error: unknown) => void,
): Promise<CheckedFile[]> {
  const results: (CheckedFile | undefined)[] = [];
  await forEachAtOnce(files.entries(), MAX_READERS, async ([index, file]) => {
    try {
      results[index] = await check(file);
    } catch (error) {
      fail(error);
      throw error;
    }
  });
  return results.filter((result) => result !== undefined);
}

/** Counts the results of a batch until they are stored. */
function followProgress(run: () => HeldRun, onProgress: VerifyOptions['onProgress']) {
  let checked = 0;
  let bytes = 0;
  let problems = 0;
  const report = () => {
    const known = run();
    onProgress?.({
      total: known.total,
      checked: known.checked + checked,
      bytes: known.bytes + bytes,
      problems: problemsOf(known) + problems,
    });
  };
  report();
  return {
    addBytes(count: number) {
      bytes += count;
      report();
    },
    addResult({ outcome }: CheckedFile) {
      checked += 1;
      if (outcome !== 'intact') problems += 1;
      report();
    },
    settle() {
      [checked, bytes, problems] = [0, 0, 0];
      report();
    },
  };
}

/** Maximum size of a batch, unless its only file is larger: an interrupted check reads as much again. */
const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum duration of a batch at a limited rate. */
const MAX_SECONDS = 2;
/** Maximum number of rows that a batch of a sample draws from. */
const MAX_PASSED_OVER = 2_000;

/** The files to check next. */
interface VerifyBatch {
  readonly files: readonly FileToCheck[];
  /** The id of the last file that was considered. */
  readonly position: number;
  readonly isLast: boolean;
}

/**
 * Returns a function that chooses the next files of a run, in the order of their ids. For a sample, takes each remaining
 * row with the probability that yields the required number (selection sampling, Knuth's Algorithm S): every choice is
 * equally likely, and continuing a sample requires only the numbers of remaining files.
 */
async function createVerifyBatches(
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

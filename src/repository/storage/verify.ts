import { createPace } from '../../base/byte-pace.ts';
import { unprocessable } from '../../base/errors.ts';
import type { Services } from '../services.ts';
import { createVerifyBatches } from './verify-batch.ts';
import { type CheckedFile, checkFile, type FileToCheck, type Reading } from './verify-file.ts';
import { RENEWAL_MS } from './verify-lease.ts';
import { type HeldRun, problemsOf, type VerifyRun } from './verify-run.ts';
import { createVerifyRuns } from './verify-runs.ts';
import type { VerifyScope } from './verify-scope.ts';
import { createStoreWatch } from './verify-store.ts';

/** So many files are read at a time: small ones are waiting for a store most of the time. */
const MAX_READERS = 4;

/** How a check is done. */
export interface VerifyOptions {
  readonly scope: VerifyScope;
  /** Undefined: as fast as the stores answer. */
  readonly bytesPerSecond?: number | undefined;
  /** Whether it begins anew where one was broken off. */
  readonly restart?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Called often: after each file, and while a large one is read. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  /** Called once for each file that is not intact, when that is on record. */
  readonly onProblem?: ((problem: CheckedFile) => void) | undefined;
  /** Whether it is enough for now. */
  readonly isEnough?: ((run: VerifyRun) => boolean) | undefined;
}

/** How far a check is. */
export interface VerifyProgress {
  readonly total: number;
  readonly checked: number;
  readonly bytes: number;
  readonly problems: number;
}

/**
 * Reads files again and compares them with their checksums, and keeps what it finds. Broken off (the run that is answered
 * has no end then), even by a kill, it goes on with the next one of the same scope. Throws `conflict` while another
 * process is at it, `unavailable` when a store cannot be used, and `unprocessable` for a storage that there is not.
 */
export async function verify(services: Services, options: VerifyOptions): Promise<VerifyRun> {
  const { store } = options.scope;
  if (store !== undefined && !services.schemes.has(store)) {
    const known = [...services.schemes.keys()].join(', ');
    throw unprocessable(`There is no storage named ${store.slice(0, 100)}, but ${known}.`);
  }
  const runs = createVerifyRuns(services.database);
  let run = await runs.take(options.scope, options.restart ?? false);
  /** Aborted by what keeps this run from going on; `options.signal` by whoever wants no more of it. */
  const failing = new AbortController();
  const fail = (error: unknown) => {
    if (!options.signal.aborted) failing.abort(error);
  };
  const renewing = setInterval(() => {
    runs.renew(run).catch(fail);
  }, RENEWAL_MS);
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
    const batches = await createVerifyBatches(services.database, run, options.bytesPerSecond);
    while (!signal.aborted && run.endedAt === undefined && !options.isEnough?.(run)) {
      services.database.refresh();
      const { files, position: to, isLast } = await batches.next(run);
      // The others stop too: what they have read counts for nothing.
      const results = await checkAll(files, check, fail);
      signal.throwIfAborted();
      run = await runs.advance(run, { to, results, isLast });
      follow.settle();
      for (const result of results) if (result.outcome !== 'intact') options.onProblem?.(result);
    }
  } catch (error) {
    fail(error);
  } finally {
    clearInterval(renewing);
  }
  const { lease: _, ...done } = run;
  if (run.endedAt !== undefined) return done;
  const releasing = runs.release(run);
  // What went wrong first is told. A lease that cannot be given back runs out.
  if (failing.signal.aborted) await Promise.allSettled([releasing]);
  failing.signal.throwIfAborted();
  await releasing;
  return done;
}

/** Several at a time; in the order of the files. Those that are gone have no result. Does not reject: tells `fail`. */
async function checkAll(
  files: readonly FileToCheck[],
  check: (file: FileToCheck) => Promise<CheckedFile | undefined>,
  fail: (error: unknown) => void,
): Promise<CheckedFile[]> {
  const results: (CheckedFile | undefined)[] = [];
  let next = 0;
  const reader = async () => {
    while (next < files.length) {
      const at = next++;
      results[at] = await check(files[at] as FileToCheck);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_READERS, files.length) }, () => reader().catch(fail)));
  return results.filter((result) => result !== undefined);
}

/** Counts what a batch has done until it is on record. */
function followProgress(run: () => HeldRun, onProgress: VerifyOptions['onProgress']) {
  let checked = 0;
  let bytes = 0;
  let problems = 0;
  const tell = () => {
    const known = run();
    onProgress?.({
      total: known.total,
      checked: known.checked + checked,
      bytes: known.bytes + bytes,
      problems: problemsOf(known) + problems,
    });
  };
  tell();
  return {
    addBytes(count: number) {
      bytes += count;
      tell();
    },
    addResult({ outcome }: CheckedFile) {
      checked += 1;
      if (outcome !== 'intact') problems += 1;
      tell();
    },
    settle() {
      [checked, bytes, problems] = [0, 0, 0];
      tell();
    },
  };
}

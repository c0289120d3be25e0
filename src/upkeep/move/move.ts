import { eq } from 'drizzle-orm';
import { createPace } from '../../base/byte-pace.ts';
import { query } from '../../database/query-builder.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Scheme } from '../../repository/files/scheme.ts';
import {
  countStoredFiles,
  type FileCount,
  listStoredFiles,
  referredKeys,
  type StoredBytesOfFile,
} from '../../repository/files/stored-files.ts';
import { type FailedFile, type MoveFault, type MoveParts, moveFile } from './move-file.ts';

export type { FailedFile, FileCount, MoveFault };

/** Maximum number of discarded objects of earlier processes that a move removes. */
const MAX_LEFT_OBJECTS = 10_000;

export interface MoveOptions {
  readonly from: Scheme;
  readonly to: Scheme;
  /** Maximum number of files; undefined: all. */
  readonly limit: number | undefined;
  /** Undefined: no limit. */
  readonly bytesPerSecond: number | undefined;
  /** Number of files that are copied at the same time. */
  readonly concurrency: number;
}

/** The progress of a move. It includes files that could not be moved, and those that another process has changed. */
export interface MoveProgress {
  files: number;
  bytes: number;
  readonly total: FileCount;
}

/** The observer of a move, which may interrupt it. */
interface MoveWatch {
  /** Files that are being copied when it aborts stay in the old store. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MoveProgress) => void;
  readonly onFailed: (failed: FailedFile) => void;
}

export interface MoveSummary {
  readonly moved: FileCount;
  readonly failed: number;
  /** Files whose bytes are in the old store afterwards. */
  readonly left: FileCount;
  /** True if the signal has interrupted it. */
  readonly isInterrupted: boolean;
}

/**
 * Moves the bytes of files from one store into another while servers run (decision 24). Cleans up after an
 * interrupted move first, and skips what it has moved. Throws errors of the stores and the database that concern more
 * than one file.
 */
export async function moveFiles(services: Services, options: MoveOptions, watch: MoveWatch): Promise<MoveSummary> {
  const { from, to, limit, concurrency } = options;
  const { database } = services;
  await to.storage.recover((keys) => referredKeys(services, keys));
  await removeDiscarded(services, from);
  const progress: MoveProgress = { files: 0, bytes: 0, total: await countStoredFiles(database, from.name, limit) };
  watch.onProgress(progress);
  const ended = new AbortController();
  const signal = AbortSignal.any([watch.signal, ended.signal]);
  const files = listStoredFiles(database, from.name, limit);
  const pace = createPace(options.bytesPerSecond);
  const moved = { files: 0, bytes: 0 };
  let failed = 0;

  async function moveOne(file: StoredBytesOfFile): Promise<void> {
    let copied = 0;
    const onBytes = (bytes: number) => {
      copied += bytes;
      progress.bytes += bytes;
      watch.onProgress(progress);
    };
    const parts: MoveParts = { services, from, to, pace, signal, onBytes };
    const outcome = await moveFile(parts, file);
    if (outcome.kind === 'failed') {
      failed += 1;
      watch.onFailed(outcome);
    }
    if (outcome.kind === 'moved') {
      moved.files += 1;
      moved.bytes += file.filesize;
    }
    progress.files += 1;
    progress.bytes += file.filesize - copied;
    watch.onProgress(progress);
  }

  /** Moves one file of the list after the other, as the other workers do. */
  async function work(): Promise<void> {
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = await files.next();
        if (next.done) return;
        await moveOne(next.value);
      }
    } catch (error) {
      ended.abort(error);
      throw error;
    }
  }

  const works = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const reasons = works.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  // The first failure has aborted the other workers with its own reason.
  const failure = reasons.find((reason) => reason !== watch.signal.reason);
  if (failure !== undefined) throw failure;
  return { moved, failed, left: await countStoredFiles(database, from.name), isInterrupted: reasons.length > 0 };
}

const findDiscarded = prepare(({ scheme }: Named<{ scheme: string }>) =>
  query
    .select({ storageKey: discardedObjects.storageKey })
    .from(discardedObjects)
    .where(eq(discardedObjects.scheme, scheme))
    .limit(MAX_LEFT_OBJECTS),
);

async function removeDiscarded({ database, discards }: Services, { name }: Scheme): Promise<void> {
  for (const { storageKey } of await database.all(findDiscarded({ scheme: name }))) discards.add(name, storageKey);
}

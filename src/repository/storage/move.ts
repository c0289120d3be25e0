import { createPace } from '../../base/byte-pace.ts';
import { referredKeys } from '../files/referred-keys.ts';
import type { Scheme, Services } from '../services.ts';
import { type FailedFile, type MoveFault, type MoveParts, moveFile } from './move-file.ts';
import { countStoredFiles, type FileCount, listStoredFiles, type StoredBytesOfFile } from './stored-files.ts';

export type { FailedFile, FileCount, MoveFault };

/** Objects of a move that was broken off, or of a server that was, that are taken up to be removed. */
const MAX_LEFT_OBJECTS = 10_000;

export interface MoveOptions {
  readonly from: Scheme;
  readonly to: Scheme;
  /** The most files that are looked at; undefined: all. */
  readonly limit: number | undefined;
  /** Undefined: as fast as it goes. */
  readonly bytesPerSecond: number | undefined;
  /** How many files are under way at a time. */
  readonly concurrency: number;
}

/** How far a move is. Files that are left where they are, and those that others have dealt with, count too. */
export interface MoveProgress {
  files: number;
  bytes: number;
  readonly total: FileCount;
}

/** Who is told of a move, and may break it off. */
export interface MoveWatch {
  /** Files that are being copied when it aborts stay where they are. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MoveProgress) => void;
  readonly onFailed: (failed: FailedFile) => void;
}

export interface MoveSummary {
  readonly moved: FileCount;
  readonly failed: number;
  /** What has its bytes in the old store still, or again. */
  readonly left: FileCount;
  /** Whether the signal has ended it. */
  readonly isBrokenOff: boolean;
}

/**
 * Moves the bytes of files from one store into another while servers go on (docs/decisions/024). What another move has
 * left behind is cleared up first; what is moved already is not looked at again. Throws what the stores and the database
 * throw that concerns more than one file.
 */
export async function moveFiles(services: Services, options: MoveOptions, watch: MoveWatch): Promise<MoveSummary> {
  const { from, to, limit, concurrency } = options;
  const { database } = services;
  await to.storage.recover((keys) => referredKeys(services, keys));
  await takeUpLeftObjects(services, from);
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

  /** Takes one file after the other, as the others do, from the one list. */
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
  // The first to fail has ended the others, with its own reason.
  const failure = reasons.find((reason) => reason !== watch.signal.reason);
  if (failure !== undefined) throw failure;
  return { moved, failed, left: await countStoredFiles(database, from.name), isBrokenOff: reasons.length > 0 };
}

async function takeUpLeftObjects({ database, discards }: Services, { name }: Scheme): Promise<void> {
  const { rows } = await database.client.execute({
    sql: 'SELECT storage_key FROM discarded_object WHERE scheme = ? LIMIT ?',
    args: [name, MAX_LEFT_OBJECTS],
  });
  for (const row of rows) discards.add(name, String(row[0]));
}

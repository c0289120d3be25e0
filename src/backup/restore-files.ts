import { ServiceError } from '../base/errors.ts';
import type { Storage } from '../storage/storage.ts';
import { forEachAtOnce } from './at-once.ts';
import { BackupError, differenceOf, reasonOf, SourceFailed } from './errors.ts';
import { hashOf } from './hash.ts';
import { type BackupPlace, isSame, nameOfContent } from './place.ts';
import { openStoredFiles, type StoredFile } from './stored-files.ts';

/** So many are named; beyond that they are counted only. */
const MAX_LISTED = 1_000;

export interface RestoreFilesOptions {
  /** The database in a file whose files are restored. */
  readonly database: string;
  readonly place: BackupPlace;
  readonly stores: ReadonlyMap<string, Storage>;
  /** The ids of files that were damaged when the backup was made: it may lack their bytes. */
  readonly knownDamaged: ReadonlySet<number>;
  readonly atOnce: number;
  /** Waits before so many bytes are read, where there is to be a limit. */
  readonly pace: (bytes: number) => Promise<void>;
  readonly onFile: (file: StoredFile) => void;
  readonly signal: AbortSignal;
}

/** A file whose bytes the backup does not have as they should be. */
export interface LostFile {
  readonly id: number;
  readonly uri: string;
  readonly problem: string;
  /** Whether that was so when the backup was made. */
  readonly wasDamaged: boolean;
}

export interface RestoredFiles {
  files: number;
  bytes: number;
  /** Of these files, those that a restore of before had brought already. */
  kept: number;
  /** Lost since the backup was made, and before. */
  lost: number;
  wereDamaged: number;
  /** The first of both. */
  readonly listed: LostFile[];
}

/**
 * Brings the bytes of every file into the store that its row names, and checks them on the way. Those that the backup
 * does not have whole are answered and do not stop the rest. Throws BackupError where a store fails.
 */
export async function restoreFiles(options: RestoreFilesOptions): Promise<RestoredFiles> {
  const { signal, onFile } = options;
  const restored: RestoredFiles = { files: 0, bytes: 0, kept: 0, lost: 0, wereDamaged: 0, listed: [] };
  const files = openStoredFiles(options.database);
  try {
    await forEachAtOnce(files.all(), options.atOnce, async (file) => {
      signal.throwIfAborted();
      const outcome = await restoreOne(options, file);
      if (typeof outcome === 'object') {
        const { id, uri } = file;
        const wasDamaged = options.knownDamaged.has(id);
        restored[wasDamaged ? 'wereDamaged' : 'lost'] += 1;
        if (restored.listed.length < MAX_LISTED)
          restored.listed.push({ id, uri, problem: outcome.problem, wasDamaged });
      } else {
        restored.files += 1;
        restored.bytes += file.bytes;
        if (outcome === 'kept') restored.kept += 1;
      }
      onFile(file);
    });
  } finally {
    files.close();
  }
  return restored;
}

async function restoreOne(
  options: RestoreFilesOptions,
  file: StoredFile,
): Promise<'kept' | 'written' | { problem: string }> {
  const storage = options.stores.get(file.store);
  if (storage === undefined) throw new Error(`no store ${file.store}`);
  try {
    if (await isThere(storage, file)) return 'kept';
    const staged = await storage.put(file.key, readContent(options, file), options.signal);
    if (isSame(file, staged)) {
      await staged.keep();
      return 'written';
    }
    await staged.discard();
    return { problem: differenceOf(file, staged) };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof SourceFailed) return { problem: error.message };
    if (error instanceof ServiceError)
      throw new BackupError(`The storage ${file.store} cannot be used: ${reasonOf(error)}.`, { cause: error });
    throw error;
  }
}

/** What a restore that was broken off has brought stays, if it is whole. */
async function isThere(storage: Storage, file: StoredFile): Promise<boolean> {
  const found = await storage.stat(file.key);
  if (found === undefined) return false;
  if (found.bytes === file.bytes) {
    const object = await storage.read(file.key);
    if (isSame(file, await hashOf(object instanceof Blob ? object.stream() : object))) return true;
  }
  await storage.remove(file.key);
  return false;
}

async function* readContent(
  { place, pace, signal }: RestoreFilesOptions,
  file: StoredFile,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of await place.get(nameOfContent(file.sha256))) {
      signal.throwIfAborted();
      await pace(chunk.byteLength);
      yield chunk;
    }
  } catch (error) {
    throw new SourceFailed(error);
  }
}

import { ServiceError } from '../base/errors.ts';
import type { StoredBytes } from '../storage/storage.ts';
import { forEachAtOnce } from './at-once.ts';
import { BackupError, SourceFailed, UnexpectedBytes } from './errors.ts';
import { hashOf } from './hash.ts';
import type { DamagedFile } from './manifest.ts';
import { type BackupPlace, folderOfContent, isSame, nameOfContent, shardOfContent } from './place.ts';
import { openStoredFiles, type StoredFile } from './stored-files.ts';

/** More than that, and it is a store that is not there rather than files that are damaged. */
export const MAX_DAMAGED = 10_000;

export interface CopyOptions {
  /** The database in a file whose files are copied. */
  readonly snapshot: string;
  readonly place: BackupPlace;
  /** An object of a store. */
  readonly read: (store: string, key: string) => Promise<AsyncIterable<Uint8Array>>;
  readonly atOnce: number;
  /** Waits before so many bytes are read, where there is to be a limit. */
  readonly pace: (bytes: number) => Promise<void>;
  /** Reads and hashes what the place has already. */
  readonly isRechecked: boolean;
  /** Called after each file. */
  readonly onFile: (file: StoredFile) => void;
  readonly signal: AbortSignal;
}

export interface CopiedContents {
  contents: number;
  contentBytes: number;
  added: number;
  addedBytes: number;
  readonly damaged: DamagedFile[];
}

/**
 * Copies the bytes of every file that the place does not have yet. What is damaged in its store is answered and does not
 * stop the rest. Throws BackupError where the place or a whole store fails.
 */
export async function copyContents(options: CopyOptions): Promise<CopiedContents> {
  const { snapshot, place, signal, onFile } = options;
  const copied: CopiedContents = { contents: 0, contentBytes: 0, added: 0, addedBytes: 0, damaged: [] };
  const files = openStoredFiles(snapshot);
  // Files come in the order of their checksums: those of one content follow each other, and so do those of one folder.
  let shard = { name: '', there: Promise.resolve(new Map<string, number>()) };
  let previous = { sha256: '', isThere: Promise.resolve(false) };
  const bring = async (file: StoredFile, there: Promise<Map<string, number>>) => {
    signal.throwIfAborted();
    const name = nameOfContent(file.sha256);
    const isPlaced = (await there).get(name) === file.bytes && (await isIntact(options, name, file));
    if (!isPlaced) {
      const problem = await copyOne(options, name, file);
      if (problem !== undefined) {
        note(copied.damaged, file, problem);
        return false;
      }
      copied.added += 1;
      copied.addedBytes += file.bytes;
    }
    copied.contents += 1;
    copied.contentBytes += file.bytes;
    return true;
  };
  try {
    await forEachAtOnce(files.all(), options.atOnce, async (file) => {
      const name = shardOfContent(file.sha256);
      if (name !== shard.name) shard = { name, there: listShard(place, name) };
      const { there } = shard;
      const before = previous.sha256 === file.sha256 ? previous.isThere : Promise.resolve(false);
      const isThere = before.then((isDone) => isDone || bring(file, there));
      previous = { sha256: file.sha256, isThere };
      await isThere;
      onFile(file);
    });
  } finally {
    files.close();
  }
  return copied;
}

async function listShard(place: BackupPlace, shard: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { name, bytes } of place.list(folderOfContent(shard))) found.set(name, bytes);
  return found;
}

async function isIntact(
  { isRechecked, place, pace }: CopyOptions,
  name: string,
  expected: StoredBytes,
): Promise<boolean> {
  if (!isRechecked) return true;
  return isSame(expected, await hashOf(paced(await place.get(name), pace)));
}

/** Answers what is wrong with the bytes in the store, or undefined for nothing. */
async function copyOne(options: CopyOptions, name: string, file: StoredFile): Promise<string | undefined> {
  try {
    await options.place.put(name, readSource(options, file), { bytes: file.bytes, sha256: file.sha256 });
    return undefined;
  } catch (error) {
    if (error instanceof UnexpectedBytes) return error.message;
    if (!(error instanceof SourceFailed)) throw error;
    options.signal.throwIfAborted();
    if (error.cause instanceof ServiceError && error.cause.kind === 'unavailable')
      throw new BackupError(`The storage ${file.store} cannot be read: ${error.message}.`, { cause: error });
    return error.message;
  }
}

async function* readSource(
  { read, pace, signal }: CopyOptions,
  { store, key }: StoredFile,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of paced(await read(store, key), pace)) {
      signal.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    throw new SourceFailed(error);
  }
}

async function* paced(source: AsyncIterable<Uint8Array>, pace: CopyOptions['pace']): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    await pace(chunk.byteLength);
    yield chunk;
  }
}

function note(damaged: DamagedFile[], { id, uri, sha256, bytes, store }: StoredFile, problem: string): void {
  damaged.push({ id, uri, sha256, bytes, problem });
  if (damaged.length > MAX_DAMAGED)
    throw new BackupError(
      `More than ${MAX_DAMAGED} files cannot be read, the last of them from the storage ${store} (${problem}): is it there?`,
    );
}

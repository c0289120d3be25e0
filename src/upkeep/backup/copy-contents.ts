import { ServiceError } from '../../base/errors.ts';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import { readSource } from '../../storage/read-source.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { type StoredFile, storedFilesOf } from './database-file.ts';
import { BackupError, SourceFailed, UnexpectedBytes } from './errors.ts';
import type { DamagedFile } from './manifest.ts';
import { type BackupPlace, folderOfContent, isContentName, isSame, nameOfContent, shardOfContent } from './place.ts';

/** Maximum number of damaged files: beyond it, the store as a whole is more likely missing. */
const MAX_DAMAGED = 10_000;

/** The problem of a file whose row is damaged. */
export const NO_CHECKSUM = 'its SHA-256 in the database is invalid';

export interface CopyOptions {
  /** The database file whose files are copied. */
  readonly snapshot: string;
  readonly place: BackupPlace;
  /** Reads an object of a store. */
  readonly read: (store: string, key: string) => Promise<AsyncIterable<Uint8Array>>;
  readonly atOnce: number;
  /** Waits until these bytes are within the rate limit, if there is one. */
  readonly pace: (bytes: number) => Promise<void>;
  /** True to verify the contents that the place already has. */
  readonly isRechecked: boolean;
  /** Called after each file. */
  readonly onFile: (file: StoredFile) => void;
  readonly signal: AbortSignal;
}

interface CopiedContents {
  contents: number;
  contentBytes: number;
  added: number;
  addedBytes: number;
  readonly damaged: DamagedFile[];
}

/**
 * Copies the bytes of every file that are not in the place yet. Returns files that are damaged in their store, and
 * continues. Throws BackupError if the place or a whole store fails.
 */
export async function copyContents(options: CopyOptions): Promise<CopiedContents> {
  const { snapshot, place, signal, onFile } = options;
  const copied: CopiedContents = { contents: 0, contentBytes: 0, added: 0, addedBytes: 0, damaged: [] };
  // Files are in the order of their checksums: those with the same content, and those of one folder, are adjacent.
  let shard = { name: '', listed: Promise.resolve(new Map<string, number>()) };
  let previous = { sha256: '', isCopied: Promise.resolve(false) };
  const copy = async (file: StoredFile, listed: Promise<Map<string, number>>) => {
    signal.throwIfAborted();
    const name = nameOfContent(file.sha256);
    const isPlaced = (await listed).get(name) === file.bytes && (await isIntact(options, name, file));
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
  await forEachAtOnce(storedFilesOf(snapshot), options.atOnce, async (file) => {
    if (!isContentName(file.sha256)) {
      note(copied.damaged, file, NO_CHECKSUM);
      onFile(file);
      return;
    }
    const name = shardOfContent(file.sha256);
    if (name !== shard.name) shard = { name, listed: listShard(place, name) };
    const { listed } = shard;
    const before = previous.sha256 === file.sha256 ? previous.isCopied : Promise.resolve(false);
    const isCopied = before.then((isDone) => isDone || copy(file, listed));
    previous = { sha256: file.sha256, isCopied };
    await isCopied;
    onFile(file);
  });
  return copied;
}

async function listShard(place: BackupPlace, shard: string): Promise<Map<string, number>> {
  return new Map(
    await Array.fromAsync(place.list(folderOfContent(shard)), ({ name, bytes }) => [name, bytes] as const),
  );
}

async function isIntact(
  { isRechecked, place, pace }: CopyOptions,
  name: string,
  expected: StoredBytes,
): Promise<boolean> {
  if (!isRechecked) return true;
  return isSame(expected, await readSource(paced(await place.get(name), pace)));
}

/** Returns the problem of the bytes in the store; undefined for none. */
async function copyOne(options: CopyOptions, name: string, file: StoredFile): Promise<string | undefined> {
  try {
    await options.place.put(name, readObject(options, file), { bytes: file.bytes, sha256: file.sha256 });
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

async function* readObject(
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
      `More than ${MAX_DAMAGED} files cannot be read, the last of them from the storage ${store} (${problem}): is it available?`,
    );
}

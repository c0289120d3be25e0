import type { StoredBytes } from '../../storage/storage.ts';

/** An entry of a list of a place. */
export interface PlacedBytes {
  readonly name: string;
  readonly bytes: number;
}

/**
 * A store of backups: complete, durable bytes under names with slashes. Every member throws BackupError, which names the
 * place.
 */
export interface BackupPlace {
  /** For messages: the folder or the `s3://` address. */
  readonly address: string;
  /**
   * Writes a stream. With `expected`, throws UnexpectedBytes for other bytes, and removes them. Errors of the stream are
   * not changed.
   */
  put(name: string, source: AsyncIterable<Uint8Array>, expected?: StoredBytes): Promise<StoredBytes>;
  /** Moves a file of `workFolder` into the place under `name`. */
  putFile(name: string, file: string): Promise<void>;
  /** Throws BackupError if the name does not exist. */
  get(name: string): Promise<AsyncIterable<Uint8Array>>;
  /** Returns the path of a name, for a place in a folder. */
  fileOf?(name: string): string;
  /** Lists a folder such as `backups` or `files/ab`, in any order; nothing for a missing folder. */
  list(folder: string): AsyncIterable<PlacedBytes>;
  /** Throws BackupError if the place does not exist, or holds other files and no backups. Changes nothing. */
  requireExisting(): Promise<void>;
  /** Does nothing if the name does not exist. */
  remove(name: string): Promise<void>;
  /** Returns the folder in which the holder of the lock may prepare files for `putFile`. */
  workFolder(): Promise<string>;
  /** Creates the place if it is missing, and locks it until the lock is released or this process ends. */
  lock(): Promise<PlaceLock>;
}

export interface PlaceLock {
  /** Aborts when another process may have taken the lock. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Calls `renew` at intervals, one call at a time, until the returned function is called, which waits for the last one.
 * `renew` must not reject.
 */
export function renewEvery(ms: number, renew: () => Promise<void>): () => Promise<void> {
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, ms);
  return () => {
    clearInterval(timer);
    return renewing;
  };
}

/** Returns whether bytes are the expected ones. */
export function isSame(expected: StoredBytes, actual: StoredBytes): boolean {
  return actual.bytes === expected.bytes && actual.sha256 === expected.sha256;
}

export const BACKUPS_FOLDER = 'backups';
export const DATABASES_FOLDER = 'databases';
export const FILES_FOLDER = 'files';
const SHARD_DIGITS = 2;

const SHA256 = /^[0-9a-f]{64}$/;

/** Returns true for a checksum that may name content. A damaged or manipulated row has any other text. */
export function isContentName(sha256: string): boolean {
  return SHA256.test(sha256);
}

/**
 * Returns `files/ab/abcd…`: content is named by its checksum, so that files with the same content share it. Throws RangeError
 * for a text that is no checksum: it must not lead out of the place.
 */
export function nameOfContent(sha256: string): string {
  if (!isContentName(sha256)) throw new RangeError(`${JSON.stringify(sha256)} is no SHA-256`);
  return `${folderOfContent(shardOfContent(sha256))}/${sha256}`;
}

/** Returns `ab` of `abcd…`. */
export function shardOfContent(sha256: string): string {
  return sha256.slice(0, SHARD_DIGITS);
}

/** Returns `files/ab`. */
export function folderOfContent(shard: string): string {
  return `${FILES_FOLDER}/${shard}`;
}

export function nameOfDatabase(sha256: string): string {
  return `${DATABASES_FOLDER}/${sha256}.db`;
}

const OWN_NAME = /^(?:files\/[0-9a-f]{2}\/[0-9a-f]{64}|databases\/[0-9a-f]{64}\.db|backups\/[0-9TZ-]+\.json)$/;

/** Returns whether backups create such a name. Other entries of a place are not changed. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name);
}

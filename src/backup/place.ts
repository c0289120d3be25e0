import type { StoredBytes } from '../storage/storage.ts';

/** Something in a place, as a list shows it. */
export interface PlacedBytes {
  readonly name: string;
  readonly bytes: number;
}

/**
 * Where backups are kept: names with slashes in them, and whole, durable bytes under each. What stands under a name is
 * there whole or not at all. Every member throws BackupError, which names the place.
 */
export interface BackupPlace {
  /** For people: the folder or the `s3://` address. */
  readonly address: string;
  /**
   * Writes a stream. With `expected`, throws UnexpectedBytes for other bytes than those, and leaves nothing of them. What
   * the stream itself throws is thrown as it is.
   */
  put(name: string, source: AsyncIterable<Uint8Array>, expected?: StoredBytes): Promise<StoredBytes>;
  /** Brings a file of `workFolder` in, under `name`; it is gone from there then. */
  putFile(name: string, file: string): Promise<void>;
  /** Throws BackupError for a name that is not there. */
  get(name: string): Promise<AsyncIterable<Uint8Array>>;
  /** What is in one folder, `backups` or `files/ab`, in no order; nothing for a folder that is not there. */
  list(folder: string): AsyncIterable<PlacedBytes>;
  /** Throws BackupError if the place does not exist, or holds other files and no backups. Changes nothing. */
  requireExisting(): Promise<void>;
  /** What is not there is no error. */
  remove(name: string): Promise<void>;
  /** Where a backup may write a file before it is brought in. Only for whoever has the lock. */
  workFolder(): Promise<string>;
  /** Makes the place if it is not there, and keeps others from writing to it until the lock is released or this process ends. */
  lock(): Promise<PlaceLock>;
}

export interface PlaceLock {
  /** Aborts when others may have taken the place over after all. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Whether bytes are those that are expected. */
export function isSame(expected: StoredBytes, found: StoredBytes): boolean {
  return found.bytes === expected.bytes && found.sha256 === expected.sha256;
}

export const BACKUPS_FOLDER = 'backups';
export const DATABASES_FOLDER = 'databases';
export const FILES_FOLDER = 'files';
const SHARD_DIGITS = 2;

/** `files/ab/abcd…`: content goes by its checksum, so that each is there once, however many files have it. */
export function nameOfContent(sha256: string): string {
  return `${folderOfContent(shardOfContent(sha256))}/${sha256}`;
}

/** `ab` of `abcd…`. */
export function shardOfContent(sha256: string): string {
  return sha256.slice(0, SHARD_DIGITS);
}

/** `files/ab`. */
export function folderOfContent(shard: string): string {
  return `${FILES_FOLDER}/${shard}`;
}

export function nameOfDatabase(sha256: string): string {
  return `${DATABASES_FOLDER}/${sha256}.db`;
}

const OWN_NAME = /^(?:files\/[0-9a-f]{2}\/[0-9a-f]{64}|databases\/[0-9a-f]{64}\.db|backups\/[0-9TZ-]+\.json)$/;

/** Whether a name is one that backups make: what else is in a place is somebody else's. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name);
}

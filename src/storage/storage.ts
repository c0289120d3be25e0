/** Length and checksum of stored bytes. */
export interface StoredBytes {
  readonly bytes: number;
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string;
}

/** An object that is whole and durable, but not yet part of anything. */
export interface StagedObject extends StoredBytes {
  readonly key: string;
  /** It is referred to now and stays. Called after the row that names it is committed. */
  keep(): Promise<void>;
  /** It is not wanted after all: removes it. */
  discard(): Promise<void>;
}

export interface ByteRange {
  /** First and last byte, both included, as in a Range header. */
  readonly first: number;
  readonly last: number;
}

/** An object as a list of the store shows it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modified: Date;
}

/** The remains of an upload that was never finished. */
export interface Unfinished {
  /** A description for administrators, in the words of the store. */
  readonly name: string;
  readonly modified: Date;
  /** Removes it. Ignores one that is already removed. */
  remove(): Promise<void>;
}

/** The lifetime of an address of `presign`: long enough to begin a download over any line. */
export const PRESIGNED_SECONDS = 300;

/** The headers with which a client receives a download. */
export interface DownloadHeaders {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/**
 * The store of the bytes of files: immutable objects under generated keys (`key.ts`), without folders. An object is
 * written once, whole, and never changed; its replacement has another key.
 */
export interface Storage {
  /**
   * Writes a stream of unknown length under `key`. The object exists, whole and flushed to the disk, when
   * this resolves; until `keep` is called, the clean-up after a crash removes it (see `recover`). If the stream
   * fails, `signal` aborts or the store is full, nothing is left and the call rejects: with the stream's own
   * error, or a `ServiceError` of kind `storage-full` or `storage-failed`.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedObject>;
  /**
   * Returns the object, or a part of it, as a body for a response, with only a few chunks in memory.
   * Throws `ServiceError` of kind `storage-failed` for a missing object: a row named it.
   */
  read(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array>>;
  /** Returns the size in bytes, or undefined for a missing object. */
  stat(key: string): Promise<{ bytes: number } | undefined>;
  /** Removes an object. Ignores a missing one. */
  remove(key: string): Promise<void>;
  /** Yields every object, in no order, for checks of the whole store. */
  list(): AsyncIterable<ListedObject>;
  /** Yields the remains of unfinished uploads that have not changed since `before`. */
  listUnfinished(before: Date): AsyncIterable<Unfinished>;
  /**
   * Returns an address from which anyone can fetch the object from the store itself, for a short while. Absent for a
   * store whose bytes go through this program.
   */
  presign?(key: string, headers: DownloadHeaders): Promise<string>;
  /**
   * Cleans up after processes that ended without warning: keeps the staged objects that a row names, as `isReferred`
   * reports, and removes the others. Touches nothing of a process that is alive.
   */
  recover(
    isReferred: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<{ kept: number; removed: number }>;
  /** Throws `storage-failed` if the store cannot be written to now. */
  check(): Promise<void>;
}

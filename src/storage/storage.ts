/** Length and checksum of stored bytes. */
export interface StoredBytes {
  readonly bytes: number;
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string;
}

/** A complete, durable object to which no row refers yet. */
export interface StagedObject extends StoredBytes {
  readonly key: string;
  /** Makes the object permanent. Call it after the row that names it is committed. */
  keep(): Promise<void>;
  /** Removes the object. */
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
export interface UnfinishedUpload {
  /** A description for administrators, in the words of the store. */
  readonly name: string;
  readonly modified: Date;
  /** Removes it. Ignores one that is already removed. */
  remove(): Promise<void>;
}

/** The marker of a store: an id that shows that its place is the right one. */
export interface StoreMarker {
  /** Returns the id in the marker; undefined without one. */
  read(): Promise<string | undefined>;
  /** Writes a marker unless there is one. Returns the id of the marker that is then there. Throws `storage-failed`. */
  create(id: string): Promise<string>;
  /** Lets `put` and `check` throw `storage-failed` unless the marker has this id. */
  expect(id: string): void;
}

/** A disk that holds a store. */
export interface Disk {
  /** Equal for all stores on the same disk. */
  readonly id: string;
  /** The number of bytes that this program may still write. */
  readonly freeBytes: number;
}

/** The lifetime of an address of `presign`: long enough to begin a download over any line. */
export const PRESIGNED_SECONDS = 300;
/** The same for a file that strangers may not read: who gets the address from another reader has this long. */
export const PRIVATE_PRESIGNED_SECONDS = 60;

/** The headers with which a client receives a download. */
export interface DownloadHeaders {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/**
 * The store of the bytes of files: immutable objects under generated keys (`key.ts`), without folders. An object is
 * written once, completely, and never changed; its replacement has another key.
 */
export interface Storage {
  /**
   * Writes a stream of unknown length under `key`. The object is complete and flushed to the disk when this resolves;
   * until `keep` is called, the clean-up after a crash removes it (see `recover`). If the stream fails, `signal` aborts or
   * the store is full, leaves nothing and rejects with the stream's own error, or a `ServiceError` of kind `storage-full`
   * or `storage-failed`.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedObject>;
  /**
   * Returns the object, or a part of it, as a body for a response, with only a few chunks in memory.
   * Throws `ServiceError` of kind `storage-failed` for a missing object, which a row named, and for one of another size
   * than `bytes`.
   */
  read(key: string, range?: ByteRange, bytes?: number): Promise<Blob | ReadableStream<Uint8Array>>;
  /** Returns the size in bytes, or undefined for a missing object. */
  stat(key: string): Promise<{ bytes: number } | undefined>;
  /** Removes an object. Ignores a missing one. */
  remove(key: string): Promise<void>;
  /** Yields every object, in no order, for checks of the whole store. */
  list(): AsyncIterable<ListedObject>;
  /** Yields the remains of unfinished uploads that have not changed since `before`. */
  listUnfinished(before: Date): AsyncIterable<UnfinishedUpload>;
  /**
   * Returns an address from which anyone can fetch the object directly from the store, for some seconds. Missing if the
   * bytes of the store go through this program.
   */
  presign?(key: string, headers: DownloadHeaders, seconds: number): Promise<string>;
  /** Returns the disk of the store, as it is now. Missing if the store does not tell how much room it has. */
  disk?(): Promise<Disk>;
  /**
   * Cleans up after killed processes: keeps the staged objects that a row names, as `isReferred` reports, and removes the
   * others. Changes nothing of a running process.
   */
  recover(
    isReferred: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<{ kept: number; removed: number }>;
  /** The marker. Missing for a store whose place cannot be mistaken for another one. */
  readonly marker?: StoreMarker;
  /** Throws `storage-failed` if the store cannot be written to now, or lacks the expected marker. */
  check(): Promise<void>;
}

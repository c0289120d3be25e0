/** What is known of bytes that were stored. */
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

/** What an upload has left behind that was never finished. */
export interface Unfinished {
  /** For people: what is there, in the words of the store. */
  readonly name: string;
  readonly modified: Date;
  /** Removes it; what is gone already is no error. */
  remove(): Promise<void>;
}

/** How long an address of `presign` is good: long enough to begin a download, whatever the line. */
export const PRESIGNED_SECONDS = 300;

/** How a download looks to whoever gets it. */
export interface DownloadHeaders {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/**
 * Where the bytes of files are: a flat store of immutable objects under keys of our own making
 * (`key.ts`). An object is written once, whole, and never changed; what replaces it has another key.
 */
export interface Storage {
  /**
   * Writes a stream of unknown length under `key`. The object exists, whole and flushed to the disk, when
   * this resolves; until `keep` is called it is forgotten after a crash (see `recover`). If the stream
   * fails, `signal` aborts or the store is full, nothing is left and the call rejects: with the stream's own
   * error, or a `ServiceError` of kind `storage-full` or `storage-failed`.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedObject>;
  /**
   * The object, or a part of it, as a body for a response: never more of it in memory than a few chunks.
   * Throws `ServiceError` of kind `storage-failed` for one that is not there: a row named it.
   */
  read(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array>>;
  /** The size in bytes, or undefined if there is no such object. */
  stat(key: string): Promise<{ bytes: number } | undefined>;
  /** Removes an object; one that is not there is no error. */
  remove(key: string): Promise<void>;
  /** Every object, in no order, for checks of the whole store. */
  list(): AsyncIterable<ListedObject>;
  /** What unfinished uploads have left that nobody has touched since `before`. */
  listUnfinished(before: Date): AsyncIterable<Unfinished>;
  /**
   * An address from which whoever has it can fetch the object from the store itself, for a short while. Absent for a
   * store whose bytes go through this program.
   */
  presign?(key: string, headers: DownloadHeaders): Promise<string>;
  /**
   * Clears up after processes that ended without warning: of what they had staged, keeps what `isReferred`
   * says a row names, and removes the rest. Touches nothing of a process that lives.
   */
  recover(
    isReferred: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<{ kept: number; removed: number }>;
  /** Whether it can be written to now; throws `storage-failed` if not. */
  check(): Promise<void>;
}

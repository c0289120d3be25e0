import type { Pace } from '../../base/byte-pace.ts';
import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import { storageFailed } from '../../storage/errors.ts';
import { newKey } from '../../storage/key.ts';
import type { StagedObject, Storage, StoredBytes } from '../../storage/storage.ts';

/** What is wrong with the bytes that were to be copied. */
export type CopyFault =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly found: Partial<StoredBytes> }
  | { readonly kind: 'unreadable'; readonly error: unknown };

export interface CopyOptions {
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Told of the bytes that have been read, chunk by chunk. */
  readonly onBytes: (bytes: number) => void;
}

/** The object that is to be copied, and what it should hold. */
export interface Original extends StoredBytes {
  readonly storage: Storage;
  readonly key: string;
}

/**
 * Copies an object into another store under a new key, and reads the copy back: what is answered holds what it
 * should, byte for byte, and is not kept yet. Answers what is wrong with the original, of which then no copy is left.
 * Throws the reason of the signal, what the other store throws, and `unavailable` for a store that is away.
 */
export async function copyObject(
  original: Original,
  to: Storage,
  options: CopyOptions,
): Promise<{ copy: StagedObject } | { fault: CopyFault }> {
  const stored = await stat(original);
  if ('fault' in stored) return stored;
  const reading: Reading = { failure: undefined };
  let copy: StagedObject;
  try {
    copy = await to.put(newKey(), read(original, options, reading), options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    if (reading.failure === undefined) throw error;
    return { fault: unreadable(reading.failure.error) };
  }
  try {
    const { bytes, sha256 } = copy;
    if (bytes !== original.bytes || sha256 !== original.sha256) {
      await copy.discard();
      return { fault: { kind: 'damaged', found: { bytes, sha256 } } };
    }
    await readBack(to, copy, options.signal);
    return { copy };
  } catch (error) {
    await copy.discard();
    throw error;
  }
}

async function stat({ storage, key, bytes }: Original): Promise<{ bytes: number } | { fault: CopyFault }> {
  let found: { bytes: number } | undefined;
  try {
    found = await storage.stat(key);
  } catch (error) {
    return { fault: unreadable(error) };
  }
  if (found === undefined) return { fault: { kind: 'missing' } };
  return found.bytes === bytes ? found : { fault: { kind: 'damaged', found } };
}

/** A store that is away says nothing about the object. */
function unreadable(error: unknown): CopyFault {
  if (error instanceof ServiceError && error.kind === 'unavailable') throw error;
  return { kind: 'unreadable', error };
}

interface Reading {
  /** Why the original could not be read to its end: the other store rejects with it as with failures of its own. */
  failure: { readonly error: unknown } | undefined;
}

async function* read(
  { storage, key }: Original,
  { pace, signal, onBytes }: CopyOptions,
  reading: Reading,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of streamOf(await storage.read(key))) {
      await pace.take(chunk.byteLength, signal);
      onBytes(chunk.byteLength);
      yield chunk;
    }
  } catch (error) {
    reading.failure = { error };
    throw error;
  }
}

/** Throws `storage-failed` for a copy that is not read as it was written. */
async function readBack(storage: Storage, copy: StagedObject, signal: AbortSignal): Promise<void> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of streamOf(await storage.read(copy.key))) {
    signal.throwIfAborted();
    hasher.update(chunk);
    noteStreamed(chunk.byteLength);
  }
  const found = hasher.digest('hex');
  if (found === copy.sha256) return;
  throw storageFailed(
    'A copy was read back with other bytes than were written: the storage that it was made in cannot be trusted.',
    new Error(`object ${copy.key} was written with SHA-256 ${copy.sha256} and read with ${found}`),
  );
}

function streamOf(body: Blob | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return body instanceof Blob ? body.stream() : body;
}

import type { Pace } from '../../base/byte-pace.ts';
import { ServiceError } from '../../base/errors.ts';
import { storageFailed } from '../../storage/errors.ts';
import { newKey } from '../../storage/key.ts';
import { readSource, streamOf } from '../../storage/read-source.ts';
import type { StagedObject, Storage, StoredBytes } from '../../storage/storage.ts';

/** Why an object cannot be copied. */
export type CopyFault =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly actual: Partial<StoredBytes> }
  | { readonly kind: 'unreadable'; readonly error: unknown };

export interface CopyOptions {
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Called with the number of bytes of each chunk that was read. */
  readonly onBytes: (bytes: number) => void;
}

/** The object to copy, with its expected bytes. */
interface Original extends StoredBytes {
  readonly storage: Storage;
  readonly key: string;
}

/**
 * Copies an object into another store under a new key, and reads the copy back. Returns the verified copy, which is not
 * kept yet; or why the original cannot be copied, and leaves no copy then. Throws the reason of the signal, errors of the
 * other store, and `unavailable` if a store is unreachable.
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
      return { fault: { kind: 'damaged', actual: { bytes, sha256 } } };
    }
    await readBack(to, copy, options.signal);
    return { copy };
  } catch (error) {
    await copy.discard();
    throw error;
  }
}

async function stat({ storage, key, bytes }: Original): Promise<{ bytes: number } | { fault: CopyFault }> {
  let stats: { bytes: number } | undefined;
  try {
    stats = await storage.stat(key);
  } catch (error) {
    return { fault: unreadable(error) };
  }
  if (stats === undefined) return { fault: { kind: 'missing' } };
  return stats.bytes === bytes ? stats : { fault: { kind: 'damaged', actual: stats } };
}

/** An unreachable store tells nothing about the object. */
function unreadable(error: unknown): CopyFault {
  if (error instanceof ServiceError && error.kind === 'unavailable') throw error;
  return { kind: 'unreadable', error };
}

interface Reading {
  /** Why the original could not be read. The other store rejects with the same error as with failures of its own. */
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

/** Throws `storage-failed` if a copy is not read as it was written. */
async function readBack(storage: Storage, copy: StagedObject, signal: AbortSignal): Promise<void> {
  const { sha256 } = await readSource(streamOf(await storage.read(copy.key)), signal);
  if (sha256 === copy.sha256) return;
  throw storageFailed(
    'A copy was read back with other bytes than were written: the storage that it was made in cannot be trusted.',
    new Error(`object ${copy.key} was written with SHA-256 ${copy.sha256} and read with ${sha256}`),
  );
}

import { malformed, ServiceError } from '../../base/errors.ts';
import { freeChunk } from '../../base/free-chunk.ts';
import type { ImageSize } from '../../base/images/byte-source.ts';
import { createImageSizer } from '../../base/images/image-size.ts';
import { recognizeType, TYPE_HEAD_BYTES } from '../../base/recognize-type.ts';
import type { UploadRate } from '../../base/upload-rate.ts';
import { isOutcomeUnknown } from '../../database/errors.ts';
import { type ClaimedDigest, checkDigest } from '../../http/digest-fields.ts';
import { newKey } from '../../storage/key.ts';
import type { StagedObject, Storage } from '../../storage/storage.ts';
import type { Scheme } from './scheme.ts';
import { guardSilence, type SilenceGuard } from './silence-guard.ts';

/** A body to store as a file. */
export interface IncomingFile {
  readonly body: AsyncIterable<Uint8Array> | null;
  /** True for a body that comes through a port: its chunks are freed after use (decision 4). Default: false. */
  readonly isFromNetwork?: boolean;
  /** The declared length; undefined for a stream of unknown length. */
  readonly declaredBytes: number | undefined;
  readonly digests: readonly ClaimedDigest[];
  readonly maxBytes: number | undefined;
  /** Returns the error for a body of more than `maxBytes`; default: `too-large`. */
  readonly beyond?: ((maxBytes: number) => ServiceError) | undefined;
  readonly signal: AbortSignal;
  /** Minimum rate of the sender; default: none. */
  readonly minRate?: UploadRate | undefined;
  /** Maximum silence of the sender (default: five minutes). */
  readonly maxSilenceMs?: number;
  /** True skips the search for the type and for the size of an image. The name of a file does not tell whether it is one. */
  readonly isNoImage?: boolean;
}

/** Complete, durable bytes that no row refers to yet. */
export interface IngestedBytes {
  readonly staged: StagedObject;
  /** The scheme whose storage holds them. */
  readonly store: Scheme;
  /** Undefined for other files than images. */
  readonly size: ImageSize | undefined;
  /** The MIME type that the bytes have. Undefined for an unknown format. */
  readonly recognizedType: string | undefined;
}

/**
 * Streams a body into the storage of a scheme, and determines its checksum, its length and the size of an image. Throws
 * `malformed` for a body that differs from its declared length or digest, `too-large` and `too-slow`, and then stores
 * nothing.
 */
export async function ingest(store: Scheme, upload: IncomingFile): Promise<IngestedBytes> {
  const { declaredBytes, maxBytes, digests, beyond = tooLarge } = upload;
  if (maxBytes !== undefined && declaredBytes !== undefined && declaredBytes > maxBytes) throw beyond(maxBytes);
  const sizer = upload.isNoImage ? undefined : createImageSizer();
  const guard = guardSilence(upload.signal, upload.minRate, upload.maxSilenceMs);
  const head = upload.isNoImage ? undefined : createHead(TYPE_HEAD_BYTES);
  const watched = watch(upload, guard, (chunk) => {
    sizer?.push(chunk);
    head?.push(chunk);
  });
  const staged = await stage(store, watched, guard.signal).finally(guard.end);
  try {
    if (declaredBytes !== undefined && staged.bytes !== declaredBytes)
      throw malformed(`The body ended after ${staged.bytes} of ${declaredBytes} bytes.`);
    checkDigest(digests, staged.sha256);
    const size = await sizer?.result((offset, length) => readPart(store.storage, staged, offset, length));
    return { staged, store, size, recognizedType: head && (await recognizeType(head.bytes())) };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** Collects copies of the first bytes of a body. */
function createHead(maxBytes: number) {
  const parts: Uint8Array[] = [];
  let missing = maxBytes;
  return {
    push(chunk: Uint8Array) {
      if (missing === 0) return;
      const part = chunk.slice(0, missing);
      parts.push(part);
      missing -= part.byteLength;
    },
    bytes: (): Uint8Array => Buffer.concat(parts),
  };
}

/** Stores a body. An abort by the client becomes `client-gone`. */
async function stage(
  { storage }: Scheme,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<StagedObject> {
  try {
    return await storage.put(newKey(), source, signal);
  } catch (error) {
    const isAbort = error === signal.reason && signal.aborted && !(error instanceof ServiceError);
    throw isAbort ? interrupted(error) : error;
  }
}

/**
 * Runs a save that refers to stored bytes. They stay if it succeeds, and are removed if it fails. If the outcome is
 * unknown, they stay until garbage collection finds that no row names them. The save may add to a list.
 */
export async function keepIf<T>(
  ingested: IngestedBytes | readonly IngestedBytes[],
  save: () => Promise<T>,
): Promise<T> {
  const all = 'staged' in ingested ? [ingested] : ingested;
  let saved: T;
  try {
    saved = await save();
  } catch (error) {
    if (!isOutcomeUnknown(error)) for (const { staged } of all) await staged.discard();
    throw error;
  }
  for (const { staged } of all) await staged.keep();
  return saved;
}

async function* watch(
  { body, isFromNetwork = false, maxBytes, beyond = tooLarge }: IncomingFile,
  guard: SilenceGuard,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  let bytes = 0;
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await guard.listen(nextOf(chunks));
      if (next.done) return;
      bytes += next.value.byteLength;
      guard.add(next.value.byteLength);
      if (maxBytes !== undefined && bytes > maxBytes) throw beyond(maxBytes);
      see(next.value);
      yield next.value;
      if (isFromNetwork) freeChunk(next.value);
    }
  } finally {
    await chunks.return?.();
  }
}

/** Returns the next chunk. Throws `client-gone` for an interrupted body. */
async function nextOf(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw interrupted(error);
  }
}

function interrupted(cause: unknown): ServiceError {
  return new ServiceError('client-gone', 'The body of the request ended before it was complete.', { cause });
}

async function readPart(
  storage: Storage,
  { key, bytes }: StagedObject,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  if (offset >= bytes || length <= 0) return new Uint8Array(0);
  const part = await storage.read(key, { first: offset, last: Math.min(offset + length, bytes) - 1 });
  return new Response(part).bytes();
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too-large', `The file is larger than the maximum of ${maxBytes} bytes.`);
}

import { ServiceError } from '../../base/errors.ts';
import type { UploadRate } from '../../base/upload-rate.ts';
import { failedGuard } from '../../database/errors.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { newKey } from '../../storage/key.ts';
import type { StagedObject } from '../../storage/storage.ts';
import type { Services } from '../content/services.ts';
import { keepIf } from '../files/ingest.ts';
import { type Scheme, storeForNew } from '../files/scheme.ts';
import { guardSilence } from '../files/silence-guard.ts';
import { type BodyPieces, createBodyPieces } from './body-pieces.ts';
import { LIFETIME_SECONDS } from './create-upload.ts';
import { appendPart } from './upload-rows.ts';

/** The size of a part. Larger ones are flushed to the disk less often; a killed process loses at most two. */
export const PART_BYTES = 16 * 1024 * 1024;
/** Maximum number of parts beyond those of full size: each lost connection leaves a smaller one. */
const MAX_SMALL_PARTS = 10_000;

/** The bytes of an upload from its current position on. */
interface ReceivedBody {
  readonly body: AsyncIterable<Uint8Array>;
  readonly isFromNetwork: boolean;
  readonly signal: AbortSignal;
  readonly minRate: UploadRate | undefined;
}

/**
 * Stores the bytes of a request as parts, and returns the position behind them. Every part is durable before its row is,
 * and has a row only if all parts before it have one. While a part is flushed, the next one is received. If the body ends
 * early, its bytes up to there are stored, then this rejects: with `client-gone`, or `too-slow`. Throws `conflict` if
 * another request has appended to the upload, `too-large` for more bytes than were announced, and `storage-full`.
 */
export async function receiveParts(services: Services, upload: UploadRow, received: ReceivedBody): Promise<number> {
  const store = storeOfParts(services);
  const guard = guardSilence(received.signal, received.minRate);
  const pieces = createBodyPieces(received.body, guard, received.isFromNetwork);
  const failed = new AbortController();
  let first = upload.received;
  let { parts } = upload;
  let saved: Promise<void> = Promise.resolve();
  try {
    while (await pieces.hasMore()) {
      const room = upload.bytes - first;
      if (room === 0 || parts >= MAX_SMALL_PARTS + upload.bytes / PART_BYTES) {
        // The bytes before these are kept.
        await saved;
        throw room === 0 ? tooLong(upload.bytes) : tooManyParts();
      }
      const piece = takePiece(pieces, Math.min(PART_BYTES, room));
      // Without the signal of the client: what has arrived is stored even if the connection is lost.
      const staging = store.storage.put(newKey(), piece.source, failed.signal);
      const before = saved;
      saved = savePart(services, { upload, store, first, staging, before });
      await Promise.race([Promise.all([piece.ended, before]), saved]);
      first += piece.bytes;
      parts += 1;
    }
    await saved;
    const { failure } = pieces;
    if (failure !== undefined) throw interrupted(failure.error);
    return first;
  } catch (error) {
    failed.abort(error);
    // Its error is the one that is thrown, or follows from it.
    await Promise.allSettled([saved]);
    throw error;
  } finally {
    guard.end();
    await pieces.end();
  }
}

interface Piece {
  readonly source: AsyncIterable<Uint8Array>;
  /** Resolves when the store has read all of it. */
  readonly ended: Promise<void>;
  /** The number of bytes so far. */
  readonly bytes: number;
}

function takePiece(pieces: BodyPieces, maxBytes: number): Piece {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  async function* count() {
    for await (const chunk of pieces.next(maxBytes)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
    resolve();
  }
  return {
    source: count(),
    ended,
    get bytes() {
      return bytes;
    },
  };
}

interface NewPart {
  readonly upload: UploadRow;
  readonly store: Scheme;
  readonly first: number;
  readonly staging: Promise<StagedObject>;
  /** Resolves when the part before has its row. */
  readonly before: Promise<void>;
}

/** Adds the row of a part when its bytes are durable and the part before has its row. Otherwise removes the bytes. */
async function savePart({ database, now }: Services, part: NewPart): Promise<void> {
  const { upload, store, first, staging, before } = part;
  const staged = await staging;
  try {
    await before;
  } catch (error) {
    await staged.discard();
    throw error;
  }
  const { key: storageKey, bytes } = staged;
  const row = { id: upload.id, first, bytes, storageKey, scheme: store.name, expires: now() + LIFETIME_SECONDS };
  await keepIf({ staged, store, size: undefined, recognizedType: undefined }, () =>
    database.write(appendPart(row)),
  ).catch(nameRace);
}

function nameRace(error: unknown): never {
  if (failedGuard(error) !== 'guard_stale') throw error;
  throw otherRequest(error);
}

/** Returns the error for an upload that is longer than the client believes. */
export function otherRequest(cause?: unknown): ServiceError {
  const message = 'Another request has added to this upload. Ask for its Upload-Offset, and continue from there.';
  return new ServiceError('conflict', message, { cause });
}

export function tooLong(bytes: number): ServiceError {
  return new ServiceError('too-large', `The upload was announced with ${bytes} bytes: the body has more.`, {
    headers: { Connection: 'close' },
  });
}

function tooManyParts(): ServiceError {
  return new ServiceError('conflict', 'The upload came in too many small parts. Delete it, and upload the file again.');
}

function interrupted(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('client-gone', 'The body of the request ended before it was complete.', { cause });
}

/** Returns the store of new parts of uploads: that of most files, or the first one. */
export function storeOfParts(services: Pick<Services, 'model' | 'schemes'>): Scheme {
  const [type] = services.model.mediaTypes.values();
  const [any] = services.schemes.values();
  const scheme = services.schemes.get(type?.sourceField.uriScheme ?? 'public') ?? any;
  if (scheme !== undefined) return storeForNew(services, scheme);
  throw new ServiceError('misconfigured', 'No storage is configured for uploads.');
}

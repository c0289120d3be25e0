import { ServiceError } from '../../base/errors.ts';
import type { UploadRate } from '../../base/upload-rate.ts';
import { failedGuard } from '../../database/errors.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { newKey } from '../../storage/key.ts';
import type { Services } from '../content/services.ts';
import { keepIf } from '../files/ingest.ts';
import { type Scheme, storeForNew } from '../files/scheme.ts';
import { guardSilence } from '../files/silence-guard.ts';
import { createBodyPieces } from './body-pieces.ts';
import { LIFETIME_SECONDS } from './create-upload.ts';
import { appendPart } from './upload-rows.ts';

/** The size of a part. Larger ones are flushed to the disk less often; a killed process loses at most one. */
export const PART_BYTES = 16 * 1024 * 1024;
/** Maximum number of parts beyond those of full size: each lost connection leaves a smaller one. */
const MAX_SMALL_PARTS = 10_000;

/** The bytes of an upload from its current position on. */
export interface ReceivedBody {
  readonly body: AsyncIterable<Uint8Array>;
  readonly isFromNetwork: boolean;
  readonly signal: AbortSignal;
  readonly minRate: UploadRate | undefined;
}

/**
 * Stores the bytes of a request as parts, and returns the position behind them. Every part is durable before its row is.
 * If the body ends early, its bytes up to there are stored, then this rejects: with `client-gone`, or `too-slow`. Throws
 * `conflict` if another request has appended to the upload, `too-large` for more bytes than were announced, and
 * `storage-full`.
 */
export async function receiveParts(services: Services, upload: UploadRow, received: ReceivedBody): Promise<number> {
  const { database, now } = services;
  const store = storeOfParts(services);
  const guard = guardSilence(received.signal, received.minRate);
  const pieces = createBodyPieces(received.body, guard, received.isFromNetwork);
  let first = upload.received;
  let { parts } = upload;
  try {
    while (await pieces.hasMore()) {
      const room = upload.bytes - first;
      if (room === 0) throw tooLong(upload.bytes);
      if (parts >= MAX_SMALL_PARTS + upload.bytes / PART_BYTES) throw tooManyParts();
      // Without the signal of the client: what has arrived is stored even if the connection is lost.
      const staged = await store.storage.put(newKey(), pieces.next(Math.min(PART_BYTES, room)));
      const { key: storageKey, bytes } = staged;
      const expires = now() + LIFETIME_SECONDS;
      const part = { id: upload.id, first, bytes, storageKey, scheme: store.name, expires };
      await keepIf({ staged, store, size: undefined }, () => database.write(appendPart(part))).catch(nameRace);
      first += bytes;
      parts += 1;
    }
    const { failure } = pieces;
    if (failure !== undefined) throw interrupted(failure.error);
    return first;
  } finally {
    guard.end();
    await pieces.end();
  }
}

/** Returns the store of new parts: that of most files, or the first one. */
function storeOfParts(services: Services): Scheme {
  const [type] = services.model.mediaTypes.values();
  const [any] = services.schemes.values();
  const scheme = services.schemes.get(type?.sourceField.uriScheme ?? 'public') ?? any;
  if (scheme !== undefined) return storeForNew(services, scheme);
  throw new ServiceError('misconfigured', 'No storage is configured for uploads.');
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

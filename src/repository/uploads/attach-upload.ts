import { ServiceError, unprocessable } from '../../base/errors.ts';
import { freeChunk } from '../../base/free-chunk.ts';
import { failedGuard } from '../../database/errors.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { streamOf } from '../../storage/read-source.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../content/services.ts';
import { type IngestedBytes, ingest, keepIf } from '../files/ingest.ts';
import type { Scheme } from '../files/scheme.ts';
import type { PutParts } from '../media/put-to-node.ts';
import type { AttachTarget } from './attach-target.ts';
import { type Duplicate, findDuplicates } from './find-duplicates.ts';
import { requireRoom } from './require-room.ts';
import { saveUpload, storeOfTarget } from './save-upload.ts';
import { resultOf, type UploadEntities } from './upload-result.ts';
import { findOwnUpload, findParts, noteChecksum } from './upload-rows.ts';

/** A request to make a file of a complete upload. */
interface AttachUpload {
  readonly actor: Actor;
  readonly upload: UploadRow;
  readonly target: AttachTarget;
  /** The SHA-256 that the file must have. */
  readonly sha256: string | undefined;
  /** True to report files with the same bytes, if there are any, and to save nothing then. */
  readonly asksForDuplicates: boolean;
  readonly signal: AbortSignal;
}

export interface AttachOutcome {
  readonly sha256: string;
  /** Undefined if duplicates were found and the request asks for them. */
  readonly attached: UploadEntities | undefined;
  readonly duplicates: readonly Duplicate[];
}

/**
 * Makes a file of a complete upload, and saves it as `target` says. A repeated call returns the first result: an upload
 * becomes one file, also if a process was killed meanwhile or two requests come at the same time. Throws `conflict` for
 * an incomplete upload, `unprocessable` for an empty one, and the errors of the save.
 */
export async function attachUpload(parts: PutParts, request: AttachUpload): Promise<AttachOutcome> {
  const { services } = parts;
  const { actor, upload, target, sha256, asksForDuplicates, signal } = request;
  const before = await outcomeBefore(parts, actor, upload);
  if (before !== undefined) return before;
  requireComplete(upload);
  if (asksForDuplicates && upload.sha256 !== null) {
    const duplicates = await findDuplicates(parts, actor, upload.sha256);
    if (duplicates.length > 0) return { sha256: upload.sha256, attached: undefined, duplicates };
  }
  const store = await storeOfTarget(parts, target, upload.filename);
  // A join that fails at its end would have filled the disk until then.
  await requireRoom([{ store, bytes: upload.bytes }]);
  const ingested = await storeUpload(services, upload, store, { sha256, signal });
  const duplicates = await discardIfFails(ingested, () => findDuplicates(parts, actor, ingested.staged.sha256));
  if (asksForDuplicates && duplicates.length > 0) {
    await ingested.staged.discard();
    await services.database.write([noteChecksum({ id: upload.id, sha256: ingested.staged.sha256 })]);
    return { sha256: ingested.staged.sha256, attached: undefined, duplicates };
  }
  const discarding = await services.database.all(findParts({ id: upload.id }));
  try {
    const attached = await keepIf(ingested, () => saveUpload(parts, { actor, upload, target, ingested }));
    for (const { scheme, storageKey } of discarding) services.discards.add(scheme, storageKey);
    return { sha256: ingested.staged.sha256, attached, duplicates };
  } catch (error) {
    if (failedGuard(error) !== 'guard_lost') throw error;
    const now = await findOwnUpload(services, actor, upload.id);
    const other = now && (await outcomeBefore(parts, actor, now));
    if (other !== undefined) return other;
    throw new ServiceError('conflict', 'Another request is saving this upload, or has deleted it. Try again.', {
      cause: error,
    });
  }
}

/** Returns the outcome of an earlier request; undefined if there was none. */
async function outcomeBefore(parts: PutParts, actor: Actor, upload: UploadRow): Promise<AttachOutcome | undefined> {
  const attached = await resultOf(parts.services, upload);
  if (attached === undefined || upload.sha256 === null) return undefined;
  const copies = await findDuplicates(parts, actor, upload.sha256);
  const duplicates = copies.filter(({ fileId }) => fileId !== attached.fileId);
  return { sha256: upload.sha256, attached, duplicates };
}

function requireComplete({ received, bytes, filename }: UploadRow): void {
  if (received < bytes)
    throw new ServiceError('conflict', `The upload is not complete: ${received} of ${bytes} bytes have arrived.`);
  if (bytes === 0) throw unprocessable(`The file ${JSON.stringify(filename)} is empty (0 bytes): nothing was saved.`);
}

async function discardIfFails<T>({ staged }: IngestedBytes, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/**
 * Joins the parts of a complete upload to one object in the storage of a scheme, with its checksum. Throws `malformed` if
 * the checksum differs from `sha256`, and `conflict` if the parts were removed meanwhile.
 */
async function storeUpload(
  services: Services,
  upload: UploadRow,
  store: Scheme,
  { sha256, signal }: { readonly sha256: string | undefined; readonly signal: AbortSignal },
): Promise<IngestedBytes> {
  const digests = sha256 === undefined ? [] : [{ field: 'Content-Digest' as const, sha256 }];
  const body = readParts(services, upload);
  return ingest(store, { body, declaredBytes: upload.bytes, digests, maxBytes: undefined, signal });
}

async function* readParts(
  { database, schemes }: Services,
  { id, bytes: total }: UploadRow,
): AsyncGenerator<Uint8Array, void, void> {
  const parts = (await database.write({ parts: findParts({ id }) })).parts;
  let position = 0;
  for (const { first, bytes, scheme, storageKey } of parts) {
    const storage = schemes.get(scheme)?.storage;
    if (storage === undefined || first !== position) throw lost(`${scheme} ${first}`);
    for await (const chunk of streamOf(await storage.read(storageKey, undefined, bytes))) {
      yield chunk;
      freeChunk(chunk);
    }
    position += bytes;
  }
  if (position !== total) throw lost(`${position} of ${total} bytes`);
}

function lost(cause: string): ServiceError {
  const message = 'The parts of this upload no longer exist. Upload the file again.';
  return new ServiceError('conflict', message, { cause });
}

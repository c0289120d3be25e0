import { ServiceError } from '../../base/errors.ts';
import { freeChunk } from '../../base/free-chunk.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { streamOf } from '../../storage/read-source.ts';
import type { Services } from '../content/services.ts';
import { type Ingested, ingest } from '../files/ingest.ts';
import type { Scheme } from '../files/scheme.ts';
import { findParts } from './upload-rows.ts';

/**
 * Joins the parts of a complete upload to one object in the storage of a scheme, with its checksum. Throws `malformed` if
 * the checksum differs from `sha256`, and `conflict` if the parts were removed meanwhile.
 */
export async function storeUpload(
  services: Services,
  upload: UploadRow,
  store: Scheme,
  { sha256, signal }: { readonly sha256: string | undefined; readonly signal: AbortSignal },
): Promise<Ingested> {
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

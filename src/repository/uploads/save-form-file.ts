import { unprocessable } from '../../base/errors.ts';
import type { Actor } from '../actor.ts';
import { type IncomingFile, ingest, keepIf } from '../files/ingest.ts';
import type { PutParts } from '../media/put-to-node.ts';
import type { AttachTarget } from './attach-target.ts';
import { createUpload } from './create-upload.ts';
import { saveUpload, storeOfTarget } from './save-upload.ts';
import type { Attached } from './upload-result.ts';

/** A file of a form, which arrives in one request. */
export interface FormFile {
  readonly filename: string;
  readonly filemime: string;
  readonly upload: Pick<IncomingFile, 'body' | 'isFromNetwork' | 'maxBytes' | 'minRate' | 'signal'>;
}

/** Stores a file of a form, and saves it as `target` says. Throws `unprocessable` for an empty one, and as `saveUpload`. */
export async function saveFormFile(
  parts: PutParts,
  actor: Actor,
  target: AttachTarget,
  { filename, filemime, upload }: FormFile,
): Promise<Attached & { readonly sha256: string }> {
  const { services } = parts;
  const store = await storeOfTarget(parts, target, filename);
  const ingested = await ingest(store, { ...upload, declaredBytes: undefined, digests: [] });
  const { bytes, sha256 } = ingested.staged;
  return keepIf(ingested, async () => {
    if (bytes === 0) throw unprocessable('The file is empty (0 bytes): nothing was saved.');
    // An upload without parts: the same transactions save it.
    const row = await createUpload(services, actor, { filename, filemime, bytes });
    return { ...(await saveUpload(parts, { actor, upload: row, target, ingested })), sha256 };
  });
}

import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../base/errors.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import type { DiscardQueue } from '../files/discarded.ts';
import { removeExpiredUploads } from './remove-uploads.ts';
import { countUnattached, insertUpload } from './upload-rows.ts';

/** The time after which an upload without a new part is removed: a closed laptop may stay closed for a week. */
export const LIFETIME_SECONDS = 7 * 24 * 3600;
/** Maximum number of uploads of a user that are not attached yet. Clients upload a few files at a time. */
export const MAX_UNATTACHED = 100;

const ID_BYTES = 16;
const MAX_NAME_CHARS = 255;

/** The file that a client will upload. */
export interface NewUpload {
  readonly filename: string;
  readonly filemime: string;
  /** `Upload-Metadata` as the client sent it. */
  readonly metadata: string | null;
  readonly bytes: number;
}

/** Creates an empty upload. Throws `too-many-requests` for a user with too many unfinished ones. */
export async function createUpload(
  services: BaseServices & { readonly discards: DiscardQueue },
  actor: Actor,
  { filename, filemime, metadata, bytes }: NewUpload,
): Promise<UploadRow> {
  const { database, now } = services;
  await removeExpiredUploads(services);
  const created = now();
  const unattached = (await database.get(countUnattached({ ownerId: actor.id, now: created })))?.count ?? 0;
  if (unattached >= MAX_UNATTACHED)
    throw new ServiceError(
      'too-many-requests',
      `You have ${unattached} unfinished uploads. Finish or delete some of them, then try again.`,
    );
  const id = randomBytes(ID_BYTES).toString('hex');
  const name = [...filename.normalize('NFC')].slice(-MAX_NAME_CHARS).join('');
  const expires = created + LIFETIME_SECONDS;
  const row = { id, ownerId: actor.id, filename: name, filemime, metadata, bytes, created, expires };
  await database.write([insertUpload(row)]);
  return { ...row, received: 0, parts: 0, sha256: null, nodeUuid: null, mediaUuid: null, fileId: null };
}

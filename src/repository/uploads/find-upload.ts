import type { UploadRow } from '../../database/schema/uploads.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import { findUpload } from './upload-rows.ts';

/** Returns an upload of the actor; undefined if it does not exist, has expired, or belongs to another user. */
export async function findOwnUpload(
  { database, now }: BaseServices,
  actor: Actor,
  id: string,
): Promise<UploadRow | undefined> {
  const query = findUpload({ id, now: now() });
  // A replica may be behind another server, which has received a part.
  const row = database.isShared ? (await database.write({ found: query })).found[0] : await database.get(query);
  return row !== undefined && actor.isAuthenticated && row.ownerId === actor.id ? row : undefined;
}

import { and, asc, count, eq, gt, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { type UploadRow, uploadParts, uploads } from '../../database/schema/uploads.ts';
import { isAmong, namesOf, requireOne } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';

/** The queries of uploads and their parts. */

type Id = Named<{ readonly id: string }>;

export const insertUpload = prepare((row: Named<NewUpload>) => {
  const { id, ownerId, filename, filemime, metadata, bytes, created, expires } = row;
  return query
    .insert(uploads)
    .values({ id, ownerId, filename, filemime, metadata, bytes, created, expires, received: 0, parts: 0 });
});
type NewUpload = Pick<
  UploadRow,
  'id' | 'ownerId' | 'filename' | 'filemime' | 'metadata' | 'bytes' | 'created' | 'expires'
>;

/** Finds an upload that has not expired. */
const findUpload = prepare(({ id, now }: Named<{ readonly id: string; readonly now: number }>) =>
  query
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), gt(uploads.expires, now))),
);

/** Counts the uploads of a user that are not attached yet. */
export const countUnattached = prepare(({ ownerId, now }: Named<{ readonly ownerId: number; readonly now: number }>) =>
  query
    .select({ count: count() })
    .from(uploads)
    .where(and(eq(uploads.ownerId, ownerId), gt(uploads.expires, now), isUnattached)),
);

/** The condition that nothing has been made of an upload yet. */
const isUnattached = and(isNull(uploads.mediaUuid), isNull(uploads.fileId));

export const findParts = prepare(({ id }: Id) =>
  query.select().from(uploadParts).where(eq(uploadParts.uploadId, id)).orderBy(asc(uploadParts.first)),
);

interface NewPart {
  readonly id: string;
  readonly first: number;
  readonly bytes: number;
  readonly storageKey: string;
  readonly scheme: string;
  readonly expires: number;
}

const advance = prepare(({ id, first, bytes, expires }: Named<Omit<NewPart, 'storageKey' | 'scheme'>>) =>
  query
    .update(uploads)
    .set({ received: sql`${uploads.received} + ${bytes}`, parts: sql`${uploads.parts} + 1`, expires })
    .where(and(eq(uploads.id, id), eq(uploads.received, first), isUnattached)),
);
const insertPart = prepare(({ id, first, bytes, storageKey, scheme }: Named<Omit<NewPart, 'expires'>>) =>
  query.insert(uploadParts).values({ uploadId: id, first, bytes, storageKey, scheme }),
);

/** Returns the statements that append a part. They fail (`guard_stale`) unless the upload has received `first` bytes. */
export function appendPart(part: NewPart): Statement[] {
  return [advance(part), requireOne('stale'), insertPart(part)];
}

/** The entities that were created from an upload. */
interface UploadResult {
  readonly id: string;
  readonly sha256: string;
  readonly mediaUuid: string | null;
  readonly fileId: number | null;
}

const finish = prepare(({ id, sha256, mediaUuid, fileId }: Named<UploadResult>) =>
  query
    .update(uploads)
    .set({ sha256, mediaUuid, fileId })
    .where(and(eq(uploads.id, id), isUnattached)),
);

/**
 * Returns the statements that note the result of an upload and discard its parts. They fail (`guard_lost`) if the upload
 * has a result already, or was removed.
 */
export function finishUpload(result: UploadResult): Statement[] {
  return [finish(result), requireOne('lost'), ...discardParts(result.id)];
}

/** Reserves a UUID for the item of an upload. Changes nothing if the upload has one already. */
export const reserveNode = prepare(({ id, nodeUuid }: Named<{ readonly id: string; readonly nodeUuid: string }>) =>
  query
    .update(uploads)
    .set({ nodeUuid })
    .where(and(eq(uploads.id, id), isNull(uploads.nodeUuid))),
);
export const nodeOfUpload = prepare(({ id }: Id) =>
  query.select({ nodeUuid: uploads.nodeUuid }).from(uploads).where(eq(uploads.id, id)),
);

export const noteChecksum = prepare(({ id, sha256 }: Named<{ readonly id: string; readonly sha256: string }>) =>
  query.update(uploads).set({ sha256 }).where(eq(uploads.id, id)),
);

const ofUpload = ({ id }: Id) => sql`${uploadParts.uploadId} = ${id}`;
const ofUploads = ({ ids }: Named<{ readonly ids: string }>) => isAmong(uploadParts.uploadId, ids);

/** Returns the query that notes the objects of parts as discarded. */
function noting(condition: SQL) {
  const { storageKey, scheme } = uploadParts;
  return plain(
    sql`INSERT INTO ${discardedObjects} (${namesOf(discardedObjects.storageKey, discardedObjects.scheme)})
      SELECT ${storageKey}, ${scheme} FROM ${uploadParts} WHERE ${condition}`,
  );
}

const noteParts = prepare((named: Id) => noting(ofUpload(named)));
const removeParts = prepare((named: Id) => query.delete(uploadParts).where(ofUpload(named)));

/** Returns the statements that remove the parts of an upload; their objects are then discarded. */
export function discardParts(id: string): Statement[] {
  return [noteParts({ id }), removeParts({ id })];
}

export const removeUploadRow = prepare(({ id }: Id) =>
  query.delete(uploads).where(eq(uploads.id, id)).returning({ id: uploads.id }),
);

export const findExpired = prepare(({ now, limit }: Named<{ readonly now: number; readonly limit: number }>) =>
  query
    .select({ id: uploads.id })
    .from(uploads)
    .where(lt(uploads.expires, now))
    .orderBy(asc(uploads.expires))
    .limit(limit),
);

type ExpiredUploads = Named<{ readonly ids: string; readonly now: number }>;

/** The condition that an upload is among the ids and still expired: a part may have postponed it. */
const isExpired = ({ ids, now }: ExpiredUploads) => and(isAmong(uploads.id, ids), lt(uploads.expires, now));
export const removeExpiredRows = prepare((expired: ExpiredUploads) => query.delete(uploads).where(isExpired(expired)));

/** Parts whose upload is missing. */
const isOrphaned = (named: Named<{ readonly ids: string }>): SQL =>
  sql`${ofUploads(named)} AND ${uploadParts.uploadId} NOT IN (SELECT ${uploads.id} FROM ${uploads})`;
export const noteOrphaned = prepare((named: Named<{ readonly ids: string }>) => noting(isOrphaned(named)));
export const removeOrphaned = prepare((named: Named<{ readonly ids: string }>) =>
  query
    .delete(uploadParts)
    .where(isOrphaned(named))
    .returning({ storageKey: uploadParts.storageKey, scheme: uploadParts.scheme }),
);

/** Returns an upload of the actor; undefined if it does not exist, has expired, or belongs to another user. */
export async function findOwnUpload(
  { database, now }: BaseServices,
  actor: Actor,
  id: string,
): Promise<UploadRow | undefined> {
  const query = findUpload({ id, now: now() });
  // A replica may be behind another server, which has received a part.
  const row = database.isShared ? (await database.write({ rows: query })).rows[0] : await database.get(query);
  return row !== undefined && actor.isAuthenticated && row.ownerId === actor.id ? row : undefined;
}

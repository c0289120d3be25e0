import { and, eq } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { isText } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../content/services.ts';

/** The entities that were created from an upload. */
export interface UploadEntities {
  readonly mediaId: number;
  /** The item that was created for it. */
  readonly nodeId: number | undefined;
  readonly fileId: number | undefined;
}

const mediaWith = prepare(({ uuid }: Named<{ readonly uuid: string }>) =>
  query
    .select({ id: media.id, fileId: references.targetId })
    .from(media)
    .leftJoin(
      references,
      and(
        isText(references.sourceType, 'media'),
        eq(references.sourceId, media.id),
        isText(references.targetType, 'file'),
        eq(references.delta, 0),
      ),
    )
    .where(eq(media.uuid, uuid))
    .limit(1),
);
const nodeWith = prepare(({ uuid }: Named<{ readonly uuid: string }>) =>
  query.select({ id: nodes.id }).from(nodes).where(eq(nodes.uuid, uuid)),
);

/** Returns the result of an upload; undefined if it has none yet. Throws `conflict` if it was deleted since. */
export async function resultOf({ database }: Services, upload: UploadRow): Promise<UploadEntities | undefined> {
  const { mediaUuid, nodeUuid, fileId } = upload;
  if (mediaUuid === null) return undefined;
  const media = await database.get(mediaWith({ uuid: mediaUuid }));
  if (media === undefined) throw new ServiceError('conflict', 'The media of this upload was deleted since.');
  return {
    mediaId: media.id,
    nodeId: nodeUuid === null ? undefined : await findItem({ database }, nodeUuid),
    fileId: fileId ?? media.fileId ?? undefined,
  };
}

/** Returns the id of the item with the UUID that an upload has reserved. Undefined if it does not exist. */
export async function findItem({ database }: Pick<Services, 'database'>, uuid: string): Promise<number | undefined> {
  return (await database.get(nodeWith({ uuid })))?.id;
}

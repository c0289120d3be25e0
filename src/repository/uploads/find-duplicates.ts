import { and, asc, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { references } from '../../database/schema/references.ts';
import { isText } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { Content } from '../content/content.ts';
import { mayReadFile } from '../content/read/readable-files.ts';
import type { PutParts } from '../media/put-to-node.ts';
import { isNodeOf, refersTo } from '../relations.ts';

/** Maximum number of reported duplicates, and of files that are checked for them. */
const MAX_REPORTED = 5;
const MAX_CHECKED = 25;

/** A file with the same bytes that the caller may read. */
export interface Duplicate {
  readonly fileId: number;
  readonly uri: string;
  readonly filename: string;
  /** The media and the node that the file belongs to, if the caller may view them. */
  readonly mediaId: number | undefined;
  readonly node: Content | undefined;
}

const [ofMedia, ofNode] = [alias(references, 'm'), alias(references, 'n')];

const findSame = prepare(({ sha256 }: Named<{ readonly sha256: string }>) =>
  query
    .select({ id: files.id, uri: files.uri, filename: files.filename })
    .from(files)
    .where(eq(files.sha256, sha256))
    .orderBy(asc(files.id))
    .limit(MAX_CHECKED),
);

const findHolder = prepare(({ fileId }: Named<{ readonly fileId: number }>) =>
  query
    .select({ mediaId: ofMedia.sourceId, nodeId: ofNode.targetId })
    .from(ofMedia)
    .leftJoin(ofNode, isNodeOf(ofNode, ofMedia.sourceId))
    .where(and(refersTo(ofMedia, 'file', fileId), isText(ofMedia.sourceType, 'media')))
    .limit(1),
);

/** Returns files with a checksum that the actor may read, the oldest first. */
export async function findDuplicates(
  { services, findContent }: PutParts,
  actor: Actor,
  sha256: string,
): Promise<Duplicate[]> {
  const duplicates: Duplicate[] = [];
  for (const { id, uri, filename } of await services.database.all(findSame({ sha256 }))) {
    if (!(await mayReadFile(services, actor, id))) continue;
    const holder = await services.database.get(findHolder({ fileId: id }));
    const [media, node] = await Promise.all([
      holder && findContent('media', holder.mediaId),
      holder?.nodeId ? findContent('node', holder.nodeId) : undefined,
    ]);
    const mayView = (content: Content | undefined) => content?.kind.access.view(actor, content.head).isAllowed === true;
    duplicates.push({
      fileId: id,
      uri,
      filename,
      mediaId: mayView(media) ? media?.head.id : undefined,
      node: mayView(node) ? node : undefined,
    });
    if (duplicates.length === MAX_REPORTED) break;
  }
  return duplicates;
}

import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { media } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { literal } from '../../../database/sql.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../../model/media-use.ts';
import { mediaAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import { typeOfFileColumns } from '../../files/file-type.ts';
import { isMediaOf, isNodeOf } from '../../relations.ts';
import { isViewableNode } from '../hidden-nodes.ts';
import { type ViewerParameters, visibleThumbnails } from '../visible-rows.ts';
import { membersOf } from './card-list.ts';

/** Media as a kind whose visibility queries decide. */
export const MEDIA_KIND = { type: 'media', access: mediaAccess } as const;

/** The maximum number of a node's media among which its thumbnail is found. */
const MAX_MEDIA = 100;
/** The maximum number of a node's members that are examined, viewable or not. */
const MAX_EXAMINED = 1_000;
/** The maximum number of viewable members among which one with a thumbnail is found: of the node, and of its members. */
const MAX_MEMBERS = 24;
const MAX_BELOW = 8;

const THUMBNAIL = literal(MEDIA_USE_URI.thumbnail);

const [medium, file] = [alias(media, 'm'), alias(files, 'f')];
const [attached, use, source] = [alias(references, 'attached'), alias(references, 'use'), alias(references, 'source')];
const [image, home] = [alias(references, 'image'), alias(references, 'home')];

/**
 * Returns the expression for the thumbnail of a node that the actor may view, as JSON: address, type, width and height of its
 * file. A node without one has that of its representative image, of its first member with one, or of a member of that.
 */
export function cardThumbnail(nodeId: SQL, model: ContentModel, actor: Actor, viewer: ViewerParameters): SQL {
  const isViewable = (id: SQL) => isViewableNode(actor, id, viewer);
  const thumbnail = (id: SQL) => thumbnailOf(id, model, visibleThumbnails(MEDIA_KIND, actor, medium, id, viewer));
  // The representative image is a media; its thumbnail belongs to the same node.
  const represented = sql`SELECT ${home.targetId} AS id FROM ${references} ${image}
    CROSS JOIN ${references} ${home} ON ${isNodeOf(home, image.targetId)}
    WHERE ${image.sourceType} = 'node' AND ${image.sourceId} = ${nodeId}
      AND ${image.field} = 'field_representative_image' AND ${image.targetType} = 'media'
      AND ${isViewable(sql`${home.targetId}`)} LIMIT 1`;
  const members = (parent: SQL, limit: number) => sql`SELECT id
    FROM (${membersOf(parent)} LIMIT ${sql.raw(String(MAX_EXAMINED))}) member
    WHERE ${isViewable(sql`member.id`)} LIMIT ${sql.raw(String(limit))}`;
  const below = (child: SQL) => firstOf(members(child, MAX_BELOW), thumbnail, 'grandchild');
  return sql`coalesce(${thumbnail(nodeId)}, ${firstOf(represented, thumbnail, 'represented')},
    ${firstOf(members(nodeId, MAX_MEMBERS), thumbnail, 'child')}, ${firstOf(members(nodeId, MAX_BELOW), below, 'child')})`;
}

/** Returns the first picture of nodes that have one. */
function firstOf(nodes: SQL, pictureOf: (id: SQL) => SQL, name: string): SQL {
  const one = sql.identifier(name);
  return sql`(SELECT picture FROM (SELECT ${pictureOf(sql`${one}.id`)} AS picture FROM (${nodes}) ${one})
    WHERE picture IS NOT NULL LIMIT 1)`;
}

/** Returns the thumbnail of a node itself. */
function thumbnailOf(nodeId: SQL, model: ContentModel, isVisible: SQL): SQL {
  const sourceFields = [...model.mediaTypes.values()].map(
    ({ name, sourceField }) => sql` WHEN ${literal(name)} THEN ${literal(sourceField.name)}`,
  );
  if (sourceFields.length === 0) return sql`NULL`;
  return sql`(SELECT json_array(${file.uri}, ${typeOfFileColumns(file)}, ${file.width}, ${file.height})
    FROM (SELECT ${references.sourceId}, ${references.weight} FROM ${references}
        WHERE ${isMediaOf(references, nodeId)}
        ORDER BY ${references.weight}, ${references.sourceId} LIMIT ${sql.raw(String(MAX_MEDIA))}) attached
      CROSS JOIN ${media} ${medium} ON ${medium.id} = ${attached.sourceId}
      CROSS JOIN ${references} ${source} ON ${source.sourceType} = 'media' AND ${source.sourceId} = ${medium.id}
        AND ${source.field} = CASE ${medium.bundle}${sql.join(sourceFields)} END AND ${source.delta} = 0
      CROSS JOIN ${files} ${file} ON ${source.targetType} = 'file' AND ${file.id} = ${source.targetId}
    WHERE EXISTS (SELECT 1 FROM ${references} ${use} WHERE ${use.sourceType} = 'media'
        AND ${use.sourceId} = ${attached.sourceId} AND ${use.field} = 'field_media_use'
        AND ${use.targetType} = 'taxonomy_term'
        AND ${use.targetId} IN (SELECT ${termUris.termId} FROM ${termUris} WHERE ${termUris.uri} = ${THUMBNAIL}))
      AND ${typeOfFileColumns(file)} LIKE 'image/%' AND ${isVisible}
    ORDER BY ${attached.weight}, ${attached.sourceId} LIMIT 1)`;
}

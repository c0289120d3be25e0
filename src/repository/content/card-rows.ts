import { type SQL, sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { alias } from 'drizzle-orm/sqlite-core';
import { media, nodes, terms } from '../../database/schema/content.ts';
import { derivativeJobs } from '../../database/schema/derivatives.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { mediaAccess, termAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import { cardDate } from './card-date.ts';
import { COLLECTION_URI, MAX_LISTED, membersOf } from './card-list.ts';
import { isViewableNode, NODE_KIND } from './hidden-nodes.ts';
import { preparePerActor, visibleByStatus, visibleRows } from './visible-rows.ts';

const MEDIA_KIND = { type: 'media', access: mediaAccess } as const;
const TERM_KIND = { type: 'taxonomy_term', access: termAccess } as const;

/** The maximum number of a node's media among which its thumbnail is found. */
const MAX_MEDIA = 100;
/** The maximum number of viewable members, and of all members, among which one with a thumbnail is found. */
const MAX_MEMBERS = 24;
const MAX_EXAMINED = 1_000;

const THUMBNAIL = literal('http://pcdm.org/use#ThumbnailImage');

const node = alias(nodes, 'n');
const [medium, file, model] = [alias(media, 'm'), alias(files, 'f'), alias(terms, 't')];
const [attached, use, source, named, image, home] = [
  ...['attached', 'use', 'source', 'named', 'image', 'home'].map((name) => alias(references, name)),
] as [References, References, References, References, References, References];
type References = ReturnType<typeof alias<typeof references, string>>;

/** Returns the thumbnail of a node that the actor may view as JSON: address, type, width and height of its file. */
function thumbnailOf(nodeId: SQL, model: ContentModel, isVisible: SQL): SQL {
  const sourceFields = [...model.mediaTypes.values()].map(
    ({ name, sourceField }) => sql` WHEN ${literal(name)} THEN ${literal(sourceField.name)}`,
  );
  if (sourceFields.length === 0) return sql`NULL`;
  return sql`(SELECT json_array(${file.uri}, ${file.filemime}, ${file.width}, ${file.height})
    FROM (SELECT source_id, weight FROM ${references}
        WHERE target_type = 'node' AND target_id = ${nodeId} AND source_type = 'media' AND field = 'field_media_of'
        ORDER BY weight, source_id LIMIT ${sql.raw(String(MAX_MEDIA))}) ${attachedName}
      CROSS JOIN ${media} ${medium} ON ${medium.id} = ${attached.sourceId}
      CROSS JOIN ${references} ${source} ON ${source.sourceType} = 'media' AND ${source.sourceId} = ${medium.id}
        AND ${source.field} = CASE ${medium.bundle}${sql.join(sourceFields)} END AND ${source.delta} = 0
      CROSS JOIN ${files} ${file} ON ${source.targetType} = 'file' AND ${file.id} = ${source.targetId}
    WHERE EXISTS (SELECT 1 FROM ${references} ${use} WHERE ${use.sourceType} = 'media'
        AND ${use.sourceId} = ${attached.sourceId} AND ${use.field} = 'field_media_use'
        AND ${use.targetType} = 'taxonomy_term'
        AND ${use.targetId} IN (SELECT ${termUris.termId} FROM ${termUris} WHERE ${termUris.uri} = ${THUMBNAIL}))
      AND ${file.filemime} LIKE 'image/%' AND ${isVisible}
    ORDER BY ${attached.weight}, ${attached.sourceId} LIMIT 1)`;
}

const attachedName = sql.identifier('attached');

/** The ids as JSON, and the node whose members they are. */
type Values = { readonly ids: string; readonly parent: number | null; readonly actorId: number };

const FIELDS = {
  id: node.id,
  bundle: node.bundle,
  label: node.label,
  status: node.status,
  language: sql<string | null>`language`,
  date: sql<string | null>`date`,
  modelLabel: sql<string | null>`model_label`,
  modelUri: sql<string | null>`model_uri`,
  members: sql<number | null>`members`,
  thumbnail: sql<string | null>`thumbnail`,
  isQueued: sql<number>`is_queued`,
  isGuest: sql<number>`is_guest`,
};

/** A row of a card. */
export type CardRow = SelectResultFields<typeof FIELDS>;

function prepareRows(contentModel: ContentModel, actor: Actor) {
  return prepare(({ ids, parent, actorId }: Named<Values>) => {
    const isViewable = (id: SQL) => isViewableNode(actor, id, actorId);
    const isVisibleMedia = visibleByStatus(MEDIA_KIND, actor, medium, actorId);
    const thumbnail = (id: SQL) => thumbnailOf(id, contentModel, isVisibleMedia);
    const uri = sql`(SELECT ${termUris.uri} FROM ${termUris} WHERE ${termUris.termId} = ${model.id}
      AND ${termUris.field} = 'field_external_uri' AND ${termUris.delta} = 0)`;
    // A fixed number of members: to pass very many hidden ones would take long.
    const members = (limit: number) => sql`${membersOf(sql`${node.id}`)} LIMIT ${sql.raw(String(limit))}`;
    const counted = sql`SELECT CASE WHEN count(*) <= ${sql.raw(String(MAX_LISTED))} OR min(is_viewable) THEN coalesce(sum(is_viewable), 0) END
      FROM (SELECT ${isViewable(sql`member.id`)} AS is_viewable FROM (${members(MAX_LISTED + 1)}) member)`;
    const count = sql`CASE ${uri} WHEN ${literal(COLLECTION_URI)} THEN (${counted}) END`;
    const firstMembers = sql`SELECT id FROM (${members(MAX_EXAMINED)}) member
      WHERE ${isViewable(sql`member.id`)} LIMIT ${sql.raw(String(MAX_MEMBERS))}`;
    const firstOf = (found: SQL) =>
      sql`(SELECT picture FROM (SELECT ${thumbnail(sql`one.id`)} AS picture FROM (${found}) one)
        WHERE picture IS NOT NULL LIMIT 1)`;
    // The representative image is a media; its thumbnail belongs to the same node.
    const represented = sql`SELECT ${home.targetId} AS id FROM ${references} ${image}
      CROSS JOIN ${references} ${home} ON ${home.sourceType} = 'media' AND ${home.sourceId} = ${image.targetId}
        AND ${home.field} = 'field_media_of' AND ${home.targetType} = 'node'
      WHERE ${image.sourceType} = 'node' AND ${image.sourceId} = ${node.id}
        AND ${image.field} = 'field_representative_image' AND ${image.targetType} = 'media'
        AND ${isViewable(sql`${home.targetId}`)} LIMIT 1`;
    const picture = sql`coalesce(${thumbnail(sql`${node.id}`)}, ${firstOf(represented)}, ${firstOf(firstMembers)})`;
    const isQueued = sql`EXISTS (SELECT 1 FROM ${derivativeJobs} WHERE ${derivativeJobs.nodeId} = ${node.id}
      AND ${derivativeJobs.endedAt} IS NULL AND ${derivativeJobs.state} = 'queued')`;
    const isGuest = sql`EXISTS (SELECT 1 FROM ${references} ${home} WHERE ${home.sourceType} = 'node'
      AND ${home.sourceId} = ${node.id} AND ${home.field} = 'field_member_of' AND ${home.delta} = 0
      AND ${home.targetType} = 'node' AND ${home.targetId} <> ${parent})`;
    const columns = [node.id, node.bundle, node.label, node.status];
    return plain(
      sql`SELECT ${sql.join(columns, sql`, `)}, ${node.document} ->> '$.langcode[0].value',
          ${cardDate(contentModel, node)}, ${model.label}, ${uri}, ${count}, ${picture}, ${isQueued}, ${isGuest}
        FROM json_each(${ids}) list CROSS JOIN ${nodes} ${node} ON ${node.id} = list.value
        LEFT JOIN ${references} ${named} ON ${named.sourceType} = 'node' AND ${named.sourceId} = ${node.id}
          AND ${named.field} = 'field_model' AND ${named.delta} = 0 AND ${named.targetType} = 'taxonomy_term'
        LEFT JOIN ${terms} ${model} ON ${model.id} = ${named.targetId} AND ${visibleRows(TERM_KIND, actor, model, actorId)}
        WHERE ${visibleRows(NODE_KIND, actor, node, actorId)} ORDER BY list.key`,
      FIELDS,
    );
  });
}

/** Prepares the query of cards by a JSON list of ids, in its order, as an actor may view them. */
export function createCardRows(contentModel: ContentModel) {
  return preparePerActor([NODE_KIND, MEDIA_KIND, TERM_KIND], (actor) => prepareRows(contentModel, actor));
}

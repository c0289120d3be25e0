import { type SQL, sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes, terms } from '../../../database/schema/content.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import { accessSetOf } from '../../access/set-columns.ts';
import { termAccess } from '../../access.ts';
import type { Actor } from '../../actor.ts';
import { isParentOf } from '../../relations.ts';
import { isViewableNode, NODE_KIND } from '../hidden-nodes.ts';
import { languageColumn } from '../language-column.ts';
import { awaitsMedia } from '../read/awaited-media.ts';
import { preparePerActor, type ViewerValues, visibleRows } from '../visible-rows.ts';
import { cardDate, hasStructure, MAX_LISTED, membersOf } from './card-list.ts';
import { cardThumbnail, MEDIA_KIND } from './card-thumbnail.ts';

const TERM_KIND = { type: 'taxonomy_term', access: termAccess } as const;

const node = alias(nodes, 'n');
const model = alias(terms, 't');
const [named, first] = [alias(references, 'named'), alias(references, 'first')];

/** The ids as JSON, and the node whose members they are. */
type Values = { readonly ids: string; readonly parent: number | null } & ViewerValues;

const FIELDS = {
  id: node.id,
  uuid: node.uuid,
  bundle: node.bundle,
  label: node.label,
  status: node.status,
  language: sql<string>`language`,
  date: sql<string | null>`date`,
  modelLabel: sql<string | null>`model_label`,
  modelUri: sql<string | null>`model_uri`,
  members: sql<number | null>`members`,
  thumbnail: sql<string | null>`thumbnail`,
  isAwaited: sql<number>`is_awaited`,
  isGuest: sql<number>`is_guest`,
  accessSet: sql<number>`access_set`,
};

/** A row of a card. */
export type CardRow = SelectResultFields<typeof FIELDS>;

function prepareRows(contentModel: ContentModel, actor: Actor) {
  return prepare((values: Named<Values>) => {
    const { ids, parent } = values;
    const isViewable = (id: SQL) => isViewableNode(actor, id, values);
    const uri = sql`(SELECT ${termUris.uri} FROM ${termUris} WHERE ${termUris.termId} = ${model.id}
      AND ${termUris.field} = 'field_external_uri' AND ${termUris.delta} = 0)`;
    // Looks at a fixed number of members, since skipping very many hidden ones would take long.
    const counted = sql`SELECT CASE WHEN count(*) <= ${sql.raw(String(MAX_LISTED))} OR min(is_viewable)
        THEN coalesce(sum(is_viewable), 0) END
      FROM (SELECT ${isViewable(sql`member.id`)} AS is_viewable
        FROM (${membersOf(sql`${node.id}`)} LIMIT ${sql.raw(String(MAX_LISTED + 1))}) member)`;
    const count = sql`CASE WHEN ${hasStructure(uri, contentModel, 'collection')} THEN (${counted}) END`;
    const thumbnail = cardThumbnail(sql`${node.id}`, contentModel, actor, values);
    const isAwaited = awaitsMedia(sql`${node.id}`, ['thumbnail']);
    const isGuest = sql`EXISTS (SELECT 1 FROM ${references} ${first}
      WHERE ${isParentOf(first, node.id)} AND ${first.delta} = 0 AND ${first.targetId} <> ${parent})`;
    const columns = [node.id, node.uuid, node.bundle, node.label, node.status];
    return plain(
      sql`SELECT ${sql.join(columns, sql`, `)}, ${languageColumn(node.document)},
          ${cardDate(contentModel, node)}, ${model.label}, ${uri}, ${count}, ${thumbnail}, ${isAwaited}, ${isGuest},
          ${accessSetOf(node.id)}
        FROM json_each(${ids}) list CROSS JOIN ${nodes} ${node} ON ${node.id} = list.value
        LEFT JOIN ${references} ${named} ON ${named.sourceType} = 'node' AND ${named.sourceId} = ${node.id}
          AND ${named.field} = 'field_model' AND ${named.delta} = 0 AND ${named.targetType} = 'taxonomy_term'
        LEFT JOIN ${terms} ${model} ON ${model.id} = ${named.targetId} AND ${visibleRows(TERM_KIND, actor, model, values)}
        WHERE ${visibleRows(NODE_KIND, actor, node, values)} ORDER BY list.key`,
      FIELDS,
    );
  });
}

/** Prepares the query of cards by a JSON list of ids, in its order, as an actor may view them. */
export function createCardRows(contentModel: ContentModel) {
  return preparePerActor([NODE_KIND, MEDIA_KIND, TERM_KIND], (actor) => prepareRows(contentModel, actor));
}

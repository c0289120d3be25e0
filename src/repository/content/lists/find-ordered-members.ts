import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../../base/made-once.ts';
import { nodes } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import { accessSetOf } from '../../access/set-columns.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import { isParentOf } from '../../relations.ts';
import { isViewableNode, NODE_KIND } from '../hidden-nodes.ts';
import { languageColumn, languageIn } from '../language-column.ts';
import { preparePerActor, type ViewerValues, viewerValues } from '../visible-rows.ts';
import { MAX_LISTED, membersOf } from './card-list.ts';
import { cardThumbnail, MEDIA_KIND } from './card-thumbnail.ts';
import { type Thumbnail, toThumbnail } from './find-cards.ts';

/** A member of a node in its order. */
export interface OrderedMember {
  readonly id: number;
  readonly bundle: string;
  readonly label: string;
  readonly language: string;
  readonly status: boolean;
  readonly ownerId: number;
  readonly accessSet: number;
  readonly weight: number | null;
  /** True if it belongs to another node, too. */
  readonly isShared: boolean;
  readonly thumbnail: Thumbnail | undefined;
}

const node = alias(nodes, 'n');
const other = alias(references, 'other');

type Values = { readonly nodeId: number } & ViewerValues;

const FIELDS = {
  id: node.id,
  bundle: node.bundle,
  label: node.label,
  status: node.status,
  ownerId: node.ownerId,
  accessSet: accessSetOf(node.id),
  language: sql<string>`language`,
  weight: sql<number | null>`weight`,
  isShared: sql<number>`is_shared`,
  thumbnail: sql<string | null>`thumbnail`,
};

function prepareMembers(model: ContentModel, actor: Actor) {
  return prepare((values: Named<Values>) => {
    const { nodeId } = values;
    const isViewable = (id: SQL) => isViewableNode(actor, id, values);
    const members = membersOf(sql`${nodeId}`, isViewable);
    const isShared = sql`EXISTS (SELECT 1 FROM ${references} ${other}
      WHERE ${isParentOf(other, node.id)} AND ${other.targetId} <> ${nodeId})`;
    const columns = [node.id, node.bundle, node.label, node.status, node.ownerId, accessSetOf(node.id)];
    return plain(
      sql`SELECT ${sql.join(columns, sql`, `)}, ${languageColumn(node.document)}, listed.weight, ${isShared},
          ${cardThumbnail(sql`${node.id}`, model, actor, values)}
        FROM (${members} LIMIT ${sql.raw(String(MAX_LISTED + 1))}) listed CROSS JOIN ${nodes} ${node} ON ${node.id} = listed.id
        ORDER BY listed.weight, listed.id`,
      FIELDS,
    );
  });
}

const queriesOf = madeOnce((model: ContentModel) =>
  preparePerActor([NODE_KIND, MEDIA_KIND], (actor) => prepareMembers(model, actor)),
);

/** Returns the members of a node that the actor may view, in their order. Undefined if they are more than `MAX_LISTED`. */
export async function findOrderedMembers(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  nodeId: number,
): Promise<readonly OrderedMember[] | undefined> {
  const rows = await database.all(queriesOf(model)(actor)({ nodeId, ...viewerValues(actor) }));
  if (rows.length > MAX_LISTED) return undefined;
  return rows.map(({ language, isShared, thumbnail, ...row }) => ({
    ...row,
    language: languageIn(language) ?? model.defaultLanguage,
    isShared: isShared === 1,
    thumbnail: toThumbnail(thumbnail),
  }));
}

import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { media, nodes, terms } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import { isViewableNode, NODE_KIND } from '../content/hidden-nodes.ts';
import { preparePerActor, type ViewerValues, viewerValues } from '../content/visible-rows.ts';
import { isMemberOf, isNodeOf } from '../relations.ts';

/** An entity in a list for editors. */
export interface ListRow {
  readonly id: number;
  readonly label: string;
  readonly bundle: string;
  readonly isPublished: boolean;
  /** Seconds since 1970. */
  readonly changed: number;
  readonly ownerName: string | null;
  /** The labels of the models of a node, or of the uses of a media. */
  readonly terms: string | null;
  /** The first node of a media that the actor may view. */
  readonly nodeId: number | null;
  readonly nodeLabel: string | null;
  /** The number of members of a node that the actor may view, at most one more than `MAX_COUNTED_MEMBERS`. */
  readonly members: number | null;
}

/** The number of members up to which they are counted. */
export const MAX_COUNTED_MEMBERS = 1_000;

type Ids = { readonly ids: string } & ViewerValues;

const [term, belongs, host] = [alias(terms, 'term'), alias(references, 'belongs'), alias(nodes, 'host')];

const termsOf = (type: 'node' | 'media', field: string, id: typeof nodes.id | typeof media.id) =>
  sql`(SELECT group_concat(${term.label}, ', ') FROM ${references} CROSS JOIN ${terms} ${term} ON ${term.id} = ${references.targetId}
    WHERE ${references.sourceType} = ${sql.raw(`'${type}'`)} AND ${references.sourceId} = ${id}
      AND ${references.field} = ${sql.raw(`'${field}'`)} AND ${references.targetType} = 'taxonomy_term')`;

const nodeRows = preparePerActor([NODE_KIND], (actor) =>
  prepare((values: Named<Ids>) => {
    const isViewable = isViewableNode(actor, sql`${belongs.sourceId}`, values);
    const members = sql`SELECT DISTINCT ${belongs.sourceId} FROM ${references} ${belongs}
      WHERE ${isMemberOf(belongs, nodes.id)} AND ${belongs.sourceId} <> ${nodes.id} AND ${isViewable}
      LIMIT ${sql.raw(String(MAX_COUNTED_MEMBERS + 1))}`;
    return plain(
      sql`SELECT ${nodes.id}, ${nodes.label}, ${nodes.bundle}, ${nodes.status}, ${nodes.changed}, ${users.name},
          ${termsOf('node', 'field_model', nodes.id)}, NULL, NULL,
          (SELECT count(*) FROM (${members}))
        FROM json_each(${values.ids}) list CROSS JOIN ${nodes} ON ${nodes.id} = list.value
          LEFT JOIN ${users} ON ${users.id} = ${nodes.ownerId} ORDER BY list.key`,
      fieldsOf(nodes),
    );
  }),
);

const mediaRows = preparePerActor([NODE_KIND], (actor) =>
  prepare((values: Named<Ids>) => {
    const first = sql`SELECT ${belongs.targetId} FROM ${references} ${belongs} WHERE ${isNodeOf(belongs, media.id)}
      AND ${isViewableNode(actor, sql`${belongs.targetId}`, values)} ORDER BY ${belongs.delta} LIMIT 1`;
    return plain(
      sql`SELECT ${media.id}, ${media.label}, ${media.bundle}, ${media.status}, ${media.changed}, ${users.name},
          ${termsOf('media', 'field_media_use', media.id)}, ${host.id}, ${host.label}, NULL
        FROM json_each(${values.ids}) list CROSS JOIN ${media} ON ${media.id} = list.value
          LEFT JOIN ${users} ON ${users.id} = ${media.ownerId} LEFT JOIN ${nodes} ${host} ON ${host.id} = (${first}) ORDER BY list.key`,
      fieldsOf(media),
    );
  }),
);

function fieldsOf(table: typeof nodes | typeof media) {
  return {
    ...{ id: table.id, label: table.label, bundle: table.bundle, isPublished: table.status, changed: table.changed },
    ...{ ownerName: sql<string | null>`owner`, terms: sql<string | null>`terms` },
    ...{ nodeId: sql<number | null>`node_id`, nodeLabel: sql<string | null>`node_label` },
    members: sql<number | null>`members`,
  };
}

/** Returns the entities with the given ids, in their order. The caller has found them by the list, with its access rules. */
export function findListRows(
  database: Database,
  actor: Actor,
  list: 'node' | 'media',
  ids: readonly number[],
): Promise<ListRow[]> {
  const find = list === 'node' ? nodeRows(actor) : mediaRows(actor);
  return database.all(find({ ids: JSON.stringify(ids), ...viewerValues(actor) }));
}

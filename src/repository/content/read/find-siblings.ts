import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import { isMemberOf, isParentOf } from '../../relations.ts';
import { isViewableNode, NODE_KIND } from '../hidden-nodes.ts';
import { languageColumn, languageIn } from '../language-column.ts';
import { preparePerActor, type ViewerValues, viewerValues, visibleRows } from '../visible-rows.ts';
import type { LinkedContent } from './find-breadcrumbs.ts';

/** The neighbours of a node among the members of a parent. */
export interface Siblings {
  readonly parent: LinkedContent;
  readonly previous: LinkedContent | undefined;
  readonly next: LinkedContent | undefined;
}

/** Precedes every weight, so that a comparison includes them all. */
const LOWEST_WEIGHT = sql.raw('-9223372036854775808');

const [membership, sibling] = [alias(references, 'membership'), alias(references, 'sibling')];
const linked = alias(nodes, 'linked');

type Values = { readonly node: number; readonly parent: number | null } & ViewerValues;

const FIELDS = {
  role: sql<'parent' | 'previous' | 'next'>`role`,
  id: linked.id,
  label: linked.label,
  language: sql<string>`language`,
};

/**
 * Finds the parent and the neighbours in one query. It reads the members in the order of the index from the node on, in both
 * directions: first those of the same weight, then those of others. Members without a weight precede the others.
 */
const siblingsOf = preparePerActor([NODE_KIND], (actor) =>
  prepare((values: Named<Values>) => {
    const { node, parent } = values;
    const isViewable = (id: SQL) => isViewableNode(actor, id, values);
    const here = sql`SELECT ${membership.targetId} AS parent, ${membership.weight} AS weight
      FROM ${references} ${membership} WHERE ${isParentOf(membership, node)}
        AND ${membership.targetId} <> ${node} AND ${isViewable(sql`${membership.targetId}`)}
      ORDER BY ${membership.targetId} IS NOT ${parent}, ${membership.delta} LIMIT 1`;
    const nearest = (condition: SQL, order: SQL) =>
      sql`SELECT * FROM (SELECT ${sibling.sourceId} AS id FROM here CROSS JOIN ${references} ${sibling}
        WHERE ${isMemberOf(sibling, sql`here.parent`)} AND ${condition} AND ${isViewable(sql`${sibling.sourceId}`)}
        ORDER BY ${order} LIMIT 1)`;
    const firstOf = (...queries: SQL[]) => sql`SELECT id FROM (${sql.join(queries, sql` UNION ALL `)}) LIMIT 1`;
    const { weight, sourceId } = sibling;
    const next = firstOf(
      nearest(sql`${weight} IS here.weight AND ${sourceId} > ${node}`, sql`${sourceId}`),
      nearest(sql`${weight} > coalesce(here.weight, ${LOWEST_WEIGHT})`, sql`${weight}, ${sourceId}`),
    );
    const previous = firstOf(
      nearest(sql`${weight} IS here.weight AND ${sourceId} < ${node}`, sql`${sourceId} DESC`),
      nearest(sql`${weight} < here.weight`, sql`${weight} DESC, ${sourceId} DESC`),
      nearest(sql`${weight} IS NULL AND here.weight IS NOT NULL`, sql`${sourceId} DESC`),
    );
    return plain(
      sql`WITH here AS MATERIALIZED (${here}),
        found (role, id) AS (SELECT 'parent', parent FROM here
          UNION ALL SELECT 'previous', (${previous}) UNION ALL SELECT 'next', (${next}))
        SELECT found.role, ${linked.id}, ${linked.label}, ${languageColumn(linked.document)}
        FROM found CROSS JOIN ${nodes} ${linked} ON ${linked.id} = found.id
        WHERE ${visibleRows(NODE_KIND, actor, linked, values)}`,
      FIELDS,
    );
  }),
);

/**
 * Returns the previous and next member of a node's parent that the actor may view: of `parent` if the node belongs to it, else
 * of the first one that the actor may view. Undefined for a node without such a parent.
 */
export async function findSiblings(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  node: number,
  parent?: number,
): Promise<Siblings | undefined> {
  const rows = await database.all(siblingsOf(actor)({ node, parent: parent ?? null, ...viewerValues(actor) }));
  const find = (wanted: (typeof rows)[number]['role']): LinkedContent | undefined => {
    const row = rows.find(({ role }) => role === wanted);
    return row && { id: row.id, label: row.label, language: languageIn(row.language) ?? model.defaultLanguage };
  };
  const parentNode = find('parent');
  return parentNode && { parent: parentNode, previous: find('previous'), next: find('next') };
}

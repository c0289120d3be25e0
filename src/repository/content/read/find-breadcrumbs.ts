import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import { isParentOf, MEMBER_OF } from '../../relations.ts';
import { isViewableNode, NODE_KIND } from '../hidden-nodes.ts';
import { languageColumn, languageIn } from '../language-column.ts';
import { preparePerActor, type ViewerValues, viewerValues, visibleRows } from '../visible-rows.ts';
import type { ContentInContext } from './read-content.ts';

/** A node or term that a page links to. */
export interface LinkedContent {
  readonly id: number;
  readonly label: string;
  readonly language: string;
}

/** The maximum number of paths, of nodes in a path, of ancestors and of their memberships. */
const MAX_PATHS = 3;
const MAX_STEPS = 8;
const MAX_ANCESTORS = 64;
const MAX_MEMBERSHIPS = 256;

const [membership, above] = [alias(references, 'membership'), alias(references, 'above')];
const ancestor = alias(nodes, 'ancestor');

const FIELDS = {
  memberId: membership.sourceId,
  id: ancestor.id,
  label: ancestor.label,
  language: sql<string>`language`,
};

/** Finds the memberships of a node and of its ancestors. `UNION` ends even in a circle. */
const membershipsOf = preparePerActor([NODE_KIND], (actor) =>
  prepare((values: Named<{ readonly node: number } & ViewerValues>) =>
    plain(
      sql`WITH RECURSIVE line (id) AS (
          SELECT ${values.node}
          UNION
          SELECT ${above.targetId} FROM line CROSS JOIN ${references} ${above} ON ${isParentOf(above, sql`line.id`)}
          WHERE ${isViewableNode(actor, sql`${above.targetId}`, values)} LIMIT ${sql.raw(String(MAX_ANCESTORS))})
        SELECT ${membership.sourceId}, ${ancestor.id}, ${ancestor.label}, ${languageColumn(ancestor.document)}
        FROM line CROSS JOIN ${references} ${membership} ON ${isParentOf(membership, sql`line.id`)}
          CROSS JOIN ${nodes} ${ancestor} ON ${ancestor.id} = ${membership.targetId}
        WHERE ${visibleRows(NODE_KIND, actor, ancestor, values)}
        ORDER BY ${membership.sourceId}, ${membership.delta} LIMIT ${sql.raw(String(MAX_MEMBERSHIPS))}`,
      FIELDS,
    ),
  ),
);

/**
 * Returns the paths from a node's topmost ancestors to its parents, along their memberships and in the order of its values:
 * a node in two collections has two. A path ends at an ancestor that the actor may not view, before it repeats itself, and
 * after `MAX_STEPS` nodes.
 */
export async function findBreadcrumbs(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  node: number,
): Promise<LinkedContent[][]> {
  const rows = await database.all(membershipsOf(actor)({ node, ...viewerValues(actor) }));
  const parents = new Map<number, LinkedContent[]>();
  for (const { memberId, id, label, language } of rows) {
    const parent = { id, label, language: languageIn(language) ?? model.defaultLanguage };
    const known = parents.get(memberId);
    if (known === undefined) parents.set(memberId, [parent]);
    else if (known.every((each) => each.id !== id)) known.push(parent);
  }
  const paths: LinkedContent[][] = [];
  climb([], [node]);
  return paths;

  /** Adds the paths that end with `path`. `passed` has the ids of its nodes and that of the node below, from the top. */
  function climb(path: readonly LinkedContent[], passed: readonly number[]): void {
    const [top = node] = passed;
    const next = path.length < MAX_STEPS ? (parents.get(top)?.filter(({ id }) => !passed.includes(id)) ?? []) : [];
    for (const parent of next) if (paths.length < MAX_PATHS) climb([parent, ...path], [parent.id, ...passed]);
    if (next.length === 0 && path.length > 0) paths.push([...path]);
  }
}

/**
 * Returns the same paths for a node whose memberships are not saved, from those in its values. A path through the node itself
 * is left out.
 */
export async function findTypedBreadcrumbs(
  services: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  { content: { head }, surroundings: { targets } }: Pick<ContentInContext, 'content' | 'surroundings'>,
): Promise<LinkedContent[][]> {
  const parents = targets.flatMap(({ field, target: { id, label } }) =>
    field === MEMBER_OF ? [{ id, label, language: services.model.defaultLanguage }] : [],
  );
  const paths = await Promise.all(
    parents.slice(0, MAX_PATHS).map(async (parent) => {
      const above = await findBreadcrumbs(services, actor, parent.id);
      return (above.length === 0 ? [[]] : above).map((path) => [...path, parent].slice(-MAX_STEPS));
    }),
  );
  return paths
    .flat()
    .filter((path) => path.every(({ id }) => id !== head.id))
    .slice(0, MAX_PATHS);
}

const parentsOf = preparePerActor([NODE_KIND], (actor) =>
  prepare((values: Named<{ readonly ids: string } & ViewerValues>) =>
    plain(
      sql`SELECT ${membership.sourceId}, ${ancestor.id}, ${ancestor.label}, ${languageColumn(ancestor.document)}
        FROM json_each(${values.ids}) list CROSS JOIN ${references} ${membership}
            ON ${isParentOf(membership, sql`list.value`)} AND ${membership.delta} = 0
          CROSS JOIN ${nodes} ${ancestor} ON ${ancestor.id} = ${membership.targetId}
        WHERE ${visibleRows(NODE_KIND, actor, ancestor, values)}`,
      FIELDS,
    ),
  ),
);

/** Returns the first node that each of the nodes is a member of, if it is one that the actor may view, by the id of the member. */
export async function findFirstParents(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LinkedContent>> {
  if (ids.length === 0) return new Map();
  const rows = await database.all(parentsOf(actor)({ ids: JSON.stringify(ids), ...viewerValues(actor) }));
  return new Map(
    rows.map(({ memberId, id, label, language }) => [
      memberId,
      { id, label, language: languageIn(language) ?? model.defaultLanguage },
    ]),
  );
}

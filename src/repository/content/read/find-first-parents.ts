import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import { isParentOf } from '../../relations.ts';
import { NODE_KIND } from '../hidden-nodes.ts';
import { preparePerActor, visibleRows } from '../visible-rows.ts';
import type { LinkedContent } from './find-breadcrumbs.ts';

const membership = alias(references, 'membership');
const parent = alias(nodes, 'parent');

const FIELDS = {
  memberId: membership.sourceId,
  id: parent.id,
  label: parent.label,
  language: sql<string | null>`language`,
};

const parentsOf = preparePerActor([NODE_KIND], (actor) =>
  prepare(({ ids, actorId }: Named<{ readonly ids: string; readonly actorId: number }>) =>
    plain(
      sql`SELECT ${membership.sourceId}, ${parent.id}, ${parent.label}, ${parent.document} ->> '$.langcode[0].value'
        FROM json_each(${ids}) list CROSS JOIN ${references} ${membership}
            ON ${isParentOf(membership, sql`list.value`)} AND ${membership.delta} = 0
          CROSS JOIN ${nodes} ${parent} ON ${parent.id} = ${membership.targetId}
        WHERE ${visibleRows(NODE_KIND, actor, parent, actorId)}`,
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
  const rows = await database.all(parentsOf(actor)({ ids: JSON.stringify(ids), actorId: actor.id }));
  return new Map(
    rows.map(({ memberId, id, label, language }) => [
      memberId,
      { id, label, language: language ?? model.defaultLanguage },
    ]),
  );
}

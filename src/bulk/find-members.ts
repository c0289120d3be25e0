import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { unprocessable } from '../base/errors.ts';
import { numberText } from '../base/in-words.ts';
import { madeOnce } from '../base/made-once.ts';
import { nodes } from '../database/schema/content.ts';
import { references } from '../database/schema/references.ts';
import { nested } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { ContentModel } from '../model/content-model.ts';
import { accessSetOf } from '../repository/access/set-columns.ts';
import type { Actor } from '../repository/actor.ts';
import type { BaseServices } from '../repository/base-services.ts';
import { isPage } from '../repository/content/lists/card-list.ts';
import { isMemberOf, isParentOf } from '../repository/relations.ts';
import { MAX_ITEMS, type MemberAction, type MemberScope } from './bulk-action.ts';
import { type Member, type MemberPlan, planMembers } from './plan-members.ts';

const [entry, above, parent] = [alias(references, 'entry'), alias(references, 'above'), alias(nodes, 'parent')];

type Chosen = { readonly chosen: string; readonly limit: number };

const idsOf = madeOnce((model: ContentModel) => ({
  pages: prepare(({ chosen, limit }: Named<Chosen>) =>
    plain(
      sql`SELECT DISTINCT ${entry.sourceId} AS id FROM json_each(${chosen}) list
        CROSS JOIN ${references} ${entry} ON ${isMemberOf(entry, sql`list.value`)}
        WHERE ${isPage(sql`${entry.sourceId}`, model)} LIMIT ${limit}`,
      { id: sql<number>`id` },
    ),
  ),
  all: prepare(({ chosen, limit }: Named<Chosen>) =>
    // UNION ends even in a circle. The nearest come first.
    plain(
      sql`WITH RECURSIVE below (id) AS (
          SELECT value FROM json_each(${chosen})
          UNION
          SELECT ${entry.sourceId} FROM below CROSS JOIN ${references} ${entry} ON ${isMemberOf(entry, sql`below.id`)}
          LIMIT ${limit} + json_array_length(${chosen}))
        SELECT id FROM below`,
      { id: sql<number>`id` },
    ),
  ),
}));

const factsOf = prepare(({ ids }: Named<{ ids: string }>) =>
  plain(
    sql`SELECT ${nodes.id}, ${nodes.label}, ${nodes.bundle}, ${nodes.status}, ${nodes.ownerId}, ${accessSetOf(nodes.id)},
        (SELECT json_group_array(json_array(${parent.id}, ${parent.status})) FROM ${references} ${above}
          CROSS JOIN ${nodes} ${parent} ON ${parent.id} = ${above.targetId} WHERE ${isParentOf(above, nodes.id)})
      FROM json_each(${ids}) list CROSS JOIN ${nodes} ON ${nodes.id} = list.value ORDER BY list.key`,
    {
      ...{ id: nodes.id, label: nodes.label, bundle: nodes.bundle, status: nodes.status, ownerId: nodes.ownerId },
      accessSet: sql<number>`access_set`,
      parents: nested(sql<string>`parents`),
    },
  ),
);

/** The number of members that one query reads. */
const GROUP = 1_000;

interface MembersQuestion {
  readonly action: MemberAction;
  readonly scope: MemberScope;
  /** The ids of the items whose members may follow. */
  readonly chosen: readonly number[];
}

/** Finds the members that follow a change of items. Throws `unprocessable` if they are more than a run may have. */
export async function findMembers(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  { action, scope, chosen }: MembersQuestion,
): Promise<MemberPlan> {
  if (scope === 'none' || chosen.length === 0) return { following: [], kept: [], hidden: 0 };
  const values = { chosen: JSON.stringify(chosen), limit: MAX_ITEMS + 1 };
  const isChosen = new Set(chosen);
  const rows = await database.all(idsOf(model)[scope](values));
  const ids = rows.map(({ id }) => id).filter((id) => !isChosen.has(id));
  if (ids.length + chosen.length > MAX_ITEMS)
    throw unprocessable(`These are more than ${numberText(MAX_ITEMS)} items. Change their members in parts.`);
  const members: Member[] = [];
  for (let start = 0; start < ids.length; start += GROUP) {
    const facts = await database.all(factsOf({ ids: JSON.stringify(ids.slice(start, start + GROUP)) }));
    members.push(...facts.map((row) => ({ ...row, parents: parentsIn(row.parents) })));
  }
  return planMembers(actor, action, chosen, members);
}

function parentsIn(list: string): Member['parents'] {
  return (JSON.parse(list) as [id: number, status: number][]).map(([id, status]) => ({ id, status: status === 1 }));
}

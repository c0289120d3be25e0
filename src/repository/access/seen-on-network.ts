import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { nodeAccess } from '../../database/schema/access.ts';
import { nodes } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { AccessSets } from './access-sets.ts';
import type { Sight } from './sight.ts';

type Values = { readonly sets: string; readonly bundles: string; readonly user: number };

const findUnseen = prepare(({ sets, bundles, user }: Named<Values>) =>
  plain(
    sql`SELECT ${nodes.id} FROM ${nodeAccess} CROSS JOIN ${nodes} ON ${nodes.id} = ${nodeAccess.nid}
      WHERE ${isAmong(nodeAccess.setId, sets)} AND ${nodes.ownerId} <> ${user}
        AND NOT ${isAmong(nodes.bundle, bundles)} LIMIT 1`,
    { id: sql<number>`id` },
  ),
);

/** Returns true if a visitor sees restricted content that an editor does not see: of types which the editor may not edit. */
export async function seesMoreThan(
  database: Database,
  sets: AccessSets,
  visitor: Actor,
  editor: Actor,
): Promise<boolean> {
  const [theirs, own] = [visitor.sight, editor.sight];
  if (own.isUnlimited) return false;
  const more = [...sets.ids()].filter((id) => isWider(theirs, own, id));
  if (more.length === 0) return false;
  const values = { sets: JSON.stringify(more), bundles: JSON.stringify(editor.editedTypes), user: editor.id };
  return (await database.get(findUnseen(values))) !== undefined;
}

function isWider(one: Sight, other: Sight, setId: number): boolean {
  if (!one.sees(setId) || other.seesFiles(setId, [])) return false;
  if (!other.sees(setId) || one.seesFiles(setId, [])) return true;
  const open = other.openUsesOf(setId);
  return one.openUsesOf(setId).some((use) => !open.includes(use));
}

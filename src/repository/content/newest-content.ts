import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import type { ContentKind } from './kinds.ts';
import { visibleRows } from './visible-rows.ts';
import { tableNames } from './write-content.ts';

/** Returns the newest content of a kind that the actor may see, by id and label. */
export async function newestContent(
  { database }: Services,
  kind: ContentKind,
  actor: Actor,
  limit: number,
): Promise<{ readonly id: number; readonly label: string }[]> {
  const [table] = tableNames(kind);
  const visible = visibleRows(kind, actor, 'e');
  const { rows } = await database.client.execute({
    sql: `SELECT e.id, e.label FROM ${table} e WHERE ${visible.sql} ORDER BY e.id DESC LIMIT ?`,
    args: [...visible.args, limit],
  });
  return rows.map((row) => ({ id: Number(row[0]), label: String(row[1]) }));
}

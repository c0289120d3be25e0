import { desc } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Actor } from '../actor.ts';
import type { ContentKind } from './kinds.ts';
import type { Services } from './services.ts';
import { preparePerVisibility } from './visible-rows.ts';

const newest = preparePerVisibility(({ table }: ContentKind, visible) =>
  prepare(({ actorId, limit }: Named<{ actorId: number; limit: number }>) =>
    query
      .select({ id: table.id, label: table.label })
      .from(table)
      .where(visible(table, actorId))
      .orderBy(desc(table.id))
      .limit(limit),
  ),
);

/** Returns the newest content of a kind that the actor may see, by id and label. */
export function newestContent(
  { database }: Services,
  kind: ContentKind,
  actor: Actor,
  limit: number,
): Promise<{ readonly id: number; readonly label: string }[]> {
  return database.all(newest(kind, actor)({ actorId: actor.id, limit }));
}

import { count, eq } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { type Named, prepare } from '../../database/statement.ts';

const ownedNodes = prepare(({ owner }: Named<{ owner: number }>) =>
  query.select({ total: count() }).from(nodes).where(eq(nodes.ownerId, owner)),
);
const ownedMedia = prepare(({ owner }: Named<{ owner: number }>) =>
  query.select({ total: count() }).from(media).where(eq(media.ownerId, owner)),
);

/** Returns the numbers of nodes and media that a user owns. */
export async function countOwned(database: Database, owner: number): Promise<{ nodes: number; media: number }> {
  const counts = await database.read({ nodes: ownedNodes({ owner }), media: ownedMedia({ owner }) });
  return { nodes: counts.nodes[0]?.total ?? 0, media: counts.media[0]?.total ?? 0 };
}

import { and, asc, eq, gt } from 'drizzle-orm';
import { query } from '../../../database/query-builder.ts';
import { type ContentTable, contentTables } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { Actor } from '../../actor.ts';
import type { FindContent } from '../read/find-content.ts';
import type { Services } from '../services.ts';
import { changeContent } from './save-content.ts';

/** Maximum number of ids of a query. */
const BATCH = 500;

const ownedIn = (table: ContentTable) =>
  prepare(({ owner, after }: Named<{ owner: number; after: number }>) =>
    query
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.ownerId, owner), gt(table.id, after)))
      .orderBy(asc(table.id))
      .limit(BATCH),
  );
/** The kinds of content that have an owner. */
const OWNED = { node: ownedIn(contentTables.node), media: ownedIn(contentTables.media) };
const moveFiles = prepare(({ from, to }: Named<{ from: number; to: number }>) =>
  query.update(files).set({ ownerId: to }).where(eq(files.ownerId, from)),
);

class ContentGone extends Error {}

interface Reassigned {
  readonly nodes: number;
  readonly media: number;
}

/**
 * Gives the nodes, media and files of a user to another one, by their ids. A node or media changes as by `actor`, with a revision; earlier
 * revisions keep their user. After an interruption, run it again. Returns the numbers of changed items.
 */
export async function reassignContent(
  services: Services,
  actor: Actor,
  { findContent, from, to }: { readonly findContent: FindContent; readonly from: number; readonly to: number },
): Promise<Reassigned> {
  const { database } = services;
  const reassignAll = async (type: keyof typeof OWNED) => {
    let changed = 0;
    for (let after = 0, length = BATCH; length === BATCH; ) {
      const rows = await database.all(OWNED[type]({ owner: from, after }));
      for (const { id } of rows) if (await reassign(type, id)) changed += 1;
      after = rows.at(-1)?.id ?? after;
      length = rows.length;
    }
    return changed;
  };
  const reassign = async (type: keyof typeof OWNED, id: number) => {
    const read = async () => {
      const content = await findContent(type, id);
      if (content === undefined) throw new ContentGone();
      return content;
    };
    try {
      await changeContent(services, actor, new Map([['uid', [{ target_id: to }]]]), { read, check: () => {} });
      return true;
    } catch (error) {
      // Another request has deleted it.
      if (error instanceof ContentGone) return false;
      throw error;
    }
  };
  const reassigned = { nodes: await reassignAll('node'), media: await reassignAll('media') };
  await database.write([moveFiles({ from, to })]);
  return reassigned;
}

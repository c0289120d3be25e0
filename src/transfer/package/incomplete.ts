import { and, eq, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { importItems } from '../../database/schema/loading.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';

/**
 * The journal of imports records nodes that were created without some references, under their UUIDs in run 0, which no
 * import of a table has. An import that continues after a crash finds them there.
 */
const NO_RUN = 0;
const PART = 'incomplete';

const insertNote = prepare(({ uuid }: Named<{ uuid: string }>) => {
  const { runId, rowId, part, entityId, fingerprint } = importItems;
  return plain(sql`INSERT OR IGNORE INTO ${importItems} (${namesOf(runId, rowId, part, entityId, fingerprint)})
    SELECT ${NO_RUN}, ${nodes.uuid}, ${PART}, ${nodes.id}, '' FROM ${nodes} WHERE ${nodes.uuid} = ${uuid}`);
});
const isNote = and(eq(importItems.runId, NO_RUN), eq(importItems.part, PART));
const removeNote = prepare(({ uuid }: Named<{ uuid: string }>) =>
  query.delete(importItems).where(and(isNote, eq(importItems.rowId, uuid))),
);
const findNotes = prepare(({ uuids }: Named<{ uuids: string }>) =>
  query
    .select({ uuid: importItems.rowId, version: nodes.version })
    .from(importItems)
    .leftJoin(nodes, eq(nodes.uuid, importItems.rowId))
    .where(and(isNote, isAmong(importItems.rowId, uuids))),
);

/** Returns the statement that notes a node, for the transaction that creates it. */
export function noteIncomplete(uuid: string): Statement {
  return insertNote({ uuid });
}

/** Returns the statement that removes the note, for the transaction that completes the node. */
export function noteComplete(uuid: string): Statement {
  return removeNote({ uuid });
}

/** The version of an entity that was not changed since its creation. */
export const FIRST_VERSION = 1;

/** The UUIDs of incomplete nodes. */
export interface IncompleteNodes {
  readonly all: ReadonlySet<string>;
  /** Those that were not changed since their creation: only they can be completed. */
  readonly unchanged: ReadonlySet<string>;
}

/** Returns the incomplete nodes among these. */
export async function findIncomplete({ database }: Services, uuids: Iterable<string>): Promise<IncompleteNodes> {
  const notes = await database.all(findNotes({ uuids: JSON.stringify([...uuids]) }));
  const unchanged = notes.filter(({ version }) => version === FIRST_VERSION);
  return {
    all: new Set(notes.map(({ uuid }) => uuid)),
    unchanged: new Set(unchanged.map(({ uuid }) => uuid)),
  };
}

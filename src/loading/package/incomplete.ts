import type { InStatement } from '@libsql/client';
import type { Services } from '../../repository/services.ts';

/**
 * Nodes that were made without a reference that is still to come are noted in the journal of imports, as no row of a table
 * is: in run 0, under their UUIDs. Who goes on after a crash finds them there.
 */
const NO_RUN = 0;
const PART = 'incomplete';

/** Notes a node in the transaction that makes it. */
export function noteIncomplete(uuid: string): InStatement {
  return {
    sql: `INSERT OR IGNORE INTO import_item (run_id, row_id, part, entity_id, fingerprint)
      SELECT ?, uuid, ?, id, '' FROM node WHERE uuid = ?`,
    args: [NO_RUN, PART, uuid],
  };
}

/** Takes the note away in the transaction that completes the node. */
export function noteComplete(uuid: string): InStatement {
  return {
    sql: 'DELETE FROM import_item WHERE run_id = ? AND row_id = ? AND part = ?',
    args: [NO_RUN, uuid, PART],
  };
}

/** The version of what was made and not changed since. */
export const FIRST_VERSION = 1;

/** Nodes that are not complete, by their UUIDs. */
export interface Incomplete {
  readonly all: ReadonlySet<string>;
  /** Those that nobody has changed since they were made: only they can be completed. */
  readonly unchanged: ReadonlySet<string>;
}

/** Which of these nodes are not complete. */
export async function findIncomplete({ database }: Services, uuids: Iterable<string>): Promise<Incomplete> {
  const { rows } = await database.client.execute({
    sql: `SELECT i.row_id, n.version FROM import_item i LEFT JOIN node n ON n.uuid = i.row_id
      WHERE i.run_id = ? AND i.part = ? AND i.row_id IN (SELECT value FROM json_each(?))`,
    args: [NO_RUN, PART, JSON.stringify([...uuids])],
  });
  const unchanged = rows.filter((row) => row[1] === FIRST_VERSION);
  return {
    all: new Set(rows.map((row) => String(row[0]))),
    unchanged: new Set(unchanged.map((row) => String(row[0]))),
  };
}

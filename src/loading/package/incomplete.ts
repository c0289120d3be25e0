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

/** Which of these nodes are not complete. */
export async function findIncomplete({ database }: Services, uuids: Iterable<string>): Promise<Set<string>> {
  const { rows } = await database.client.execute({
    sql: `SELECT row_id FROM import_item WHERE run_id = ? AND part = ?
      AND row_id IN (SELECT value FROM json_each(?))`,
    args: [NO_RUN, PART, JSON.stringify([...uuids])],
  });
  return new Set(rows.map((row) => String(row[0])));
}

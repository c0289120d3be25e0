import type { Database } from '../../src/database/database.ts';
import { copyNode } from './copied-nodes.ts';

/**
 * Copies a node `count` times, as `copyNode`, into nodes that can be changed: each has a document and a revision of its own.
 * `titleOf` is an SQL expression of the number of a copy, `n`, from 1; `weightOf` the same, or NULL for no weight.
 */
export async function copyMembers(
  database: Database,
  nodeId: number,
  count: number,
  { titleOf = `'Page ' || n`, weightOf = 'NULL' }: { readonly titleOf?: string; readonly weightOf?: string } = {},
): Promise<void> {
  const { firstNode } = await copyNode(database, nodeId, count, `member-${nodeId}`);
  const { rows } = await database.client.execute('SELECT max(id) FROM node_revision');
  const lastRevision = Number(rows[0]?.[0]);
  const copies = `(SELECT id, id - ${firstNode} + 1 AS n, uuid FROM node WHERE id >= ${firstNode})`;
  const ofCopy = (expression: string) => `(SELECT ${expression} FROM ${copies} copy WHERE copy.id = node.id)`;
  await database.write([
    `INSERT INTO node_revision (id, entity_id, created, user_id, log, checksum)
      SELECT ${lastRevision} + n, copy.id, r.created, r.user_id, r.log, r.checksum
      FROM ${copies} copy CROSS JOIN node_revision r WHERE r.entity_id = ${nodeId}`,
    `UPDATE node SET revision_id = ${lastRevision} + id - ${firstNode} + 1, label = ${ofCopy(titleOf)}
      WHERE id >= ${firstNode}`,
    `UPDATE node SET document = json_set(document, '$.nid[0].value', id, '$.vid[0].value', revision_id,
        '$.uuid[0].value', uuid, '$.title[0].value', label,
        '$.field_weight', CASE WHEN ${ofCopy(weightOf)} IS NULL THEN json('[]')
          ELSE json_array(json_object('value', ${ofCopy(weightOf)})) END)
      WHERE id >= ${firstNode}`,
    `UPDATE reference SET weight = (SELECT document ->> '$.field_weight[0].value' FROM node WHERE node.id = source_id)
      WHERE source_type = 'node' AND source_id >= ${firstNode}`,
  ]);
}

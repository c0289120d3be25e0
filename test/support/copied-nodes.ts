import type { InStatement } from '@libsql/client';
import type { Database } from '../../src/database/database.ts';

const RANDOM_UUID = `lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)),
  substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6))))`;

/** The ids of copies. */
export interface CopiedNodes {
  /** The ids of the copies of the node are those that follow, without a gap. */
  readonly firstNode: number;
  readonly lastMedia: number;
}

/**
 * Copies a node `count` times, with its media, their files and all references, as far as queries see it: documents,
 * bytes and revisions are those of the original. `prefix` keeps the copies of one call from those of another.
 */
export async function copyNode(
  database: Database,
  nodeId: number,
  count: number,
  prefix: string,
): Promise<CopiedNodes> {
  const ids = async (sql: string) =>
    (await database.client.execute({ sql, args: [nodeId] })).rows.map((row) => Number(row[0]));
  const media = await ids(`SELECT source_id FROM reference WHERE target_type = 'node' AND target_id = ?
    AND source_type = 'media' AND field = 'field_media_of' ORDER BY source_id`);
  const files = await ids(`SELECT DISTINCT target_id FROM reference WHERE target_type = 'file' AND source_type = 'media'
    AND source_id IN (SELECT source_id FROM reference WHERE target_type = 'node' AND target_id = ?
      AND source_type = 'media' AND field = 'field_media_of') ORDER BY target_id`);
  const originals = { node: [nodeId], media, file: files } as const;
  const bases = new Map<string, number>();
  for (const table of Object.keys(originals)) {
    const { rows } = await database.client.execute(`SELECT max(id) FROM ${table}`);
    bases.set(table, Number(rows[0]?.[0]));
  }
  const newId = (table: keyof typeof originals, id: string) => {
    const cases = originals[table].map((old, index) => `WHEN ${old} THEN ${index + 1}`).join(' ');
    const every = originals[table].length;
    return every === 0 ? 'NULL' : `${bases.get(table)} + (s.value - 1) * ${every} + CASE ${id} ${cases} END`;
  };
  const series = `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < ${count}) SELECT value FROM c) s`;
  const statements: InStatement[] = [];
  for (const table of ['node', 'media', 'file'] as const) {
    const { rows } = await database.client.execute(`PRAGMA table_info(${table})`);
    const columns = rows.map((row) => String(row[1]));
    const values = columns.map((column) => {
      if (column === 'id') return newId(table, 't.id');
      if (column === 'uuid') return RANDOM_UUID;
      return column === 'uri' ? `t.uri || '-${prefix}-' || s.value` : `t.${column}`;
    });
    statements.push({
      sql: `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${series} CROSS JOIN ${table} t
        WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY 1`,
      args: [JSON.stringify(originals[table])],
    });
  }
  statements.push({
    sql: `INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id, weight)
      SELECT r.source_type, CASE r.source_type WHEN 'node' THEN ${newId('node', 'r.source_id')} ELSE ${newId('media', 'r.source_id')} END,
        r.field, r.delta, r.target_type, CASE WHEN r.target_type = 'file' THEN ${newId('file', 'r.target_id')}
          WHEN r.target_type = 'node' AND r.target_id = ${nodeId} THEN ${newId('node', 'r.target_id')} ELSE r.target_id END, r.weight
      FROM ${series} CROSS JOIN reference r
      WHERE (r.source_type = 'node' AND r.source_id = ${nodeId})
        OR (r.source_type = 'media' AND r.source_id IN (SELECT value FROM json_each(?))) ORDER BY 1, 2`,
    args: [JSON.stringify(media)],
  });
  await database.write(statements);
  return { firstNode: Number(bases.get('node')) + 1, lastMedia: Number(bases.get('media')) + count * media.length };
}

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

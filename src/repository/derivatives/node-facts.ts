import type { Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import type { TermUris } from './term-uris.ts';

/** What rules and events need to know of a node. */
export interface NodeFacts {
  readonly id: number;
  readonly uuid: string;
  /** URIs of every term that it refers to in any field. */
  readonly terms: ReadonlySet<string>;
  /** The first node that it is a member of. */
  readonly parentId: number | undefined;
}

const QUERY = `SELECT n.id, n.uuid,
    (SELECT json_group_array(r.target_id) FROM reference r
      WHERE r.source_type = 'node' AND r.source_id = n.id AND r.target_type = 'taxonomy_term'),
    (SELECT r.target_id FROM reference r WHERE r.source_type = 'node' AND r.source_id = n.id
      AND r.field = 'field_member_of' AND r.target_type = 'node' ORDER BY r.delta LIMIT 1)
  FROM node n WHERE n.id`;

/** Reads the facts of a node; undefined for one that does not exist. */
export async function findNodeFacts(database: Database, terms: TermUris, id: number): Promise<NodeFacts | undefined> {
  const row = await database.first(`${QUERY} = ?`, [id]);
  return row && toFacts(row, terms);
}

/** The same of many nodes, by their ids; those that do not exist are left out. */
export async function findManyNodeFacts(
  database: Database,
  terms: TermUris,
  ids: Iterable<number>,
): Promise<Map<number, NodeFacts>> {
  const { rows } = await database.client.execute({
    sql: `${QUERY} IN (SELECT value FROM json_each(?))`,
    args: [JSON.stringify([...ids])],
  });
  const facts = await Promise.all(rows.map((row) => toFacts(row, terms)));
  return new Map(facts.map((each) => [each.id, each]));
}

async function toFacts(row: Row, terms: TermUris): Promise<NodeFacts> {
  const termIds = JSON.parse(String(row[2])) as number[];
  return {
    id: Number(row[0]),
    uuid: String(row[1]),
    terms: await terms.of(termIds),
    parentId: row[3] === null ? undefined : Number(row[3]),
  };
}

import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { nodes } from '../database/schema/content.ts';
import { references } from '../database/schema/references.ts';
import { isAmong, isText } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import { isParentOf } from '../repository/relations.ts';
import type { TermUris } from './term-uris.ts';

/** The facts about a node that rules and events use. */
export interface NodeFacts {
  readonly id: number;
  readonly uuid: string;
  /** The URIs of all terms to which it refers in any field. */
  readonly terms: ReadonlySet<string>;
  /** The first node of which it is a member. */
  readonly parentId: number | undefined;
}

const facts = (condition: SQL) => {
  const termIds = query
    .select({ ids: sql`json_group_array(${references.targetId})` })
    .from(references)
    .where(
      and(
        isText(references.sourceType, 'node'),
        eq(references.sourceId, nodes.id),
        isText(references.targetType, 'taxonomy_term'),
      ),
    );
  const parentId = query
    .select({ id: references.targetId })
    .from(references)
    .where(isParentOf(references, nodes.id))
    .orderBy(references.delta)
    .limit(1);
  return query
    .select({
      id: nodes.id,
      uuid: nodes.uuid,
      termIds: sql<string>`${termIds}`,
      parentId: sql<number | null>`${parentId}`,
    })
    .from(nodes)
    .where(condition);
};
type FactsRow = Awaited<ReturnType<typeof facts>>[number];

const factsById = prepare(({ id }: Named<{ id: number }>) => facts(eq(nodes.id, id)));
const factsAmong = prepare(({ ids }: Named<{ ids: string }>) => facts(isAmong(nodes.id, ids)));

/** Reads the facts of a node; undefined for one that does not exist. */
export async function findNodeFacts(database: Database, terms: TermUris, id: number): Promise<NodeFacts | undefined> {
  const row = await database.get(factsById({ id }));
  return row && toFacts(row, terms);
}

/** Reads the facts of nodes, by id. Skips nodes that do not exist. */
export async function findManyNodeFacts(
  database: Database,
  terms: TermUris,
  ids: Iterable<number>,
): Promise<Map<number, NodeFacts>> {
  const rows = await database.all(factsAmong({ ids: JSON.stringify([...ids]) }));
  return new Map(await Promise.all(rows.map(async (row) => [row.id, await toFacts(row, terms)] as const)));
}

async function toFacts({ termIds, parentId, ...row }: FactsRow, terms: TermUris): Promise<NodeFacts> {
  return { ...row, terms: await terms.of(JSON.parse(termIds) as number[]), parentId: parentId ?? undefined };
}

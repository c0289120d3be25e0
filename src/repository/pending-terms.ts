import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { references } from '../database/schema/references.ts';
import { searchPendingTerms } from '../database/schema/search.ts';
import { isText, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';
import { insertPending, makePending } from './pending-nodes.ts';
import { refersTo } from './relations.ts';

/** Maximum number of nodes that one transaction makes pending: other requests wait for it. */
const SLICE = 1_000;

/** The index of a term's uses, in the order of this index. */
const USES = sql`${references} INDEXED BY reference_target`;
const usesOf = (id: SQLWrapper) =>
  sql`${refersTo(references, 'taxonomy_term', id)} AND ${isText(references.sourceType, 'node')}`;

const firstPending = prepare(({ id }: Named<{ id: number }>) =>
  insertPending(
    sql`SELECT ${references.sourceId} AS id FROM ${USES} WHERE ${usesOf(id)} LIMIT ${sql.raw(String(SLICE))}`,
    0,
  ),
);
const laterPending = prepare(({ id }: Named<{ id: number }>) =>
  plain(sql`INSERT INTO ${searchPendingTerms} (${namesOf(searchPendingTerms.id)})
    SELECT ${id} WHERE EXISTS (SELECT 1 FROM ${USES} WHERE ${usesOf(id)} LIMIT 1 OFFSET ${sql.raw(String(SLICE))})
    ON CONFLICT DO UPDATE SET ${namesOf(searchPendingTerms.version)} = ${searchPendingTerms.version} + 1,
      ${namesOf(searchPendingTerms.field)} = '', ${namesOf(searchPendingTerms.nid)} = 0`),
);

/** Returns the statements that make the nodes pending that use a renamed term; `makeUsesPending` follows if they are many. */
export function nodesOfTerm(id: number): Statement[] {
  return [firstPending({ id }), laterPending({ id })];
}

interface Position {
  readonly id: number;
  readonly version: number;
  readonly field: string;
  readonly weight: number | null;
  readonly nid: number;
}

const findTerm = prepare(() => query.select().from(searchPendingTerms).orderBy(searchPendingTerms.id).limit(1));

/** Prepares the query of the next uses of a term that fulfil a condition on the position. */
const nextUses = (condition: (position: Named<Position>) => SQL) =>
  prepare((position: Named<Position>) =>
    plain(
      sql`SELECT ${references.field}, ${references.weight}, ${references.sourceId} FROM ${USES}
        WHERE ${usesOf(position.id)} AND ${condition(position)}
        ORDER BY ${references.field}, ${references.weight}, ${references.sourceId} LIMIT ${sql.raw(String(SLICE))}`,
      { field: references.field, weight: references.weight, nid: references.sourceId },
    ),
  );
const LEAST = sql.raw('-9223372036854775808');
const ofWeight = nextUses(
  ({ field, weight, nid }) =>
    sql`${references.field} = ${field} AND ${references.weight} IS ${weight} AND ${references.sourceId} > ${nid}`,
);
const ofHigherWeight = nextUses(
  ({ field, weight }) => sql`${references.field} = ${field} AND ${references.weight} > coalesce(${weight}, ${LEAST})`,
);
const ofLaterField = nextUses(({ field }) => sql`${references.field} > ${field}`);

const isAt = ({ id, version }: Named<Pick<Position, 'id' | 'version'>>) =>
  sql`${searchPendingTerms.id} = ${id} AND ${searchPendingTerms.version} = ${version}`;
const moveTerm = prepare(({ id, version, field, weight, nid }: Named<Position>) =>
  query.update(searchPendingTerms).set({ field, weight, nid }).where(isAt({ id, version })),
);
const endTerm = prepare((at: Named<Pick<Position, 'id' | 'version'>>) =>
  query.delete(searchPendingTerms).where(isAt(at)),
);

/** Makes the next nodes pending that use a renamed term. Returns false if there are none. */
export async function makeUsesPending(database: Database): Promise<boolean> {
  const term = await database.get(findTerm());
  if (term === undefined) return false;
  const parts = await database.read({ one: ofWeight(term), two: ofHigherWeight(term), three: ofLaterField(term) });
  const uses = [...parts.one, ...parts.two, ...parts.three].slice(0, SLICE);
  const last = uses.at(-1);
  const hasMore = last !== undefined && uses.length === SLICE;
  const { id, version } = term;
  await database.write([
    makePending(uses.map(({ nid }) => nid)),
    hasMore ? moveTerm({ id, version, ...last }) : endTerm({ id, version }),
  ]);
  return true;
}

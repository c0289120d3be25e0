import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { nodes, terms } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { isAmong, isTextWithoutIndex } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { TERM_DATE_FIELDS } from '../../../model/term-dates.ts';
import { refersTo } from '../../relations.ts';

/** Maximum number of items of a term that are counted: beyond it, the number no longer tells terms apart. */
export const MAX_COUNTED_ITEMS = 500;

/** The facts that distinguish a term from others of the same name. */
export interface TermFacts {
  readonly id: number;
  readonly dateBegin: string | undefined;
  readonly dateEnd: string | undefined;
  /** The number of published items that refer to it, at most `MAX_COUNTED_ITEMS`. */
  readonly items: number;
}

const dateIn = (field: string) => sql<string | null>`${terms.document} ->> ${sql.raw(`'$.${field}[0].value'`)}`;

const isPublished = sql`NOT EXISTS (SELECT 1 FROM ${nodes} WHERE ${eq(nodes.id, references.sourceId)} AND ${nodes.status} = 0)`;

const factsOf = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  plain(
    sql`SELECT ${terms.id}, ${dateIn(TERM_DATE_FIELDS.dateBegin)}, ${dateIn(TERM_DATE_FIELDS.dateEnd)},
      (SELECT count(*) FROM (SELECT DISTINCT ${references.sourceId} FROM ${references}
        WHERE ${refersTo(references, 'taxonomy_term', terms.id)}
          AND ${isTextWithoutIndex(references.sourceType, 'node')} AND ${isPublished} LIMIT ${MAX_COUNTED_ITEMS}))
      FROM ${terms} WHERE ${isAmong(terms.id, ids)}`,
    { id: terms.id, dateBegin: sql<string | null>``, dateEnd: sql<string | null>``, items: sql<number>`` },
  ),
);

/** Returns the dates of terms and the numbers of their items, by their ids. */
export async function findTermFacts(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, TermFacts>> {
  if (ids.length === 0) return new Map();
  const rows = await database.all(factsOf({ ids: JSON.stringify(ids) }));
  return new Map(
    rows.map(({ id, dateBegin, dateEnd, items }) => [
      id,
      { id, dateBegin: dateBegin ?? undefined, dateEnd: dateEnd ?? undefined, items },
    ]),
  );
}

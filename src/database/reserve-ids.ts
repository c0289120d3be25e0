import { eq, exists, not, sql } from 'drizzle-orm';
import { query } from './query-builder.ts';
import { namesOf } from './sql.ts';
import { sequences } from './sqlite-tables.ts';
import { type Named, plain, prepare, type Statement } from './statement.ts';

const begin = prepare(({ table }: Named<{ table: string }>) => {
  const begun = query.select({ name: sequences.name }).from(sequences).where(eq(sequences.name, table));
  return plain(sql`INSERT INTO ${sequences} (${namesOf(sequences.name, sequences.highest)})
    SELECT ${table}, 0 WHERE ${not(exists(begun))}`);
});

const advance = prepare(({ table, count }: Named<{ table: string; count: number }>) =>
  query
    .update(sequences)
    .set({ highest: sql`${sequences.highest} + ${count}` })
    .where(eq(sequences.name, table))
    .returning({ highest: sequences.highest }),
);

/**
 * Returns two statements that reserve ids of a table with AUTOINCREMENT; `last` returns the highest. Later rows get higher
 * ids. An unused reserved id remains a gap.
 */
export function reserveIds(
  table: 'file' | 'node',
  count: number,
): { readonly first: Statement; readonly last: Statement<{ highest: number }[]> } {
  return { first: begin({ table }), last: advance({ table, count }) };
}

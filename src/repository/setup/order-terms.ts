import { sql } from 'drizzle-orm';
import { titleKeyOf } from '../../base/fold-text.ts';
import type { Database } from '../../database/database.ts';
import { terms } from '../../database/schema/content.ts';
import { namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';

/** The number of terms per transaction: each other writer waits for all. */
const TERMS_AT_ONCE = 1_000;

const findUnordered = prepare(() =>
  plain(
    sql`SELECT ${terms.id}, ${terms.label} FROM ${terms} INDEXED BY taxonomy_term_unordered
      WHERE ${terms.sortLabel} IS NULL AND ${terms.foldedLabel} IS NOT NULL
      LIMIT ${sql.raw(String(TERMS_AT_ONCE))}`,
    { id: terms.id, label: terms.label },
  ),
);
const setOrder = prepare(({ keys }: Named<{ readonly keys: string }>) =>
  plain(sql`UPDATE ${terms} SET ${namesOf(terms.sortLabel)} = j.value ->> 1 FROM json_each(${keys}) j
    WHERE ${terms.id} = j.value ->> 0 AND ${terms.sortLabel} IS NULL`),
);

/** Gives terms that an earlier version has written their place in lists. */
export async function orderTerms(database: Database): Promise<void> {
  for (let isLast = false; !isLast; ) {
    const rows = await database.all(findUnordered());
    if (rows.length > 0)
      await database.write([setOrder({ keys: JSON.stringify(rows.map(({ id, label }) => [id, titleKeyOf(label)])) })]);
    isLast = rows.length < TERMS_AT_ONCE;
  }
}

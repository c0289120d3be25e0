import { sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import type { Database } from '../../../database/database.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { ContentKind } from '../kinds.ts';

/** The number of ids that one query looks at: requests get their turn between two. */
const SLICE = 2_000;
/** The maximum length of a value, in characters: a server of the database returns at most 10 MB for a slice. */
const MAX_CHARS = 1_000;
/** The maximum number of ids for a value. */
export const MAX_IDS = 10;

const statementsOf = madeOnce(({ table }: ContentKind) => ({
  last: prepare(() => plain(sql`SELECT max(${table.id}) FROM ${table}`, { id: table.id })),
  values: prepare(({ after, upTo, path }: Named<{ after: number; upTo: number; path: string }>) =>
    plain(
      sql`SELECT ${table.id}, CAST(j.value ->> '$.value' AS TEXT)
        FROM ${table} CROSS JOIN json_each(${table.document}, ${path}) j
        WHERE ${table.id} > ${after} AND ${table.id} <= ${upTo} AND length(j.value ->> '$.value') <= ${sql.raw(String(MAX_CHARS))}`,
      { id: table.id, value: table.label },
    ),
  ),
}));

/**
 * Returns the ids of content by the values that a field of it has, at most `MAX_IDS` of each, without texts above
 * `MAX_CHARS`. It reads all content of a kind, since values have no index. Throws the reason of the signal.
 */
export async function findByValue(
  database: Database,
  kind: ContentKind,
  field: string,
  values: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const statements = statementsOf(kind);
  const path = `$.${JSON.stringify(field)}`;
  const ids = new Map<string, number[]>();
  const last = (await database.get(statements.last()))?.id ?? 0;
  for (let after = 0; after < last; after += SLICE) {
    signal?.throwIfAborted();
    for (const { id, value } of await database.all(statements.values({ after, upTo: after + SLICE, path }))) {
      const text = value?.trim() ?? '';
      if (!values.has(text)) continue;
      const same = ids.get(text);
      if (same === undefined) ids.set(text, [id]);
      else if (same.length < MAX_IDS && !same.includes(id)) same.push(id);
    }
  }
  return ids;
}

import { count } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { searchPending } from '../../database/schema/search.ts';
import { prepare } from '../../database/statement.ts';

const countAll = prepare(() => query.select({ nodes: count() }).from(searchPending));

/** Returns the number of nodes that are still to be indexed again. */
export async function countPending(database: Database): Promise<number> {
  return (await database.get(countAll()))?.nodes ?? 0;
}

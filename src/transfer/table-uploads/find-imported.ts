import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { importItems } from '../../database/schema/loading.ts';
import { runs } from '../../database/schema/runs.ts';
import { isText } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { TableUpload } from './table-upload.ts';

type Wanted = { readonly table: string; readonly limit: number };

const imported = (type: 'node' | 'media') =>
  prepare(({ table, limit }: Named<Wanted>) => {
    // The name of the folder is a random one.
    const its = query
      .select({ id: runs.id })
      .from(runs)
      .where(and(isText(runs.kind, 'import'), sql`${runs.about} ->> 'path' LIKE ${table}`));
    const isOfType = type === 'node' ? eq(importItems.part, sql`''`) : sql`${importItems.part} <> ''`;
    return query
      .select({ id: importItems.entityId })
      .from(importItems)
      .where(and(inArray(importItems.runId, its), isOfType))
      .orderBy(asc(importItems.entityId))
      .limit(limit);
  });
const IMPORTED = { node: imported('node'), media: imported('media') };

/** Returns the ids of the first nodes or media that the import of an uploaded table has created. */
export async function findImported(
  database: Database,
  type: 'node' | 'media',
  { folder }: Pick<TableUpload, 'folder'>,
  limit: number,
): Promise<number[]> {
  const rows = await database.all(IMPORTED[type]({ table: `%/${folder}/%`, limit }));
  return rows.map(({ id }) => id);
}

import { count, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { prepare } from '../../database/statement.ts';

const countTemporary = prepare(() =>
  query
    .select({ files: count(), bytes: sql<number>`coalesce(sum(${files.filesize}), 0)` })
    .from(files)
    .where(eq(files.status, false)),
);
const countDiscarded = prepare(() => query.select({ objects: count() }).from(discardedObjects));

/** Files and objects that nothing uses. */
export interface UnusedCounts {
  /** Files without references: uploaded and never used, or no longer used. */
  readonly files: number;
  readonly bytes: number;
  /** Objects of removed files that are still to be deleted. */
  readonly discarded: number;
}

/** Counts temporary files and discarded objects. Reads all rows of files. */
export async function countUnusedFiles({ read }: Database): Promise<UnusedCounts> {
  const { temporary, discarded } = await read({ temporary: countTemporary(), discarded: countDiscarded() });
  const { files = 0, bytes = 0 } = temporary[0] ?? {};
  return { files, bytes, discarded: discarded[0]?.objects ?? 0 };
}

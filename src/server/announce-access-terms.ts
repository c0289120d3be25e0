import { sql } from 'drizzle-orm';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import { references } from '../database/schema/references.ts';
import { plain, prepare } from '../database/statement.ts';
import { ACCESS_TERMS } from '../repository/access/terms-rule.ts';

const MIGRATION = '0037_access_rules';

const countTerms = prepare(() => {
  const { sourceType, sourceId, field } = references;
  return plain(
    sql`SELECT ${sourceType}, count(DISTINCT ${sourceId}) FROM ${references}
      WHERE ${field} = ${ACCESS_TERMS} AND ${sourceType} IN ('node', 'media') GROUP BY ${sourceType}`,
    { type: sourceType, count: sql<number>`count` },
  );
});

/** Logs, before the migration that gives access terms their meaning, how much content it closes to strangers. */
export async function announceAccessTerms(database: Database, log: Log, pending: readonly string[]): Promise<void> {
  if (!pending.includes(MIGRATION)) return;
  const counts = new Map((await database.all(countTerms())).map(({ type, count }) => [type, count]));
  const [items, media] = [counts.get('node') ?? 0, counts.get('media') ?? 0];
  if (items + media === 0) return;
  log.warn(
    { items, media },
    `access terms restrict content from this version on: ${items} items and ${media} media will be closed to all who hold none of their terms; choose on each term what it closes, and which roles hold it`,
  );
}

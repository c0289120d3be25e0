import { isNull } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { runs } from '../../database/schema/runs.ts';
import { searchIndex } from '../../database/schema/search.ts';
import { prepare } from '../../database/statement.ts';
import { BUILD_COUNTS, IS_BUILD } from './index-state.ts';

/** The time after which a request should be repeated, in seconds. */
const RETRY_AFTER_S = 60;

const findFirstBuild = prepare(() =>
  query.select(BUILD_COUNTS).from(searchIndex).innerJoin(runs, IS_BUILD).where(isNull(searchIndex.version)),
);

/**
 * Throws `unavailable` while the first index of a repository is being built, after an upgrade: a client would take an
 * incomplete list for the whole one. Harvesters repeat a request with the status 503 after its `Retry-After` (OAI-PMH 2.0,
 * 3.1.2.2).
 */
export async function requireRecords(database: Database): Promise<void> {
  const build = await database.get(findFirstBuild());
  if (build === undefined) return;
  throw new ServiceError(
    'unavailable',
    `The list of all nodes is being prepared: ${build.done} of ${build.total} nodes. Try again later.`,
    { headers: { 'Retry-After': String(RETRY_AFTER_S) } },
  );
}

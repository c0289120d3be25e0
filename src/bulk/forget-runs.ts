import type { Database } from '../database/database.ts';
import type { Work } from '../runs/keep-working.ts';
import { deleteOldItems, deleteOldRuns } from './run-queries.ts';

/** The time for which a run stays with its results, in seconds. */
const KEPT_S = 90 * 86_400;
/** The time after which a run that is still being prepared was interrupted, in seconds. */
const PREPARED_S = 3_600;
const LOOK_MS = 3_600_000;

/** The deletion of old bulk changes and scans. */
export function createForgetTask(database: Database): Work {
  return {
    failure: 'old runs cannot be deleted at present',
    lookMs: LOOK_MS,
    async step() {
      await forgetRuns(database);
      return false;
    },
  };
}

/** Deletes runs that ended long ago, and those whose preparation was interrupted. */
export async function forgetRuns(database: Database, now = Date.now() / 1_000): Promise<void> {
  const old = { endedBefore: now - KEPT_S, begunBefore: now - PREPARED_S };
  for (let changes = 1; changes > 0; ) {
    ({
      deleted: { changes },
    } = await database.write({ deleted: deleteOldItems(old) }));
  }
  await database.write([deleteOldRuns(old)]);
}

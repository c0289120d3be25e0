import type { BackgroundTasks } from '../../base/background-tasks.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Services } from '../../repository/content/services.ts';
import { verify } from './verify.ts';
import { isOfScope, verifyRuns } from './verify-run.ts';

/** The rate of a check that a user starts on a page. Readers must not notice it. */
export const PAGE_CHECK_RATE = 50_000_000;
const ALL_FILES = {};

/**
 * Starts a check of all files in the background of this process, or continues an interrupted one. Throws `conflict` while
 * one is running.
 */
export async function startCheck(services: Services, background: BackgroundTasks): Promise<void> {
  const latest = await verifyRuns.find(services.database, isOfScope(ALL_FILES));
  if (latest?.isUnderWay) throw new ServiceError('conflict', 'A check of all files is running already.');
  background.start('a check of the stored files', async (signal) => {
    try {
      await verify(services, { scope: ALL_FILES, bytesPerSecond: PAGE_CHECK_RATE, signal });
    } catch (error) {
      // A user has stopped it, or another process has taken it over.
      if (!(error instanceof ServiceError && error.kind === 'conflict')) throw error;
    }
  });
}

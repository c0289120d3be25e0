import { setImmediate } from 'node:timers/promises';
import type { JobServices } from '../../jobs/job-planner.ts';
import { countUnusedFiles, type UnusedCounts } from '../../repository/files/measure-files.ts';
import { countStoredFiles, type FileCount } from '../../repository/files/stored-files.ts';

/** The counts read every row of files: they are read again after this time. */
const KEPT_MS = 60_000;

interface Amounts {
  readonly stores: ReadonlyMap<string, FileCount>;
  readonly unused: UnusedCounts;
}

/** The amounts of stored files, which are counted at most once a minute. */
export interface StoredAmounts {
  read(): Promise<Amounts>;
}

/** Creates the counter of stored files. */
export function createStoredAmounts(services: JobServices, now = () => performance.now()): StoredAmounts {
  let known: { readonly at: number; readonly amounts: Promise<Amounts> } | undefined;
  return {
    read() {
      if (known !== undefined && now() - known.at < KEPT_MS) return known.amounts;
      const amounts = countAll(services);
      known = { at: now(), amounts };
      amounts.catch(() => {
        known = undefined;
      });
      return amounts;
    },
  };
}

async function countAll({ database, schemes }: JobServices): Promise<Amounts> {
  const stores = new Map<string, FileCount>();
  for (const name of schemes.keys()) {
    stores.set(name, await countStoredFiles(database, name));
    // Reads of a local file do not give up the event loop.
    await setImmediate();
  }
  return { stores, unused: await countUnusedFiles(database) };
}

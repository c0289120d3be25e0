import type { Database } from '../database/database.ts';
import type { Work } from '../runs/keep-working.ts';
import { newLease, orphansAmong } from '../runs/lease.ts';
import type { Waker } from '../runs/waker.ts';
import type { ActiveRun, BulkParameters } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { freeRun, openLeases, releaseRun, takeRun } from './run-queries.ts';
import { workOnRun } from './work-on-run.ts';

const LOOK_MS = 15_000;

/** The work on bulk runs. Any number of processes may work on those of one repository, each on one run at a time. */
export function createBulkTask(parts: BulkParts & { readonly bulk: Waker }): Work {
  const { database } = parts.services;
  return {
    failure: 'bulk changes cannot continue at present',
    lookMs: LOOK_MS,
    waker: parts.bulk,
    async step(signal) {
      database.refresh();
      const run = await take(database);
      if (run === undefined) return false;
      try {
        await workOnRun(parts, run, signal);
      } finally {
        await database.write([releaseRun({ id: run.id, lease: run.lease })]);
      }
      return true;
    },
  };
}

/** Takes the lease of a run that no process works on. */
async function take(database: Database): Promise<ActiveRun | undefined> {
  const orphaned = orphansAmong(await database.all(openLeases()));
  // A read first, since it blocks no writer and a run is rarely found.
  if ((await database.get(freeRun({ orphaned }))) === undefined) return undefined;
  const lease = newLease();
  const { taken } = await database.write({ taken: takeRun({ lease, orphaned }) });
  const [run] = taken;
  return run && { ...run, parameters: JSON.parse(run.parameters) as BulkParameters, lease };
}

import { setTimeout } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/database.ts';
import { isOrphaned, newLease } from '../database/lease.ts';
import type { ActiveRun, BulkParameters } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import type { BulkWaker } from './bulk-waker.ts';
import { forgetRuns } from './forget-runs.ts';
import { freeRun, openLeases, releaseRun, takeRun } from './run-queries.ts';
import { workOnRun } from './work-on-run.ts';

/** The interval at which a server looks for runs that another process has left, in milliseconds. */
const LOOK_MS = 15_000;
/** The interval at which old runs are deleted, in milliseconds. */
const FORGET_MS = 3_600_000;

/**
 * Works on bulk runs until the signal aborts; another process then continues. Any number of processes may work on the runs of
 * one repository, each on one run at a time.
 */
export async function workOnRuns(
  parts: BulkParts & { readonly bulk: BulkWaker },
  log: Log,
  signal: AbortSignal,
  lookMs = LOOK_MS,
): Promise<void> {
  const { database } = parts.services;
  let woken = Promise.withResolvers<void>();
  let forgottenAt = Number.NEGATIVE_INFINITY;
  /** The last logged failure: a disk that is full for hours is logged once. */
  let lastFailure = '';

  async function work(): Promise<void> {
    if (performance.now() - forgottenAt > FORGET_MS) {
      forgottenAt = performance.now();
      await forgetRuns(database);
    }
    while (!signal.aborted) {
      const run = await take(database);
      if (run === undefined) return;
      try {
        await workOnRun(parts, run, signal);
      } finally {
        await database.write([releaseRun({ id: run.id, lease: run.lease })]);
      }
    }
  }

  parts.bulk.onWake(() => woken.resolve());
  while (!signal.aborted) {
    woken = Promise.withResolvers();
    try {
      database.refresh();
      await work();
      lastFailure = '';
    } catch (error) {
      const failure = String(error);
      if (failure !== lastFailure) log.warn({ err: error }, 'bulk changes cannot continue at present');
      lastFailure = failure;
    }
    await Promise.race([woken.promise, setTimeout(lookMs, undefined, { signal }).catch(() => {})]);
  }
}

/** Takes the lease of a run that no process works on. */
async function take(database: Database): Promise<ActiveRun | undefined> {
  const leases = await database.all(openLeases());
  const orphaned = JSON.stringify(leases.flatMap(({ lease }) => (lease !== null && isOrphaned(lease) ? [lease] : [])));
  // A read first, since it blocks no writer and a run is rarely found.
  if ((await database.get(freeRun({ orphaned }))) === undefined) return undefined;
  const lease = newLease();
  const { taken } = await database.write({ taken: takeRun({ lease, orphaned }) });
  const [run] = taken;
  return run && { ...run, parameters: JSON.parse(run.parameters) as BulkParameters, lease };
}

import { setImmediate, setTimeout } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { query } from '../../database/query-builder.ts';
import { searchPending } from '../../database/schema/search.ts';
import { prepare } from '../../database/statement.ts';
import { buildIndex, needsBuild } from './build-index.ts';
import { readIndexState, releaseIndex, renewIndex, takeIndex } from './index-state.ts';
import type { SearchServices } from './search-services.ts';
import { writePendingSlice } from './write-pending.ts';

/** The interval at which a server looks for pending nodes of other processes, in milliseconds. */
const LOOK_MS = 60_000;
/** The number of pending nodes in one commit: other writes wait for it. */
const SLICE = 50;

/** The background task that keeps the search index complete. */
export interface IndexTask {
  /** Interrupts the task; another process continues it. */
  stop(): Promise<void>;
}

const hasPending = prepare(() => query.select({ nid: searchPending.nid }).from(searchPending).limit(1));

/**
 * Starts the task of a server: it builds the index if that of the database does not fit the program, and writes pending
 * nodes. One process of a repository at a time does it: the first that takes the lease.
 */
export function startIndexTask(services: SearchServices, log: Log, lookMs = LOOK_MS): IndexTask {
  const control = new AbortController();
  const { signal } = control;
  let wake = () => {};
  /** The last logged failure: a disk that is full for hours is logged once. */
  let lastFailure = '';

  async function look(): Promise<void> {
    try {
      if (needsBuild(services, await readIndexState(services.database))) await build();
      if ((await services.database.get(hasPending())) !== undefined) await drain(services, signal);
      lastFailure = '';
    } catch (error) {
      // Another process does it.
      if (signal.aborted || (error instanceof ServiceError && error.kind === 'conflict')) return;
      const failure = String(error);
      if (failure !== lastFailure) log.warn({ err: error }, 'the search index cannot be written at present');
      lastFailure = failure;
    }
  }

  async function build(): Promise<void> {
    let isLogged = false;
    const startedAt = performance.now();
    const { total } = await buildIndex(services, {
      signal,
      restarts: false,
      onProgress({ done, total }) {
        if (!isLogged)
          log.info({ done, total }, 'the search index is built: it does not fit this version of the program');
        isLogged = true;
      },
    });
    log.info({ total, ms: Math.round(performance.now() - startedAt) }, 'the search index is complete');
  }

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await look();
      await Promise.race([woken, setTimeout(lookMs, undefined, { signal }).catch(() => {})]);
    }
  }

  services.search.onWake(() => wake());
  const repeating = repeat();
  return {
    async stop() {
      control.abort(new Error('the server stops'));
      wake();
      await repeating;
    },
  };
}

/** Writes all pending nodes, slice by slice. */
async function drain(services: SearchServices, signal: AbortSignal): Promise<void> {
  const { database } = services;
  const lease = await takeIndex(database);
  if (lease === undefined) return;
  try {
    for (let left = true; left; ) {
      await setImmediate();
      if (signal.aborted) return;
      ({ left } = await writePendingSlice(services, SLICE));
      await renewIndex(database, lease);
    }
  } finally {
    await releaseIndex(database, lease).catch(() => {});
  }
}

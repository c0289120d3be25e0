import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { searchPending, searchPendingTerms } from '../../database/schema/search.ts';
import { prepare } from '../../database/statement.ts';
import type { Work } from '../../runs/keep-working.ts';
import { makeUsesPending } from '../pending-terms.ts';
import { buildIndex } from './build-index.ts';
import { readIndexState, releaseIndex, renewIndex, takeIndex } from './index-state.ts';
import { needsBuild } from './needs-build.ts';
import type { SearchServices } from './search-services.ts';
import { writePendingSlice } from './write-pending.ts';

/** The interval at which a server looks for pending nodes of other processes, in milliseconds. */
const LOOK_MS = 60_000;
/** The number of pending nodes in one commit: other writes wait for it. */
const SLICE = 50;

const hasNodes = prepare(() => query.select({ nid: searchPending.nid }).from(searchPending).limit(1));
const hasTerms = prepare(() => query.select({ id: searchPendingTerms.id }).from(searchPendingTerms).limit(1));

async function hasPending(database: Database): Promise<boolean> {
  const { nodes, terms } = await database.read({ nodes: hasNodes(), terms: hasTerms() });
  return nodes.length + terms.length > 0;
}

/**
 * The task that keeps the search index complete: it builds the index if that of the database does not fit the program, and
 * writes pending nodes. One process of a repository at a time does it: the first that takes the lease.
 */
export function createIndexTask(services: SearchServices, log: Log): Work {
  return {
    failure: 'the search index cannot be written at present',
    lookMs: LOOK_MS,
    waker: services.search,
    async step(signal) {
      if (needsBuild(services, await readIndexState(services.database))) await build(services, log, signal);
      if (await hasPending(services.database)) await drain(services, signal);
      return false;
    },
  };
}

async function build(services: SearchServices, log: Log, signal: AbortSignal): Promise<void> {
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

/** Writes all pending nodes, slice by slice. */
async function drain(services: SearchServices, signal: AbortSignal): Promise<void> {
  const { database } = services;
  const lease = await takeIndex(database);
  if (lease === undefined) return;
  try {
    for (let left = true; left; ) {
      await setImmediate();
      if (signal.aborted) return;
      const terms = await makeUsesPending(database);
      const nodes = await writePendingSlice(services, SLICE);
      left = terms || nodes.left;
      await renewIndex(database, lease);
    }
  } finally {
    await releaseIndex(database, lease).catch(() => {});
  }
}

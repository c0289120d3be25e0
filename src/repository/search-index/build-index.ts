import { setImmediate } from 'node:timers/promises';
import { and, gt, lte } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { releaseAfterRows } from '../../base/release-memory.ts';
import { isDamagedIndex } from '../../database/damage.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Lease } from '../../runs/runs.ts';
import { makePending } from '../pending-nodes.ts';
import { findIndexProblems } from './find-index-problems.ts';
import {
  advanceBuild,
  beginBuild,
  endBuild,
  type IndexState,
  readIndexState,
  releaseIndex,
  takeIndex,
} from './index-state.ts';
import { emptyTexts } from './index-statements.ts';
import type { SearchServices } from './search-services.ts';
import { writePendingSlice } from './write-pending.ts';
import { writeSlice } from './write-slice.ts';

/** The number of nodes that are read together, and written in one commit. */
const SLICE = 100;

/** The progress of a build, in nodes. */
export interface BuildProgress {
  readonly done: number;
  readonly total: number;
}

interface BuildOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BuildProgress) => void;
  /** True to build the index again, even if it is complete, or another build was interrupted. */
  readonly restarts: boolean;
}

const findNext = prepare(({ after, until, limit }: Named<{ after: number; until: number; limit: number }>) =>
  query
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(gt(nodes.id, after), lte(nodes.id, until)))
    .orderBy(nodes.id)
    .limit(limit),
);

/**
 * Builds the index of all nodes while other processes write, or resumes an interrupted build of the same version. Its
 * rows and its position are stored as it goes, so that a crash loses at most one slice. A damaged index is emptied
 * first; with `restarts` it is searched for damage before. Throws `conflict` while another process builds, the reason of the signal, and errors of the database.
 */
export async function buildIndex(services: SearchServices, options: BuildOptions): Promise<BuildProgress> {
  const { database } = services;
  const lease = await takeIndex(database);
  if (lease === undefined) throw underWay(await readIndexState(database));
  try {
    if (options.restarts && (await hasProblem(services, options.signal))) await database.write(emptyTexts());
    return await build(services, lease, options);
  } catch (error) {
    if (!isDamagedIndex(error)) throw error;
    await database.write(emptyTexts());
    return await build(services, lease, { ...options, restarts: true });
  } finally {
    // A lease that cannot be released, as on a full disk, expires.
    await releaseIndex(database, lease).catch(() => {});
  }
}

async function hasProblem(services: SearchServices, signal: AbortSignal): Promise<boolean> {
  for await (const _ of findIndexProblems(services, signal)) return true;
  return false;
}

function underWay({ building, done, total }: IndexState): ServiceError {
  const what = building === null ? 'written' : `built, ${done} of ${total} nodes are done`;
  return new ServiceError('conflict', `The search index is being ${what} by another process.`);
}

async function build(
  services: SearchServices,
  lease: Lease,
  { signal, onProgress, restarts }: BuildOptions,
): Promise<BuildProgress> {
  const { database, search } = services;
  const { version } = search.model;
  let state = await readIndexState(database);
  if (restarts || state.building !== version) state = await beginBuild(database, lease, version);
  let { position, done } = state;
  const { lastId, total } = state;
  onProgress({ done, total });
  for (;;) {
    // Reads of a local file never yield: without this, requests and signals would wait.
    await setImmediate();
    signal.throwIfAborted();
    const ids = (await database.all(findNext({ after: position, until: lastId, limit: SLICE }))).map(({ id }) => id);
    if (ids.length === 0) break;
    const failed = await writeSlice(services, ids, { readsFiles: () => true, isForced: true });
    if (failed.length > 0) await database.write([makePending(failed)]);
    position = ids.at(-1) as number;
    done += ids.length;
    await advanceBuild(database, lease, { position, lastId, done, total });
    onProgress({ done: Math.min(done, total), total });
    releaseAfterRows();
  }
  for (let left = true; left; ) {
    signal.throwIfAborted();
    ({ left } = await writePendingSlice(services, SLICE));
  }
  await endBuild(database, lease, version);
  onProgress({ done: total, total });
  return { done: total, total };
}

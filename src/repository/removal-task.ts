import { setTimeout } from 'node:timers/promises';
import { and, isNull, notExists, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { references, removedTargets } from '../database/schema/references.ts';
import { runs } from '../database/schema/runs.ts';
import { nested } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { Work } from '../runs/keep-working.ts';
import { createRunTask } from '../runs/run-task.ts';
import { type Lease, runsOf } from '../runs/runs.ts';
import type { Waker } from '../runs/waker.ts';
import type { BaseServices } from './base-services.ts';
import { forgetRemoved, type RemovedType, removalSlice } from './remove-references-to.ts';

/** The interval at which a server looks for removals of other processes, in milliseconds. */
const LOOK_MS = 60_000;
/** The pause after a slice, as a multiple of its time: other requests have the rest. */
const PAUSE = 1;

/** The services that the task needs. */
export interface RemovalServices extends BaseServices {
  /** Tells the task that there is something to remove. */
  readonly removals: Waker;
  /** The task that writes the nodes that have become pending. */
  readonly search: Pick<Waker, 'wake'>;
}

/** The number of references that are left, for people. */
export interface ShownRemoval {
  readonly type: RemovedType;
  readonly id: number;
  readonly left: number;
}

const listed = prepare(({ limit }: Named<{ limit: number }>) => {
  const { type, id } = removedTargets;
  const left = nested(sql<number>`(SELECT count(*) FROM ${references}
    WHERE ${references.targetType} = ${type} AND ${references.targetId} = ${id})`);
  return query.select({ type, id, left }).from(removedTargets).limit(limit);
});

/** Returns deleted entities of which rows are left. */
export function listRemovals(database: Database, limit: number): Promise<ShownRemoval[]> {
  return database.all(listed({ limit }));
}

const findFirst = prepare(() =>
  query.select({ type: removedTargets.type, id: removedTargets.id }).from(removedTargets).limit(1),
);

/** Runs that remove what is left of all deleted entities. */
const removalRuns = runsOf<Record<string, never>>('removal', 'removal of references');

/**
 * The task that removes references to deleted entities, and their other rows, in slices. Its requests have been answered:
 * `removed-targets.ts` hides the references from readers. One process at a time works on all of them.
 */
export function createRemovalTask({ database, removals, search }: RemovalServices): Work {
  const task = createRunTask(database, removalRuns, {
    failure: 'references to deleted content cannot be removed at present',
    lookMs: LOOK_MS,
    waker: removals,
    async work(run, signal) {
      await removeAll(database, run, signal);
      if (!signal.aborted) await removalRuns.settle(database, run, { state: 'done' });
      search.wake();
    },
  });
  return {
    ...task,
    async step(signal) {
      database.refresh();
      if ((await database.get(findFirst())) === undefined) return false;
      const open = query
        .select({ id: runs.id })
        .from(runs)
        .where(and(removalRuns.isOfKind, isNull(runs.endedAt)));
      await database.write({ begun: removalRuns.add({ about: {}, where: notExists(open) }) });
      return task.step(signal);
    },
  };
}

async function removeAll(database: Database, run: Lease, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    database.refresh();
    const removal = await database.get(findFirst());
    if (removal === undefined) return;
    const begun = performance.now();
    const { type, id } = removal;
    await removalRuns.change(database, run, {}, [...removalSlice(type, JSON.stringify([id])), forgetRemoved(type, id)]);
    await setTimeout((performance.now() - begun) * PAUSE, undefined, { signal }).catch(() => {});
  }
}

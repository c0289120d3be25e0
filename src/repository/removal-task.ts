import { setTimeout } from 'node:timers/promises';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { references, removedTargets } from '../database/schema/references.ts';
import { namesOf, nested, requireOne } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import type { Work } from '../runs/keep-working.ts';
import { isFree, newLease, orphansAmong, RELEASED, RENEWED } from '../runs/lease.ts';
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

/** A deleted entity of which rows are left. */
interface Removal {
  readonly type: RemovedType;
  readonly id: number;
  readonly lease: string;
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

const isOf = ({ type, id, lease }: Named<Removal>) =>
  and(eq(removedTargets.type, type), eq(removedTargets.id, id), eq(removedTargets.lease, lease));

const openLeases = prepare(() =>
  query.selectDistinct({ lease: removedTargets.lease }).from(removedTargets).where(isNotNull(removedTargets.lease)),
);
const hasFree = prepare(({ orphaned }: Named<{ orphaned: string }>) =>
  query.select({ id: removedTargets.id }).from(removedTargets).where(isFree(removedTargets, orphaned)).limit(1),
);
const take = prepare(({ lease, orphaned }: Named<{ lease: string; orphaned: string }>) => {
  const key = namesOf(removedTargets.type, removedTargets.id);
  const next = sql`SELECT ${key} FROM ${removedTargets} WHERE ${isFree(removedTargets, orphaned)} LIMIT 1`;
  return query
    .update(removedTargets)
    .set({ lease, ...RENEWED })
    .where(sql`(${key}) IN (${next})`)
    .returning({ type: removedTargets.type, id: removedTargets.id });
});
const renew = prepare((removal: Named<Removal>) => query.update(removedTargets).set(RENEWED).where(isOf(removal)));
const release = prepare((removal: Named<Removal>) => query.update(removedTargets).set(RELEASED).where(isOf(removal)));

/**
 * The task that removes references to deleted entities, and their other rows, in slices. Its requests have been answered:
 * `removed-targets.ts` hides the references from readers. One process at a time works on one entity.
 */
export function createRemovalTask({ database, removals, search }: RemovalServices): Work {
  return {
    failure: 'references to deleted content cannot be removed at present',
    lookMs: LOOK_MS,
    waker: removals,
    async step(signal) {
      database.refresh();
      const removal = await takeRemoval(database);
      if (removal === undefined) return false;
      try {
        await removeAll(database, removal, signal);
      } finally {
        await database.write([release({ ...removal })]);
      }
      search.wake();
      return true;
    },
  };
}

async function takeRemoval(database: Database): Promise<Removal | undefined> {
  const orphaned = orphansAmong(await database.all(openLeases()));
  // A read first, since it blocks no writer and there is rarely one.
  if ((await database.get(hasFree({ orphaned }))) === undefined) return undefined;
  const lease = newLease();
  const { taken } = await database.write({ taken: take({ lease, orphaned }) });
  const [removal] = taken;
  return removal && { ...removal, lease };
}

async function removeAll({ write }: Database, removal: Removal, signal: AbortSignal): Promise<void> {
  const { type, id } = removal;
  while (!signal.aborted) {
    const begun = performance.now();
    const { forgotten } = await write({
      held: renew({ ...removal }),
      lost: requireOne('lost'),
      slice: removalSlice(type, JSON.stringify([id])),
      forgotten: forgetRemoved(type, id),
    });
    if (forgotten.changes > 0) return;
    await setTimeout((performance.now() - begun) * PAUSE, undefined, { signal }).catch(() => {});
  }
}

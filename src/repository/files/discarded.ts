import { eq, sql } from 'drizzle-orm';
import { NOW } from '../../database/database-time.ts';
import { query } from '../../database/query-builder.ts';
import { discardedObjects, objectHolds } from '../../database/schema/system.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from './scheme.ts';

/** The time for callers to open an object after they have read its row. An open object can be read to its end. */
export const GRACE_MS = 1_000;
/** Maximum delay between retries, which back off exponentially. */
const MAX_DELAY_MS = 3_600_000;
/** Maximum number of concurrent removals: a move of a store discards all of its objects. */
const MAX_AT_ONCE = 16;
/** The delay between checks for the end of a hold. */
const HELD_DELAY_MS = 10_000;

/** The outcome of a removal: done, postponed by the hold of a backup, or failed. */
type Removal = 'removed' | 'held' | 'failed';

/** Removes recorded objects after a delay. The next start removes the rest. */
export interface DiscardQueue {
  add(store: string, storageKey: string): void;
  /**
   * Removes waiting objects at once, except those of a failing store. Leaves objects with a longer delay, whose
   * addresses clients may still have, to the next start.
   */
  stop(): Promise<void>;
}

/** Objects that a store failed to remove. */
interface FailedObjects {
  readonly keys: Set<string>;
  delayMs: number;
  timer?: Timer;
}

interface DiscardOptions {
  /** Returns the delay for the objects of a store, in milliseconds (default: `GRACE_MS`). */
  readonly graceMsOf?: (store: string) => number;
  readonly heldDelayMs?: number;
}

/**
 * Creates a queue of timers. `remove` must not reject. Held objects share a timer and are retried one by one, and so
 * are the objects of a failing store, so that a recovering store is not overloaded.
 */
export function createDiscardQueue(
  remove: (store: string, storageKey: string) => Promise<Removal>,
  { graceMsOf = () => GRACE_MS, heldDelayMs = HELD_DELAY_MS }: DiscardOptions = {},
): DiscardQueue {
  const waiting = new Map<string, { store: string; timer: Timer }>();
  const failed = new Map<string, FailedObjects>();
  const held = new Map<string, string>();
  let heldTimer: Timer | undefined;
  const going = new Set<Promise<void>>();
  const due: (readonly [store: string, storageKey: string])[] = [];
  let removing = 0;
  let isStopped = false;
  const run = (task: () => Promise<void>) => {
    const work = task().finally(() => going.delete(work));
    going.add(work);
  };
  /** Removes objects whose delay is over. */
  const removeDue = async () => {
    if (removing >= MAX_AT_ONCE) return;
    removing += 1;
    for (let next = due.shift(); next !== undefined; next = due.shift()) await tryOnce(...next);
    removing -= 1;
  };
  const tryOnce = async (store: string, storageKey: string) => {
    const removal = await remove(store, storageKey);
    if (removal === 'held') hold(store, storageKey);
    else if (removal === 'failed') setAside(store, storageKey);
  };
  const setAside = (store: string, storageKey: string) => {
    const others = failed.get(store) ?? { keys: new Set(), delayMs: GRACE_MS };
    others.keys.add(storageKey);
    if (failed.has(store)) return;
    failed.set(store, others);
    tryLater(store, others);
  };
  const tryLater = (store: string, these: FailedObjects) => {
    if (isStopped) return;
    these.delayMs = Math.min(2 * these.delayMs, MAX_DELAY_MS);
    these.timer = setTimeout(() => run(() => tryFailed(store, these)), these.delayMs);
  };
  const tryFailed = async (store: string, these: FailedObjects) => {
    for (const storageKey of these.keys) {
      if (isStopped) return;
      const removal = await remove(store, storageKey);
      these.keys.delete(storageKey);
      if (removal === 'held') hold(store, storageKey);
      if (removal !== 'failed') continue;
      // The last one now: it may be the only one that cannot be removed.
      these.keys.add(storageKey);
      return tryLater(store, these);
    }
    failed.delete(store);
  };
  const hold = (store: string, storageKey: string) => {
    held.set(storageKey, store);
    if (!isStopped) heldTimer ??= setTimeout(() => run(tryHeld), heldDelayMs);
  };
  const tryHeld = async () => {
    heldTimer = undefined;
    for (const [storageKey, store] of held) {
      if (isStopped) return;
      const removal = await remove(store, storageKey);
      if (removal === 'held') return hold(store, storageKey);
      held.delete(storageKey);
      if (removal === 'failed') setAside(store, storageKey);
    }
  };
  return {
    add(store, storageKey) {
      if (isStopped) return;
      const timer = setTimeout(() => {
        waiting.delete(storageKey);
        due.push([store, storageKey]);
        run(removeDue);
      }, graceMsOf(store));
      waiting.set(storageKey, { store, timer });
    },
    async stop() {
      isStopped = true;
      clearTimeout(heldTimer);
      for (const { timer } of failed.values()) clearTimeout(timer);
      const left = [...waiting];
      waiting.clear();
      for (const { timer } of left.map(([, each]) => each)) clearTimeout(timer);
      for (const [storageKey, { store }] of left)
        if (!failed.has(store) && graceMsOf(store) <= GRACE_MS) await tryOnce(store, storageKey);
      await Promise.all(going);
    },
  };
}

const insertDiscarded = prepare(({ storageKey, scheme }: Named<{ storageKey: string; scheme: string }>) =>
  query.insert(discardedObjects).values({ storageKey, scheme }),
);
const removeRecord = prepare(({ storageKey }: Named<{ storageKey: string }>) =>
  query.delete(discardedObjects).where(eq(discardedObjects.storageKey, storageKey)),
);
const findRecords = prepare(({ schemes, limit }: Named<{ schemes: string; limit: number }>) =>
  query.select().from(discardedObjects).where(isAmong(discardedObjects.scheme, schemes)).limit(limit),
);

/** Finds a hold that has not expired: a backup holds what it needs. */
export const findObjectHold = prepare(() =>
  query
    .select({ name: objectHolds.name })
    .from(objectHolds)
    .where(sql`${objectHolds.until} > ${sql.raw(NOW)}`)
    .limit(1),
);

/** Returns the statement that records an object for removal, for the transaction that removes its row. */
export function recordDiscarded(scheme: string, storageKey: string): Statement {
  return insertDiscarded({ scheme, storageKey });
}

/** Removes a recorded object unless a backup holds it. Reports a failure to the operator; the removal is retried. */
export async function removeDiscarded(
  services: BaseServices & Schemes,
  store: string,
  storageKey: string,
): Promise<Removal> {
  try {
    // The row is removed already: a snapshot that has it was taken under a hold that this query finds. It is a write,
    // since a replica may be behind an extended hold.
    const { holds } = await services.database.write({ holds: findObjectHold() });
    if (holds.length > 0) return 'held';
    const scheme = services.schemes.get(store);
    if (scheme === undefined) throw new Error(`the storage scheme ${store} is not configured`);
    await scheme.storage.remove(storageKey);
    await services.database.write([removeRecord({ storageKey })]);
    return 'removed';
  } catch (error) {
    services.warn(`cannot remove the discarded object ${storageKey} from ${store} yet`, error);
    return 'failed';
  }
}

/** The maximum time that a start waits for removals, and the maximum number that it begins. */
const START_MS = 2_000;
const MAX_AT_START = 10_000;

/**
 * Removes recorded objects of earlier processes, up to a limit; the next start or `gc` removes the rest. Queues objects
 * after the time limit, held objects, and those of failing stores or of the stores `away`.
 */
export async function removeAllDiscarded(
  services: BaseServices & Schemes & { readonly discards: DiscardQueue },
  away: ReadonlySet<string> = new Set(),
): Promise<void> {
  const deadline = performance.now() + START_MS;
  // An object of an unconfigured scheme waits until the scheme is configured again.
  const schemes = JSON.stringify([...services.schemes.keys()]);
  const notes = await services.database.all(findRecords({ schemes, limit: MAX_AT_START }));
  const failing = new Set(away);
  let isHeld = false;
  for (const { scheme: store, storageKey } of notes) {
    const goesLater = isHeld || failing.has(store) || performance.now() > deadline;
    const removal = goesLater ? undefined : await removeDiscarded(services, store, storageKey);
    if (removal === 'held') isHeld = true;
    if (removal === 'failed') failing.add(store);
    if (removal !== 'removed') services.discards.add(store, storageKey);
  }
}

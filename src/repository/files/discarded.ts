import { eq, sql } from 'drizzle-orm';
import { NOW } from '../../database/database-time.ts';
import { query } from '../../database/query-builder.ts';
import { discardedObjects, objectHolds } from '../../database/schema/system.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from './scheme.ts';

/**
 * How long whoever has found the row of a file may take to open the object behind it. After that the object may
 * go: who has it open reads on.
 */
export const GRACE_MS = 1_000;
/** A store or database that fails is asked again after twice the time, at least so often. */
const MAX_DELAY_MS = 3_600_000;
/** So many are removed at a time: a move of a whole store leaves very many at once. */
const MAX_AT_ONCE = 16;
/** How often it is looked whether a backup still holds what it needs. */
const HELD_DELAY_MS = 10_000;

/** What came of removing an object: it is gone, a backup still needs it, or the store or database failed. */
type Removal = 'gone' | 'held' | 'failed';

/** Objects that are noted and go after a while. What cannot be removed by the end the next start removes. */
export interface DiscardQueue {
  add(store: string, storageKey: string): void;
  /**
   * Removes at once what still waits, unless its store fails: nobody is on the way to it any more. What waits longer
   * than usual, for those who have an address of it, is left to the next start.
   */
  stop(): Promise<void>;
}

/** What a store failed to remove. */
interface Failed {
  readonly keys: Set<string>;
  delayMs: number;
  timer?: Timer;
}

interface DiscardOptions {
  /** How long the objects of a store stay, in milliseconds; a second if left out. */
  readonly graceMsOf?: (store: string) => number;
  readonly heldDelayMs?: number;
}

/**
 * A queue of timers. `remove` must not reject. What is held waits together, and is tried one by one when the hold ends;
 * so does what a store failed to remove, so that much of it does not fall upon a store that is just coming back.
 */
export function createDiscardQueue(
  remove: (store: string, storageKey: string) => Promise<Removal>,
  { graceMsOf = () => GRACE_MS, heldDelayMs = HELD_DELAY_MS }: DiscardOptions = {},
): DiscardQueue {
  const waiting = new Map<string, { store: string; timer: Timer }>();
  const failed = new Map<string, Failed>();
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
  /** Those whose time has come, a few at a time. */
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
  const tryLater = (store: string, these: Failed) => {
    if (isStopped) return;
    these.delayMs = Math.min(2 * these.delayMs, MAX_DELAY_MS);
    these.timer = setTimeout(() => run(() => tryFailed(store, these)), these.delayMs);
  };
  const tryFailed = async (store: string, these: Failed) => {
    for (const storageKey of these.keys) {
      if (isStopped) return;
      const removal = await remove(store, storageKey);
      these.keys.delete(storageKey);
      if (removal === 'held') hold(store, storageKey);
      if (removal !== 'failed') continue;
      // Behind the others: it may be the only one that cannot be removed.
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
const removeNote = prepare(({ storageKey }: Named<{ storageKey: string }>) =>
  query.delete(discardedObjects).where(eq(discardedObjects.storageKey, storageKey)),
);
const findNotes = prepare(({ schemes, limit }: Named<{ schemes: string; limit: number }>) =>
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

/**
 * Returns the statement that notes an object to be removed, for the transaction that removes its row. `scheme` is the one
 * in whose storage the object is.
 */
export function noteDiscarded(scheme: string, storageKey: string): Statement {
  return insertDiscarded({ scheme, storageKey });
}

/**
 * Removes an object that was noted, unless a backup holds it. A failure is the operator's to know, not the caller's: the
 * change is made, and the removal is tried again.
 */
export async function removeDiscarded(
  services: BaseServices & Schemes,
  store: string,
  storageKey: string,
): Promise<Removal> {
  try {
    // After the row was taken away, so that whichever snapshot still has it was taken under a hold that is seen here; as
    // a write, since a replica may not know yet that the hold was made longer.
    const { holds } = await services.database.write({ holds: findObjectHold() });
    if (holds.length > 0) return 'held';
    const found = services.schemes.get(store);
    if (found === undefined) throw new Error(`the storage scheme ${store} is not configured`);
    await found.storage.remove(storageKey);
    await services.database.write([removeNote({ storageKey })]);
    return 'gone';
  } catch (error) {
    services.warn(`an object that is no longer needed could not be removed from ${store} yet: ${storageKey}`, error);
    return 'failed';
  }
}

/** A start waits so long for removals, and takes up so many: after a backup or a move there may be very many. */
const START_MS = 2_000;
const MAX_AT_START = 10_000;

/**
 * Removes what earlier processes have left noted, or a part of it; the next start or `gc` finds the rest. What takes long,
 * what a backup holds and what one of the stores `away` has goes after that; so does what is left of a store that fails.
 */
export async function removeAllDiscarded(
  services: BaseServices & Schemes & { readonly discards: DiscardQueue },
  away: ReadonlySet<string> = new Set(),
): Promise<void> {
  const deadline = performance.now() + START_MS;
  // An object of an unconfigured scheme waits until the scheme is configured again.
  const schemes = JSON.stringify([...services.schemes.keys()]);
  const notes = await services.database.all(findNotes({ schemes, limit: MAX_AT_START }));
  const failing = new Set(away);
  let isHeld = false;
  for (const { scheme: store, storageKey } of notes) {
    const goesLater = isHeld || failing.has(store) || performance.now() > deadline;
    const removal = goesLater ? undefined : await removeDiscarded(services, store, storageKey);
    if (removal === 'held') isHeld = true;
    if (removal === 'failed') failing.add(store);
    if (removal !== 'gone') services.discards.add(store, storageKey);
  }
}

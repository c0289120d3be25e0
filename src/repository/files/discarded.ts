import type { InStatement } from '@libsql/client';
import type { Services } from '../services.ts';
import { schemeOf } from './scheme.ts';

/**
 * How long whoever has found the row of a file may take to open the object behind it. After that the object may
 * go: who has it open reads on.
 */
const GRACE_MS = 1_000;
/** A store or database that fails is asked again after twice the time, at least so often. */
const MAX_DELAY_MS = 3_600_000;

/** Objects that are noted and go after a while. What cannot be removed by the end the next start removes. */
export interface DiscardQueue {
  add(scheme: string, storageKey: string): void;
  /** Removes at once what still waits: nobody is on the way to it any more. */
  stop(): Promise<void>;
}

/** A queue of timers. `remove` answers whether the object is gone, and must not reject. */
export function createDiscardQueue(remove: (scheme: string, storageKey: string) => Promise<boolean>): DiscardQueue {
  const waiting = new Map<string, { scheme: string; timer: Timer }>();
  let isStopped = false;
  const wait = (scheme: string, storageKey: string, delayMs: number) => {
    if (isStopped) return;
    const timer = setTimeout(async () => {
      waiting.delete(storageKey);
      if (!(await remove(scheme, storageKey))) wait(scheme, storageKey, Math.min(2 * delayMs, MAX_DELAY_MS));
    }, delayMs);
    waiting.set(storageKey, { scheme, timer });
  };
  return {
    add: (scheme, storageKey) => wait(scheme, storageKey, GRACE_MS),
    async stop() {
      isStopped = true;
      const left = [...waiting];
      waiting.clear();
      for (const [storageKey, { scheme, timer }] of left) {
        clearTimeout(timer);
        await remove(scheme, storageKey);
      }
    },
  };
}

/** Notes, in the transaction that takes its row away, that an object is to be removed. */
export function noteDiscarded(uri: string, storageKey: string): InStatement {
  return {
    sql: 'INSERT INTO discarded_object (storage_key, scheme) VALUES (?, ?)',
    args: [storageKey, schemeOf(uri)],
  };
}

/**
 * Removes an object that was noted, and answers whether it is gone. A failure is the operator's to know, not the
 * caller's: the change is made, and the removal is tried again.
 */
export async function removeDiscarded(services: Services, scheme: string, storageKey: string): Promise<boolean> {
  try {
    const found = services.schemes.get(scheme);
    if (found === undefined) throw new Error(`the storage scheme ${scheme} is not configured`);
    await found.storage.remove(storageKey);
    await services.database.write([{ sql: 'DELETE FROM discarded_object WHERE storage_key = ?', args: [storageKey] }]);
    return true;
  } catch (error) {
    services.warn(`an object that is no longer needed could not be removed from ${scheme} yet: ${storageKey}`, error);
    return false;
  }
}

/** Removes what earlier processes have left noted. */
export async function removeAllDiscarded(services: Services): Promise<void> {
  const { rows } = await services.database.client.execute('SELECT scheme, storage_key FROM discarded_object');
  for (const row of rows) await removeDiscarded(services, String(row[0]), String(row[1]));
}

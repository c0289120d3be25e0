import type { Work } from '../../runs/keep-working.ts';
import type { Waker } from '../../runs/waker.ts';
import type { BaseServices } from '../base-services.ts';
import { completeUntil, rollUp } from './roll-up.ts';
import { DaySalts, storeUses } from './store-uses.ts';
import type { UseCounter } from './use-counter.ts';

/**
 * The interval in which uses are stored, in milliseconds: a killed process loses those since the last time. Each write ends the
 * cached answers of all processes, so they store at the same moment, at the full minute.
 */
const SLICE_MS = 60_000;

type Services = Pick<BaseServices, 'database' | 'model' | 'warn' | 'now'>;

/** Moves the uses of a process to the database. */
export class UsageStore {
  readonly #services: Services;
  readonly #counter: UseCounter;
  readonly #salts: DaySalts;
  #rolledUp = -1;

  constructor(services: Services, counter: UseCounter) {
    this.#services = services;
    this.#counter = counter;
    this.#salts = new DaySalts(services.database);
  }

  /** Stores the uses in memory. If that fails, they wait for the next time. */
  async store(): Promise<void> {
    const { uses, lost } = this.#counter.take();
    let stored = 0;
    try {
      await storeUses(this.#services, this.#salts, uses, (count) => {
        stored = count;
      });
    } catch (error) {
      this.#counter.takeBack(uses.slice(stored));
      throw error;
    } finally {
      if (lost > 0) this.#services.warn(`${lost} uses are missing in the usage statistics: too many waited`, undefined);
    }
  }

  /** Adds complete hours to the numbers of days, once an hour. */
  async rollUp(): Promise<void> {
    const { database, now } = this.#services;
    const hour = completeUntil(now());
    if (hour === this.#rolledUp) return;
    await rollUp(database, now());
    this.#rolledUp = hour;
  }
}

/** The task of a server that stores uses and counts complete hours. */
export function createUsageTask(store: UsageStore, waker: Waker): Work {
  return {
    failure: 'the usage statistics could not be stored',
    get lookMs() {
      return SLICE_MS - (Date.now() % SLICE_MS);
    },
    waker,
    async step() {
      await store.store();
      await store.rollUp();
      return false;
    },
  };
}

import { LRUCache } from 'lru-cache';

/** The work that has a budget: answers that take much more than an item. */
export const EXPENSIVE_WORK = ['search', 'search within', 'image', 'export', 'comparison'] as const;
export type WorkKind = (typeof EXPENSIVE_WORK)[number];

/**
 * The points of a millisecond of work. Images are computed beside the server, in a limited number of processes that give way
 * to it.
 */
const POINTS_PER_MS: Readonly<Record<WorkKind, number>> = {
  search: 1,
  'search within': 1,
  image: 0.25,
  export: 1,
  comparison: 1,
};
/** The expected milliseconds of a kind before the first one is measured. */
const FIRST_GUESS_MS: Readonly<Record<WorkKind, number>> = {
  search: 10,
  'search within': 20,
  image: 200,
  export: 100,
  comparison: 20,
};
/** The weight of a new measurement in the expected cost. */
const WEIGHT = 0.1;
/** Points that a network may spend at once, in seconds of its rate: a reader who zooms into a large image. */
const NETWORK_BURST_S = 60;
const TOTAL_BURST_S = 2;
/** A full bucket is forgotten first. With more networks than these the total is the limit. */
const MAX_NETWORKS = 50_000;
/** The wait that is asked of all clients together, in seconds. Robots would come back at once otherwise. */
const TOTAL_RETRY_S = 30;
const MAX_RETRY_S = 600;

/** Points that are refilled over time. */
class Bucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  #level: number;
  #at: number;

  constructor(perSecond: number, burstSeconds: number, now: number) {
    this.#perSecond = perSecond;
    this.#capacity = perSecond * burstSeconds;
    this.#level = this.#capacity;
    this.#at = now;
  }

  /** Returns the points at a time in milliseconds. Negative after work that took longer than expected. */
  levelAt(now: number): number {
    this.#level = Math.min(this.#capacity, this.#level + (Math.max(0, now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    return this.#level;
  }

  /** Takes points; negative ones are given back. */
  take(points: number): void {
    this.#level -= points;
  }

  secondsUntil(points: number, now: number): number {
    return Math.max(0, (points - this.levelAt(now)) / this.#perSecond);
  }
}

/** The rates of budgets, in points a second: milliseconds of work. 0: no limit. */
export interface BudgetRates {
  readonly network: number;
  readonly total: number;
}

/** A client of expensive work. */
export interface WorkClient {
  /** Undefined for a client that shares its address with all others, as behind an unknown proxy. */
  readonly network: string | undefined;
  /** The pass of a person who waits for nobody else (`pass.ts`). */
  readonly pass?: string | undefined;
}

/** Admitted work. */
export interface Expense {
  /** Takes measured milliseconds from the budgets. */
  add(milliseconds: number): void;
  /** Ends the work. What was expected is given back, since `add` has taken what it was. */
  end(): void;
}

/** The limit that work would exceed. */
export interface Refusal {
  readonly limit: keyof BudgetRates;
  readonly retryAfterSeconds: number;
}

/** The budgets of expensive work: of each network, and of all clients of this process together. */
export class WorkBudget {
  readonly #rates: BudgetRates;
  readonly #now: () => number;
  readonly #networks = new LRUCache<string, Bucket>({ max: MAX_NETWORKS });
  readonly #total: Bucket;
  /** The one of clients with a pass, who do not wait for those without. */
  readonly #passes: Bucket;
  readonly #expectedMs: Record<WorkKind, number> = { ...FIRST_GUESS_MS };

  /** `now` returns milliseconds of a clock that never goes back. */
  constructor(rates: BudgetRates, now: () => number = () => performance.now()) {
    this.#rates = rates;
    this.#now = now;
    this.#total = new Bucket(rates.total, TOTAL_BURST_S, now());
    this.#passes = new Bucket(rates.total, TOTAL_BURST_S, now());
  }

  /** Admits work, or says why not. */
  admit(kind: WorkKind, client: WorkClient): Expense | Refusal {
    const now = this.#now();
    const expected = this.#expectedMs[kind] * POINTS_PER_MS[kind];
    const network = this.#bucketOf(client);
    const total = this.#rates.total === 0 ? undefined : client.pass === undefined ? this.#total : this.#passes;
    if (network !== undefined && network.levelAt(now) <= 0)
      return { limit: 'network', retryAfterSeconds: wholeSeconds(network.secondsUntil(expected, now)) };
    if (total !== undefined && total.levelAt(now) <= 0) return { limit: 'total', retryAfterSeconds: TOTAL_RETRY_S };
    const take = (points: number) => {
      network?.take(points);
      total?.take(points);
    };
    take(expected);
    let measuredMs = 0;
    return {
      add(milliseconds) {
        measuredMs += milliseconds;
        take(milliseconds * POINTS_PER_MS[kind]);
      },
      end: () => {
        take(-expected);
        this.#expectedMs[kind] += WEIGHT * (measuredMs - this.#expectedMs[kind]);
      },
    };
  }

  #bucketOf({ network, pass }: WorkClient): Bucket | undefined {
    const key = pass ?? network;
    if (key === undefined || this.#rates.network === 0) return undefined;
    const known = this.#networks.get(key);
    if (known !== undefined) return known;
    const bucket = new Bucket(this.#rates.network, NETWORK_BURST_S, this.#now());
    this.#networks.set(key, bucket);
    return bucket;
  }
}

function wholeSeconds(seconds: number): number {
  return Math.min(MAX_RETRY_S, Math.max(1, Math.ceil(seconds)));
}

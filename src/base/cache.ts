import { LRUCache } from 'lru-cache';

/** Estimated bytes of an entry beside its key and value. */
const ENTRY_BYTES = 200;

interface CacheOptions<Value> {
  /** Maximum estimated size of all entries, in bytes. The least recently used ones make room. */
  readonly maxBytes: number;
  /** Maximum size of one entry, in bytes; larger ones are not stored. Default: `maxBytes`. */
  readonly maxEntryBytes?: number;
  /** Returns the estimated size of a value, in bytes. */
  readonly bytesOf: (value: Value) => number;
  /**
   * Returns the present state of the data that entries are read from: `Database.knownGeneration` or `Database.stamp`.
   * All entries are dropped when it changes. While it is unknown (undefined), nothing is found or stored.
   */
  readonly state?: () => number | undefined;
  /** Returns the milliseconds since the epoch, for entries that expire. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The validity of an entry. */
interface Validity {
  /** The state in which the value was read, for caches that depend on one (`Cache.state`). */
  readonly state?: number | undefined;
  /** The end of its validity, in milliseconds since the epoch. Default: none. */
  readonly expiresAtMs?: number;
}

interface Entry<Value> {
  readonly value: Value;
  /** The period of its validity, in milliseconds since the epoch; undefined for always. Clocks may be set back. */
  readonly period: { readonly fromMs: number; readonly untilMs: number } | undefined;
}

/** A cache in memory, bounded by bytes. docs/caches.md lists all of them. */
export class Cache<Value, Key extends string | number = string> {
  readonly #entries: LRUCache<Key, Entry<Value>>;
  readonly #options: CacheOptions<Value>;
  readonly #now: () => number;
  #state: number | undefined;

  constructor(options: CacheOptions<Value>) {
    const { maxBytes, maxEntryBytes = maxBytes, bytesOf, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxEntryBytes,
      sizeCalculation: ({ value }, key) => ENTRY_BYTES + String(key).length + bytesOf(value),
    });
  }

  /** Returns the state in which a value is read. To be called before the value is read, never after. */
  state(): number | undefined {
    const state = this.#options.state?.();
    if (state !== undefined && state !== this.#state) {
      this.#entries.clear();
      this.#state = state;
    }
    return state;
  }

  get(key: Key): Value | undefined {
    if (this.#options.state !== undefined && this.state() === undefined) return undefined;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const { value, period } = entry;
    if (period === undefined) return value;
    const now = this.#now();
    if (now >= period.fromMs && now < period.untilMs) return value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Stores a value, unless the state in which it was read has passed. */
  set(key: Key, value: Value, { state, expiresAtMs }: Validity = {}): void {
    if (this.#options.state !== undefined && (state === undefined || state !== this.state())) return;
    const period = expiresAtMs === undefined ? undefined : { fromMs: this.#now(), untilMs: expiresAtMs };
    this.#entries.set(key, { value, period });
  }

  /** Returns a cached value, or reads and stores it. A value that does not exist (undefined) is read each time. */
  async read(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const state = this.state();
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = await read();
    if (value !== undefined) this.set(key, value, { state });
    return value;
  }
}

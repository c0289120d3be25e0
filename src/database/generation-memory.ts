import type { Database } from './database.ts';

/**
 * Remembers what was read for as long as it holds: until the database's generation changes. For what triggers of
 * the database raise that number for (accounts, settings, terms), and for nothing else.
 */
export class GenerationMemory<Key, Value> {
  readonly #database: Pick<Database, 'generation'>;
  readonly #maxEntries: number;
  #generation: number | undefined;
  #values = new Map<Key, Value>();

  constructor(database: Pick<Database, 'generation'>, maxEntries: number) {
    this.#database = database;
    this.#maxEntries = maxEntries;
  }

  /** The value of a key, read if it is not known. What does not exist (undefined) is asked for each time. */
  async get(key: Key, read: (key: Key) => Promise<Value | undefined>): Promise<Value | undefined> {
    const values = await this.current();
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = await read(key);
    if (value !== undefined) this.remember(values, key, value);
    return value;
  }

  /** What is known in the present generation. To be asked before what is not known is read, never after. */
  async current(): Promise<Map<Key, Value>> {
    const generation = await this.#database.generation();
    if (generation !== this.#generation) {
      this.#generation = generation;
      // A new Map even for an empty one: who reads under the old generation still holds on to it.
      this.#values = new Map();
    }
    return this.#values;
  }

  /** Adds to what `current` answered: it may be another generation's by now, and then it is forgotten. */
  remember(values: Map<Key, Value>, key: Key, value: Value): void {
    values.set(key, value);
    // And not `clear`: the collector then takes the old one whole.
    if (values === this.#values && values.size > this.#maxEntries) this.#values = new Map();
  }
}

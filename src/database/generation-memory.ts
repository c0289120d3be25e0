import type { Database } from './database.ts';

/** What was read, and a generation that it holds in: it was read in that one or later. */
export interface Dated<Value> {
  readonly value: Value;
  readonly generation: number;
}

/** The generation, as a column of a statement whose answer is to be `Dated`. */
export const GENERATION_COLUMN = '(SELECT value FROM generation)';

/**
 * Remembers what was read for as long as it holds: until the database's generation changes. For what triggers of
 * the database raise that number for (accounts, settings, terms), and for nothing else.
 */
export class GenerationMemory<Key, Value> {
  readonly #database: Pick<Database, 'generation' | 'knownGeneration'>;
  readonly #maxEntries: number;
  #generation: number | undefined;
  #values = new Map<Key, Value>();

  constructor(database: Pick<Database, 'generation' | 'knownGeneration'>, maxEntries: number) {
    this.#database = database;
    this.#maxEntries = maxEntries;
  }

  /** The value of a key, read if it is not known. What does not exist (undefined) is asked for each time. */
  async get(key: Key, read: (key: Key) => Promise<Value | undefined>): Promise<Value | undefined> {
    const values = this.#at(await this.#database.generation());
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = await read(key);
    if (value !== undefined) this.remember(values, key, value);
    return value;
  }

  /**
   * The same where a value brings its generation along: then that is never asked for by itself, which would be a round
   * trip to a server before the one that reads.
   */
  async getDated(key: Key, read: (key: Key) => Promise<Dated<Value> | undefined>): Promise<Dated<Value> | undefined> {
    const generation = this.#database.knownGeneration();
    const known = generation === undefined ? undefined : this.#at(generation).get(key);
    if (known !== undefined) return { value: known, generation: generation as number };
    const dated = await read(key);
    if (dated !== undefined) this.rememberDated(key, dated);
    return dated;
  }

  /** What is known in the present generation. To be asked before what is not known is read, never after. */
  current(): Map<Key, Value> {
    const generation = this.#database.knownGeneration();
    return generation === undefined ? new Map() : this.#at(generation);
  }

  /** Adds to what `current` answered: it may be another generation's by now, and then it is forgotten. */
  remember(values: Map<Key, Value>, key: Key, value: Value): void {
    values.set(key, value);
    // And not `clear`: the collector then takes the old one whole.
    if (values === this.#values && values.size > this.#maxEntries) this.#values = new Map();
  }

  /** Adds what was read with its generation, unless that has passed. */
  rememberDated(key: Key, { value, generation }: Dated<Value>): void {
    if (generation === this.#database.knownGeneration()) this.remember(this.#at(generation), key, value);
  }

  #at(generation: number): Map<Key, Value> {
    if (generation !== this.#generation) {
      this.#generation = generation;
      // A new Map even for an empty one: who reads under the old generation still holds on to it.
      this.#values = new Map();
    }
    return this.#values;
  }
}

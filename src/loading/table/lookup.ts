const MAX_REMEMBERED = 50_000;
/** Of one question to the database. */
const MAX_KEYS = 1_000;

/**
 * Finds things by key, and remembers what it has found: what is asked for in one turn of the event loop becomes one
 * question. What is not found is undefined, and remembered as such.
 */
export class Lookup<Key extends string | number, Found> {
  readonly #find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>;
  #known = new Map<Key, Found | undefined>();
  /** What is asked for in this turn, and the answers that it will get. */
  #waiting: Map<Key, Promise<Found | undefined>> | undefined;
  #answers: Promise<ReadonlyMap<Key, Found>> = Promise.resolve(new Map());

  constructor(find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>) {
    this.#find = find;
  }

  get(key: Key): Found | undefined | Promise<Found | undefined> {
    const known = this.#known.get(key);
    if (known !== undefined || this.#known.has(key)) return known;
    const asked = this.#waiting?.get(key);
    if (asked) return asked;
    if (this.#waiting === undefined || this.#waiting.size >= MAX_KEYS) this.#begin();
    const waiting = this.#waiting as Map<Key, Promise<Found | undefined>>;
    const found = this.#answers.then((answers) => answers.get(key));
    waiting.set(key, found);
    return found;
  }

  #begin(): void {
    const waiting = new Map<Key, Promise<Found | undefined>>();
    this.#waiting = waiting;
    this.#answers = new Promise((resolve, reject) => {
      setImmediate(() => {
        if (this.#waiting === waiting) this.#waiting = undefined;
        this.#ask([...waiting.keys()]).then(resolve, reject);
      });
    });
  }

  async #ask(keys: readonly Key[]): Promise<ReadonlyMap<Key, Found>> {
    const found = await this.#find(keys);
    // A new Map and not `clear`: the collector then takes the old one whole.
    if (this.#known.size + keys.length > MAX_REMEMBERED) this.#known = new Map();
    for (const key of keys) this.#known.set(key, found.get(key));
    return found;
  }
}

import { Cache } from '../../base/cache.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a result: a row with a few columns. */
const FOUND_BYTES = 120;
/** Maximum number of keys of one query. */
const MAX_KEYS = 1_000;

/**
 * Finds rows by key, and caches them for one table. Keys requested in one turn of the event loop share a query. A missing
 * row is cached as undefined.
 */
export class Lookup<Key extends string | number, Value> {
  readonly #find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  readonly #known = new Cache<{ readonly value: Value | undefined }, Key>({
    maxBytes: MAX_BYTES,
    bytesOf: () => FOUND_BYTES,
  });
  /** The keys of this turn, and their pending results. */
  #waiting: Map<Key, Promise<Value | undefined>> | undefined;
  #answers: Promise<ReadonlyMap<Key, Value>> = Promise.resolve(new Map());

  constructor(find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#find = find;
  }

  get(key: Key): Value | undefined | Promise<Value | undefined> {
    const known = this.#known.get(key);
    if (known !== undefined) return known.value;
    const asked = this.#waiting?.get(key);
    if (asked) return asked;
    if (this.#waiting === undefined || this.#waiting.size >= MAX_KEYS) this.#begin();
    const waiting = this.#waiting as Map<Key, Promise<Value | undefined>>;
    const answer = this.#answers.then((answers) => answers.get(key));
    waiting.set(key, answer);
    return answer;
  }

  #begin(): void {
    const waiting = new Map<Key, Promise<Value | undefined>>();
    this.#waiting = waiting;
    this.#answers = new Promise((resolve, reject) => {
      setImmediate(() => {
        if (this.#waiting === waiting) this.#waiting = undefined;
        this.#ask([...waiting.keys()]).then(resolve, reject);
      });
    });
  }

  async #ask(keys: readonly Key[]): Promise<ReadonlyMap<Key, Value>> {
    const answers = await this.#find(keys);
    for (const key of keys) this.#known.set(key, { value: answers.get(key) });
    return answers;
  }
}

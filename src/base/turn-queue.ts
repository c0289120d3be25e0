/** What waits, with the client for whom. */
interface Waiting {
  readonly client: string;
}

/** A bounded queue whose clients take turns: one with many entries delays those of another client by one of its own. */
export class TurnQueue<Entry extends Waiting> {
  readonly #maxLength: number;
  #entries: Entry[] = [];
  /** The clients in the order of their last turns, the latest at the end. */
  readonly #served = new Set<string>();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#entries.length;
  }

  /**
   * Adds an entry. Returns the one that a full queue drops: the last one of the client with the most entries, which may be
   * the new one.
   */
  push(entry: Entry): Entry | undefined {
    this.#entries.push(entry);
    if (this.#entries.length <= this.#maxLength) return undefined;
    const counts = new Map<string, number>();
    for (const { client } of this.#entries) counts.set(client, (counts.get(client) ?? 0) + 1);
    const most = Math.max(...counts.values());
    // With as many entries as others, the new one is dropped.
    const dropped = this.#entries.findLast(({ client }) => counts.get(client) === most) as Entry;
    this.delete(dropped);
    return dropped;
  }

  /** Takes the first entry of the client whose last turn is the longest ago. */
  shift(): Entry | undefined {
    const order = [...this.#served];
    const turnOf = ({ client }: Entry) => order.indexOf(client);
    const next = this.#entries.reduce<Entry | undefined>(
      (best, each) => (best === undefined || turnOf(each) < turnOf(best) ? each : best),
      undefined,
    );
    if (next === undefined) return undefined;
    this.delete(next);
    return next;
  }

  /** Notes that an entry of a client begins, whether it has waited or not. */
  noteTurn(client: string): void {
    this.#served.delete(client);
    this.#served.add(client);
    if (this.#served.size <= this.#maxLength) return;
    const [oldest] = this.#served;
    if (oldest !== undefined) this.#served.delete(oldest);
  }

  /** Removes an entry. Returns false for one that does not wait. */
  delete(entry: Entry): boolean {
    const at = this.#entries.indexOf(entry);
    if (at >= 0) this.#entries.splice(at, 1);
    return at >= 0;
  }

  /** Removes all entries, and returns them. */
  clear(): Entry[] {
    const all = this.#entries;
    this.#entries = [];
    return all;
  }
}

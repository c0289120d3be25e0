/** A digest of SHA-256, or an HMAC by it. */
const DIGEST_BYTES = 32;
/** How many digests compete for one place; the one that would expire first makes room. */
const WAYS = 8;

/**
 * Remembers a value by a digest until a time, in a fixed amount of memory. Not a Map: one that lives as long as the
 * program keeps what was deleted from it until a full collection.
 */
export class DigestCache<Value> {
  readonly #buckets: number;
  readonly #digests: Buffer;
  readonly #expiresAtMs: Float64Array;
  readonly #values: (Value | undefined)[];

  constructor(maxEntries: number) {
    this.#buckets = Math.max(1, Math.floor(maxEntries / WAYS));
    const places = this.#buckets * WAYS;
    this.#digests = Buffer.alloc(places * DIGEST_BYTES);
    this.#expiresAtMs = new Float64Array(places);
    this.#values = new Array(places).fill(undefined);
  }

  /** What is remembered for a digest, unless its time is over. */
  find(digest: Buffer, nowMs: number): Value | undefined {
    const place = this.#placeOf(digest);
    if (place === undefined) return undefined;
    if ((this.#expiresAtMs[place] as number) > nowMs) return this.#values[place];
    this.#values[place] = undefined;
    this.#expiresAtMs[place] = 0;
    return undefined;
  }

  remember(digest: Buffer, value: Value, expiresAtMs: number): void {
    const place = this.#placeOf(digest) ?? this.#placeToReuse(digest);
    digest.copy(this.#digests, place * DIGEST_BYTES, 0, DIGEST_BYTES);
    this.#expiresAtMs[place] = expiresAtMs;
    this.#values[place] = value;
  }

  #firstPlace(digest: Buffer): number {
    return (digest.readUInt32LE(0) % this.#buckets) * WAYS;
  }

  #placeOf(digest: Buffer): number | undefined {
    const first = this.#firstPlace(digest);
    for (let place = first; place < first + WAYS; place += 1) {
      if (this.#expiresAtMs[place] === 0) continue;
      const start = place * DIGEST_BYTES;
      if (this.#digests.compare(digest, 0, DIGEST_BYTES, start, start + DIGEST_BYTES) === 0) return place;
    }
    return undefined;
  }

  #placeToReuse(digest: Buffer): number {
    const first = this.#firstPlace(digest);
    let soonest = first;
    for (let place = first + 1; place < first + WAYS; place += 1) {
      if ((this.#expiresAtMs[place] as number) < (this.#expiresAtMs[soonest] as number)) soonest = place;
    }
    return soonest;
  }
}

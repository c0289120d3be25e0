/** The refusals within a minute that make a crowd. */
const CROWD = 100;
const MINUTE_MS = 60_000;
/** The time for which a crowd counts as present after that, in milliseconds. */
const PRESENT_MS = 600_000;

/** Notices a crowd of clients: many refusals by the budget of all. */
export class CrowdWatch {
  readonly #now: () => number;
  #minute = Number.NaN;
  #refusals = 0;
  #presentUntil = Number.NEGATIVE_INFINITY;

  /** `now` returns milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a refusal. */
  note(): void {
    const now = this.#now();
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) this.#refusals = 0;
    this.#minute = minute;
    this.#refusals += 1;
    if (this.#refusals >= CROWD) this.#presentUntil = now + PRESENT_MS;
  }

  get isPresent(): boolean {
    return this.#now() < this.#presentUntil;
  }
}

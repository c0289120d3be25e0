/** Runs some work once for several callers. Callers during a run share the next run, since the current one may be too old. */
export class SharedRuns {
  readonly #work: () => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** Waits for a run that begins no earlier than now. Rejects if its work rejects. */
  ask(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#underWay === undefined) return this.#begin();
    this.#next = this.#underWay
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  /** Resolves when no run is active or requested. */
  async idle(): Promise<void> {
    while (this.#underWay !== undefined || this.#next !== undefined)
      await Promise.allSettled([this.#underWay, this.#next]);
  }

  #begin(): Promise<void> {
    this.#underWay = this.#work().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }
}

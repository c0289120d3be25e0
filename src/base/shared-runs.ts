/**
 * Work that is done once for many: one run at a time, and those who ask while it goes on share the next one, as this one
 * may have begun too early for them.
 */
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

  /** A run that begins no earlier than now. Rejects as its work does. */
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

  /** Resolves when nothing is under way, and nobody waits. */
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

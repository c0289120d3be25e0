import type { Target } from './targets.ts';

const MAX_TERMS = 20_000;

/**
 * What is known of terms that were referred to lately: most of what is written refers to the same few. A write
 * checks at its commit that they are still at the version that is remembered, so that a change made
 * elsewhere costs another try and never a wrong reference.
 */
export class TermMemory {
  #terms = new Map<number, Target>();

  get(id: number): Target | undefined {
    return this.#terms.get(id);
  }

  remember(term: Target): void {
    // A new Map and not `clear`: the collector then takes the old one whole.
    if (this.#terms.size >= MAX_TERMS) this.#terms = new Map();
    this.#terms.set(term.id, term);
  }

  forget(): void {
    this.#terms = new Map();
  }
}

import { Cache } from '../../base/cache.ts';
import type { Target } from './targets.ts';

const MAX_BYTES = 8 * 1024 * 1024;
/** Estimated bytes of a term: a UUID, a bundle and some numbers. */
const TERM_BYTES = 250;

/**
 * The terms that recent writes referred to: most writes refer to the same few. A write checks at its commit that they are
 * still at the cached version, so that a change made elsewhere costs another attempt and never a wrong reference.
 */
export class TermMemory {
  #terms = createCache();

  get(id: number): Target | undefined {
    return this.#terms.get(id);
  }

  remember(term: Target): void {
    this.#terms.set(term.id, term);
  }

  forget(): void {
    this.#terms = createCache();
  }
}

function createCache(): Cache<Target, number> {
  return new Cache({ maxBytes: MAX_BYTES, bytesOf: () => TERM_BYTES });
}

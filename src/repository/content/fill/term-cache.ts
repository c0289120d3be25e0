import { Cache } from '../../../base/cache.ts';
import type { Target } from './targets.ts';

const MAX_BYTES = 8 * 1024 * 1024;
/** Estimated bytes of a term: a UUID, a bundle and some numbers. */
const TERM_BYTES = 250;

/**
 * A cache of terms for writes: most refer to the same few. A commit fails if a term has another version than the cached
 * one, so that a change elsewhere costs another attempt and never creates a wrong reference.
 */
export class TermCache {
  #terms = createCache();

  get(id: number): Target | undefined {
    return this.#terms.get(id);
  }

  set(term: Target): void {
    this.#terms.set(term.id, term);
  }

  clear(): void {
    this.#terms = createCache();
  }
}

function createCache(): Cache<Target, number> {
  return new Cache({
    maxBytes: MAX_BYTES,
    bytesOf: ({ label = '', otherNames = '' }) => TERM_BYTES + 2 * (label.length + otherNames.length),
  });
}

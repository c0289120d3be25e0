import { Cache } from '../../../base/cache.ts';
import type { Database } from '../../../database/database.ts';
import type { Neighbour } from './surroundings.ts';
import { toTerm } from './surroundings.ts';
import { findTerms } from './surroundings-queries.ts';

const MAX_BYTES = 8 * 1024 * 1024;
/** Estimated bytes of a term beside its texts. */
const TERM_BYTES = 150;

type NeighbourCache = Cache<Neighbour, number>;

/** Terms that content refers to, cached until any term changes: most content refers to the same few. */
export class ReferredTerms {
  readonly #database: Database;
  readonly #cache: NeighbourCache;

  constructor(database: Database) {
    this.#database = database;
    this.#cache = new Cache({ maxBytes: MAX_BYTES, bytesOf, state: database.knownGeneration });
  }

  /** Returns those of the ids whose terms are not cached, each once. */
  missing(ids: readonly number[]): number[] {
    return [...new Set(ids)].filter((id) => this.#cache.get(id) === undefined);
  }

  /** Returns the terms for one answer. Call it before any read for that answer. */
  forAnswer(): AnswerTerms {
    return new AnswerTerms(this.#database, this.#cache);
  }
}

function bytesOf({ label, externalUri = '', authorityUri = '' }: Neighbour): number {
  return TERM_BYTES + label.length + externalUri.length + authorityUri.length;
}

/** Terms as of the beginning of an answer, or newer. */
export class AnswerTerms {
  readonly #database: Database;
  readonly #cache: NeighbourCache;
  /** The generation at the beginning of the answer. */
  readonly #generation: number | undefined;
  readonly #terms = new Map<number, Neighbour>();

  constructor(database: Database, cache: NeighbourCache) {
    this.#database = database;
    this.#cache = cache;
    this.#generation = cache.state();
  }

  /** Adds terms from another query, with their generation. */
  add(terms: readonly Neighbour[], generation: number): void {
    for (const term of terms) this.#add(term, generation);
  }

  /** Reads the missing terms in one query. */
  async complete(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#isKnown(id));
    if (missing.length === 0) return;
    const rows = await this.#database.all(findTerms({ ids: JSON.stringify([...new Set(missing)]) }));
    for (const row of rows) this.#add(toTerm(row), this.#generation);
  }

  find = (id: number): Neighbour | undefined => this.#terms.get(id);

  #add(term: Neighbour, generation: number | undefined): void {
    this.#terms.set(term.id, term);
    this.#cache.set(term.id, term, { state: generation });
  }

  /** Keeps cached terms for this answer: the cache may drop them before the answer is complete. */
  #isKnown(id: number): boolean {
    if (this.#terms.has(id)) return true;
    const term = this.#cache.get(id);
    if (term !== undefined) this.#terms.set(id, term);
    return term !== undefined;
  }
}

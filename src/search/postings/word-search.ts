import type { Database } from '../../database/database.ts';
import type { Weights } from '../engine/find-hits.ts';
import type { ParsedQuery } from '../query/parse-query.ts';
import { type ScoredHits, WordMatcher } from './match-words.ts';
import { WordIndex } from './word-index.ts';
import { wordQueryOf } from './word-query.ts';

/** Finds words of a database file without SQLite's own search. It works on one query at a time. */
export class WordSearch {
  readonly #database: Database;
  readonly #weights: Weights;
  readonly #index: WordIndex;
  readonly #matcher = new WordMatcher();

  constructor(database: Database, weights: Weights) {
    this.#database = database;
    this.#weights = weights;
    this.#index = new WordIndex(database);
  }

  /**
   * Returns the rows of a query with their relevance; undefined for a query that only SQLite answers. `lengths` and `pause` are
   * those of `WordMatcher.match`.
   */
  async find(
    parsed: ParsedQuery,
    { viewsMedia }: { readonly viewsMedia: boolean },
    lengths: Uint16Array,
    pause: () => Promise<void>,
  ): Promise<ScoredHits | undefined> {
    // A server would send all pages of each word.
    const query = this.#database.isDistant ? undefined : wordQueryOf(parsed, this.#weights, viewsMedia);
    if (query === undefined) return undefined;
    try {
      const rows = await this.#index.find(query.words.map(({ word }) => word));
      return await this.#matcher.match(query, rows, lengths, pause);
    } catch (error) {
      // SQLite reports a damaged index.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

import { Postings, readPostings } from './read-postings.ts';
import type { WordRows } from './word-index.ts';
import type { WordInColumns, WordQuery } from './word-query.ts';

/** Rows with their relevance: the higher, the better. Both are valid until the next query. */
export interface ScoredHits {
  readonly hits: Uint32Array;
  /** By the id of the row. */
  readonly scores: Float32Array;
}

/** The constants of BM25, as FTS5 has them. */
const [K1, B] = [1.2, 0.75];
/** The importance of a word that more than half of all rows have. */
const MIN_IMPORTANCE = 1e-6;

/** Finds the rows of a query among the rows of its words, with the relevance that `bm25` of FTS5 gives them. */
export class WordMatcher {
  /** The number of groups of which a row has a word. */
  #met = new Uint8Array();
  #scores = new Float32Array();
  #candidates = new Uint32Array();
  #size = 0;
  readonly #postings = new Postings();

  /** `lengths` has the number of words of each row. Rows beyond it are left out. `pause` may throw to end the work. */
  async match(
    { words, groups, without }: WordQuery,
    rows: WordRows,
    lengths: Uint16Array,
    pause: () => Promise<void>,
  ): Promise<ScoredHits> {
    this.#reset(lengths.length);
    const bytesOf = (group: readonly number[]) =>
      group.flatMap((word) => rows.words[word] ?? []).reduce((sum, { doclist }) => sum + doclist.bytes.length, 0);
    // The first group has the fewest rows, which are all that the others are looked up for.
    const sorted = groups.toSorted((one, other) => bytesOf(one) - bytesOf(other));
    for (const [index, group] of sorted.entries())
      for (const word of group) {
        this.#read(words[word] as WordInColumns, rows.words[word] ?? []);
        this.#score(index, rows.averages, lengths);
        await pause();
      }
    for (const word of without) {
      this.#read(words[word] as WordInColumns, rows.words[word] ?? []);
      const { nids, size } = this.#postings;
      for (let at = 0; at < size; at++) this.#met[nids[at] as number] = 0;
      await pause();
    }
    return { hits: this.#hits(groups.length), scores: this.#scores };
  }

  #read({ columns }: WordInColumns, segments: WordRows['words'][number]): void {
    this.#postings.size = 0;
    for (const { doclist, dead } of segments) readPostings(doclist, columns, dead, this.#postings);
  }

  /** Adds the relevance of a word to the rows that have a word of each group before, and marks these rows. */
  #score(group: number, averages: WordRows['averages'], lengths: Uint16Array): void {
    const [met, scores, candidates] = [this.#met, this.#scores, this.#candidates];
    const { nids, frequencies, size } = this.#postings;
    const importance = importanceOf(size, averages.rows) * (K1 + 1);
    const perWord = (K1 * B) / averages.words;
    const isFirst = group === 0;
    let count = this.#size;
    for (let at = 0; at < size; at++) {
      const nid = nids[at] as number;
      const state = met[nid];
      if (state === group) {
        met[nid] = group + 1;
        if (isFirst) candidates[count++] = nid;
      } else if (state !== group + 1) continue;
      const frequency = frequencies[at] as number;
      const length = K1 * (1 - B) + perWord * (lengths[nid] as number);
      scores[nid] = (scores[nid] as number) + (importance * frequency) / (frequency + length);
    }
    this.#size = count;
  }

  /** Returns the rows that have a word of each group. */
  #hits(groups: number): Uint32Array {
    const hits = new Uint32Array(this.#size);
    let count = 0;
    for (let at = 0; at < this.#size; at++) {
      const nid = this.#candidates[at] as number;
      if (this.#met[nid] === groups) hits[count++] = nid;
      else this.#scores[nid] = 0;
    }
    return hits.subarray(0, count);
  }

  /** Forgets the query before. */
  #reset(length: number): void {
    if (this.#met.length !== length) {
      this.#met = new Uint8Array(length);
      this.#scores = new Float32Array(length);
      this.#candidates = new Uint32Array(length);
    } else
      for (let at = 0; at < this.#size; at++) {
        const nid = this.#candidates[at] as number;
        this.#met[nid] = 0;
        this.#scores[nid] = 0;
      }
    this.#size = 0;
  }
}

/** The inverse document frequency, as FTS5 has it. */
function importanceOf(hits: number, rows: number): number {
  return Math.max(MIN_IMPORTANCE, Math.log((rows - hits + 0.5) / (hits + 0.5)));
}

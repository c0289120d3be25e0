import type { Weights } from '../engine/find-hits.ts';
import type { ParsedQuery, Term } from '../query/parse-query.ts';
import type { ColumnWeights } from './read-postings.ts';

/** The columns of the full-text index in their order; the last one has the texts of media. */
const COLUMNS = ['title', 'subject', 'creator', 'identifier', 'text', 'fulltext'];

/** A word, and the columns that have to contain it. */
export interface WordInColumns {
  readonly word: string;
  readonly columns: ColumnWeights;
}

/** A query of words that stand alone, each with its place in `words`: a row must have one word of each group, and none of `without`. */
export interface WordQuery {
  readonly words: readonly WordInColumns[];
  readonly groups: readonly (readonly number[])[];
  readonly without: readonly number[];
}

/** The maximum number of words, whose pages are in memory at a time. */
const MAX_WORDS = 8;
/**
 * Letters that the tokenizer of the index leaves as they are: lower case, without accents. Words of others, phrases and
 * beginnings of words are left to SQLite.
 */
const PLAIN_WORD = /^[\p{Ll}\p{Lo}\p{Nd}]+$/u;

/**
 * Returns a query as words; undefined for one with phrases or beginnings, with many words, and without words that a row must
 * have.
 */
export function wordQueryOf(
  { groups, without }: ParsedQuery,
  weights: Weights,
  searchesMedia: boolean,
): WordQuery | undefined {
  if (groups.length === 0 || ![...groups.flat(), ...without].every(isOfWords)) return undefined;
  const words: WordInColumns[] = [];
  const add = ({ phrases, field }: Term) => {
    const columns = columnsOf(weights, field, searchesMedia);
    return phrases.map((phrase) => words.push({ word: phrase.words, columns }) - 1);
  };
  const query = { groups: groups.map((group) => group.flatMap(add)), without: without.flatMap(add), words };
  return words.length > MAX_WORDS ? undefined : query;
}

function isOfWords({ phrases, isPrefix }: Term): boolean {
  return !isPrefix && phrases.every(({ words, isBeginning }) => !isBeginning && PLAIN_WORD.test(words));
}

function columnsOf(weights: Weights, field: string | undefined, searchesMedia: boolean): ColumnWeights {
  const isSearched = COLUMNS.map((column, index) => {
    return (field === undefined || field === column) && (searchesMedia || index < COLUMNS.length - 1);
  });
  return {
    weights: Float64Array.from(weights, (weight, index) => (isSearched[index] ? weight : 0)),
    isSearched: Uint8Array.from(isSearched, Number),
  };
}

import { malformed } from '../../base/errors.ts';
import { eachWord, expressionOf, type Phrase, phrasesOf, SEGMENTED } from '../../base/words.ts';

/** A word, a phrase or the beginning of a word. */
export interface SearchTerm {
  /** Folded words. Letters of Chinese, Japanese and Korean are words of their own. At least one. */
  readonly tokens: readonly string[];
  /** The words of other phrases that the term stands for. */
  readonly others: readonly (readonly string[])[];
  /** True if the last word is only the beginning of one. */
  readonly isPrefix: boolean;
  /** The condition of the search index, in the language of FTS5. */
  readonly condition: string;
}

/** Maximum length of a query. */
export const MAX_QUERY_CHARS = 1_000;
/** The number of different terms that are searched. Further ones are ignored. */
const MAX_TERMS = 32;

const ANY_SEGMENTED = new RegExp(`[${SEGMENTED}]`, 'u');
/** Programs recognize the letters of these scripts one by one, or as words of any length. */
const TOKEN = new RegExp(`[${SEGMENTED}]|[^${SEGMENTED}]+`, 'gu');
const PARTS = /"([^"]*)"(\*?)|([^\s"]+)/g;

/** Returns the words of a text, folded. */
export function tokensOf(text: string): string[] {
  return Array.from(eachWord(text)).flatMap(({ folded }) => folded.match(TOKEN) ?? []);
}

/**
 * Parses a query: words, "phrases" and beginnings such as `prin*`. All other characters separate words. Returns equal
 * terms once, and at most `MAX_TERMS`. Throws `malformed` for a query of more than `MAX_QUERY_CHARS`.
 */
export function parseTerms(query: string): SearchTerm[] {
  if (query.length > MAX_QUERY_CHARS)
    throw malformed(`A query has at most ${MAX_QUERY_CHARS} characters. This one has ${query.length}.`);
  const terms = new Map<string, SearchTerm>();
  for (const [, phrase, star, word = ''] of query.matchAll(PARTS)) {
    const text = phrase ?? word.replace(/\*+$/, '');
    const tokens = tokensOf(text);
    if (tokens.length === 0) continue;
    const isPrefix = phrase === undefined ? word.endsWith('*') : star === '*';
    const phrases = phrasesOf(text);
    const letters: Phrase[] = ANY_SEGMENTED.test(text) ? [{ words: tokens.join(' '), isBeginning: false }] : [];
    const condition = expressionOf([...phrases, ...letters], isPrefix);
    terms.set(condition, {
      tokens,
      others: phrases.slice(1).map(({ words }) => words.split(' ')),
      isPrefix,
      condition,
    });
    if (terms.size === MAX_TERMS) break;
  }
  return [...terms.values()];
}

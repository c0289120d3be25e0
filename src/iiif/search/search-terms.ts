import { malformed } from '../../base/errors.ts';
import { foldText, UNSPACED_LETTERS } from '../../base/fold-text.ts';

/** A word, a phrase or the beginning of a word. */
export interface SearchTerm {
  /** Folded words. Letters of scripts without spaces are words of their own. At least one. */
  readonly tokens: readonly string[];
  /** True if the last word is only the beginning of one. */
  readonly isPrefix: boolean;
  /** The condition of the search index, in the language of FTS5. */
  readonly condition: string;
}

/** Maximum length of a query. */
export const MAX_QUERY_CHARS = 1_000;
/** The number of different terms that are searched. Further ones are ignored. */
const MAX_TERMS = 32;

/**
 * A word as the tokenizer of the search index has it, or a letter of a script without spaces: programs recognize these one
 * by one, or as words of any length.
 */
const TOKEN = new RegExp(`[${UNSPACED_LETTERS}]|(?:(?![${UNSPACED_LETTERS}])[\\p{L}\\p{N}\\p{Co}])+`, 'gu');
const ANY_UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u');
/** Characters that separate words, for the phrase of a condition. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}\p{Co}]+/gu;
const PARTS = /"([^"]*)"(\*?)|([^\s"]+)/g;

/** Returns the words of a text, folded. */
export function tokensOf(text: string): string[] {
  return foldText(text).match(TOKEN) ?? [];
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
    const condition = conditionOf(text, tokens, isPrefix);
    terms.set(condition, { tokens, isPrefix, condition });
    if (terms.size === MAX_TERMS) break;
  }
  return [...terms.values()];
}

function conditionOf(text: string, tokens: readonly string[], isPrefix: boolean): string {
  const quoted = (words: string) => `"${words}"${isPrefix ? '*' : ''}`;
  const phrase = foldText(text).replace(SEPARATORS, ' ').trim();
  if (!ANY_UNSPACED.test(phrase)) return quoted(phrase);
  // The index has the words of the recognized text, which may be separated otherwise, or be single letters.
  return `(${quoted(phrase)} OR ${quoted(tokens.join(' '))})`;
}

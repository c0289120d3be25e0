import { expressionOf, phrasesOf, termsOf } from '../../base/words.ts';

/** Maximum number of words of an expression. */
const MAX_WORDS = 10;
/** One letter begins too many words: the index reads those of all texts. A character of a script with thousands does not. */
const BEGINNING = /..|[\u2E80-\u{3FFFF}]/u;

/**
 * Returns the expression of the full-text index for titles with all words of a text, or words that begin with those of at
 * least two letters. Undefined for a text without words.
 */
export function titleExpression(text: string): string | undefined {
  const all = termsOf(text).map(phrasesOf);
  const expressions = all.map((phrases) => expressionOf(phrases, BEGINNING.test(phrases[0]?.words ?? '')));
  const distinct = [...new Set(expressions)].slice(0, MAX_WORDS);
  return distinct.length === 0 ? undefined : `{title} : (${distinct.join(' AND ')})`;
}

/** Returns a text as a part of a LIKE pattern with `\` as its escape character. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}

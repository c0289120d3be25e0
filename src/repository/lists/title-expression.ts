import { foldText } from '../../base/fold-text.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Maximum number of words of an expression. */
const MAX_WORDS = 10;

/**
 * Returns the expression of the full-text index for titles with all words of a text, or words that begin with them.
 * Undefined for a text without words.
 */
export function titleExpression(text: string): string | undefined {
  const words = foldText(text).match(WORD)?.slice(0, MAX_WORDS);
  return words && `{title} : (${words.map((word) => `"${word}" *`).join(' AND ')})`;
}

/** Returns a text as a part of a LIKE pattern with `\` as its escape character. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}

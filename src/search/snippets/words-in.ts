import { foldText, UNSPACED_LETTERS } from '../../base/fold-text.ts';
import type { ParsedQuery, Term } from '../query/parse-query.ts';

/** The maximum number of characters of a text that are searched for words. */
const MAX_CHARACTERS = 1_000_000;
/** Characters that separate words for the tokenizer of the index. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}\p{Co}]+/gu;
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u');

/**
 * Returns the words of a query that texts of media have, as a query of the search within an item: one of each group, without
 * words of certain fields. Empty for none.
 */
export function wordsIn(texts: readonly string[], { groups }: ParsedQuery): string {
  if (texts.length === 0) return '';
  const text = inWords(texts.join('\n').slice(0, MAX_CHARACTERS));
  return groups
    .flatMap((group) => group.find((term) => term.field === undefined && hasTerm(text, term)) ?? [])
    .map(({ typed, isPhrase, isPrefix }) => `${isPhrase ? `"${typed}"` : typed}${isPrefix ? '*' : ''}`)
    .join(' ');
}

function hasTerm(text: string, { typed, isPrefix }: Term): boolean {
  const words = inWords(typed);
  // Words of scripts without spaces are parts of longer runs.
  if (UNSPACED.test(words)) return text.includes(words.trim());
  return text.includes(isPrefix ? words.trimEnd() : words);
}

/** Returns the folded words of a text, each between spaces. */
function inWords(text: string): string {
  return ` ${foldText(text).replace(SEPARATORS, ' ').trim()} `;
}

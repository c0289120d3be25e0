import { eachWord, otherWords } from '../../base/words.ts';
import type { ParsedQuery, Term } from '../query/parse-query.ts';

/** The maximum number of characters of a text that are searched for words. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Returns the words of a query that texts of media have, as a query of the search within an item: one of each group, without
 * words of certain fields. Empty for none.
 */
export function wordsIn(texts: readonly string[], { groups }: ParsedQuery): string {
  if (texts.length === 0) return '';
  const text = texts.join('\n').slice(0, MAX_CHARACTERS);
  const words = `${asWords(eachWord(text))}${asWords(otherWords(text))}`;
  return groups
    .flatMap((group) => group.find((term) => term.field === undefined && hasTerm(words, term)) ?? [])
    .map(({ typed, isPhrase, isPrefix }) => `${isPhrase ? `"${typed}"` : typed}${isPrefix ? '*' : ''}`)
    .join(' ');
}

function hasTerm(words: string, { typed, isPrefix }: Term): boolean {
  const wanted = asWords(eachWord(typed));
  return words.includes(isPrefix ? wanted.trimEnd() : wanted);
}

/** Returns folded words, each between spaces. */
function asWords(words: Iterable<{ readonly folded: string }>): string {
  return ` ${Array.from(words, ({ folded }) => folded).join(' ')} `;
}

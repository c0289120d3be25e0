import { distance } from 'fastest-levenshtein';
import { wordsOf } from '../name-words.ts';

/** The score of a name that is equal but for the order of its words, or for years that only one of both has. */
const SAME_WORDS = 98;
const SAME_BUT_YEARS = 95;
/** The best score of any other name. */
const BEST_OTHER = 90;
/** The score from which a single candidate is a match. */
export const MATCH_SCORE = 95;

const YEARS = /^\d{3,4}$/;

/** Returns how similar a name is to a text, from 0 to 100: letters are compared as in searches. */
export function scoreOf(text: string, name: string): number {
  const [typed, own] = [wordsOf(text), wordsOf(name)];
  if (typed.length === 0 || own.length === 0) return 0;
  if (typed.join(' ') === own.join(' ')) return 100;
  if (isSame(typed, own)) return SAME_WORDS;
  const [typedNames, ownNames] = [withoutYears(typed), withoutYears(own)];
  const hasYears = typed.length !== typedNames.length && own.length !== ownNames.length;
  if (!hasYears && typedNames.length > 0 && isSame(typedNames, ownNames)) return SAME_BUT_YEARS;
  const [one, other] = [typedNames.toSorted().join(' '), ownNames.toSorted().join(' ')];
  const longest = Math.max(one.length, other.length, 1);
  const letters = 1 - distance(one, other) / longest;
  const shared = typedNames.filter((word) => ownNames.includes(word)).length;
  const words = (2 * shared) / Math.max(typedNames.length + ownNames.length, 1);
  return Math.round(BEST_OTHER * Math.max(letters, words));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join(' ') === other.toSorted().join(' ');
}

function withoutYears(words: readonly string[]): string[] {
  const names = words.filter((word) => !YEARS.test(word));
  return names.length === 0 ? [...words] : names;
}

import { foldText, UNSPACED_LETTERS } from '../../base/fold-text.ts';
import type { ParsedQuery, Term } from '../query/parse-query.ts';

/** Text between separators, as the tokenizer of the index splits it, with the joiners and accents within it. */
const RUN = /[\p{L}\p{N}\p{M}\p{Co}\u00AD\u200B-\u200F\u2060]+/gu;
/** Runs of scripts without spaces contain several words. */
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]`, 'u');

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** A word of a text: its place in the original, and its folded form. */
export interface Word {
  readonly start: number;
  readonly end: number;
  readonly folded: string;
}

/** Words and phrases to mark. */
export interface Marks {
  readonly phrases: readonly (readonly string[])[];
  readonly prefixes: readonly string[];
}

/** Returns what is marked for a query. */
export function marksOf({ groups }: ParsedQuery): Marks {
  const terms = groups.flat();
  const wordsOf = ({ folded }: Term) => Array.from(eachWord(folded), (word) => word.folded);
  return {
    phrases: terms.filter(({ isPrefix }) => !isPrefix).map(wordsOf),
    prefixes: terms.filter(({ isPrefix }) => isPrefix).flatMap((term) => wordsOf(term).slice(-1)),
  };
}

/** Yields the words of a text with their places in it, although folding may change their lengths. */
export function* eachWord(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!UNSPACED.test(run)) {
      yield { start: index, end: index + run.length, folded: foldText(run) };
      continue;
    }
    for (const { segment, index: at } of segmenter.segment(run))
      yield { start: index + at, end: index + at + segment.length, folded: foldText(segment).trim() };
  }
}

/** Returns the number of words from `at` that a phrase or prefix matches: 0 for none. */
export function matchAt(words: readonly Word[], at: number, { phrases, prefixes }: Marks): number {
  const first = words[at] as Word;
  let longest = prefixes.some((prefix) => first.folded.startsWith(prefix)) ? 1 : 0;
  for (const phrase of phrases) {
    if (phrase.length <= longest || phrase[0] !== first.folded) continue;
    if (phrase.every((word, index) => words[at + index]?.folded === word)) longest = phrase.length;
  }
  return longest;
}

import { eachWord, otherWords, type Word } from '../../base/words.ts';
import type { ParsedQuery, Term } from '../query/parse-query.ts';

/** Words and phrases to mark. */
export interface Marks {
  readonly phrases: readonly (readonly string[])[];
  readonly prefixes: readonly string[];
  /** Matches the parts between spaces that may have a mark; undefined for phrases, which cover several. */
  readonly segments: RegExp | undefined;
}

/** A marked place of a text. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** Equal for places of the same words. */
  readonly phrase: string;
}

/** Returns what is marked for a query. */
export function marksOf({ groups }: ParsedQuery): Marks {
  const terms = groups.flat();
  const phrases = terms.filter(({ isPrefix }) => !isPrefix).flatMap(wordLists);
  const prefixes = terms
    .filter(({ isPrefix }) => isPrefix)
    .flatMap((term) => wordLists(term).flatMap((list) => list.slice(-1)));
  const isOfWords = phrases.every(({ length }) => length === 1);
  return { phrases, prefixes, segments: isOfWords ? segmentsWith([...phrases.flat(), ...prefixes]) : undefined };
}

/** Signs within words, and letters that folding changes: their words are compared one by one. */
const FOLDED = "['`-]|[^\\x00-\\x7F]";

/** Returns a pattern of linear time for the parts of a text that may have one of some folded words. */
function segmentsWith(words: readonly string[]): RegExp {
  return new RegExp(`(?<!\\S)\\S*?(?:${[...words.map((word) => RegExp.escape(word)), FOLDED].join('|')})\\S*`, 'gi');
}

/** Returns the words of each phrase that a term stands for. */
function wordLists({ typed, phrases }: Term): string[][] {
  return [
    Array.from(eachWord(typed), ({ folded }) => folded),
    ...phrases.slice(1).map(({ words }) => words.split(' ')),
  ];
}

/** Returns the marked places of a text, in their order. */
export function matchesIn(text: string, marks: Marks): Match[] {
  const { segments } = marks;
  if (segments === undefined) return withoutOverlaps(allMatches(text, 0, marks));
  return withoutOverlaps(
    Array.from(text.matchAll(segments), ({ 0: segment, index }) => allMatches(segment, index, marks)).flat(),
  );
}

/** Returns the marked places of a part of a text, which begins at `offset`. */
function allMatches(text: string, offset: number, marks: Marks): Match[] {
  const words = [...eachWord(text)];
  const matches: Match[] = [];
  const add = (first: Word, last: Word, phrase: string) =>
    matches.push({ start: offset + first.start, end: offset + last.end, phrase });
  for (let at = 0; at < words.length; ) {
    const count = matchAt(words, at, marks);
    if (count > 0) {
      const matched = words.slice(at, at + count);
      add(matched[0] as Word, matched.at(-1) as Word, matched.map(({ folded }) => folded).join(' '));
    }
    at += Math.max(1, count);
  }
  for (const word of otherWords(text)) if (matchAt([word], 0, marks) > 0) add(word, word, word.folded);
  return matches;
}

/** Returns the number of words from `at` that a phrase or prefix matches: 0 for none. */
function matchAt(words: readonly Word[], at: number, { phrases, prefixes }: Marks): number {
  const first = words[at] as Word;
  let longest = prefixes.some((prefix) => first.folded.startsWith(prefix)) ? 1 : 0;
  for (const phrase of phrases) {
    if (phrase.length <= longest || phrase[0] !== first.folded) continue;
    if (phrase.every((word, index) => words[at + index]?.folded === word)) longest = phrase.length;
  }
  return longest;
}

function withoutOverlaps(matches: readonly Match[]): Match[] {
  let end = 0;
  return matches
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .filter((match) => {
      if (match.start < end) return false;
      end = match.end;
      return true;
    });
}

import type { Box, RecognizedPage, TextLine, TextWord } from '../../base/recognized-text/text-page.ts';
import { otherWords } from '../../base/words.ts';
import { type SearchTerm, tokensOf } from './search-terms.ts';

/** The words of a match that are in one line. */
interface MatchPart {
  /** Identifies it on its page. */
  readonly key: string;
  /** The words of the match in this line. */
  readonly exact: string;
  /** The same, or the text of the whole line. */
  readonly text: string;
  readonly box: Box;
  readonly language: string | undefined;
  /** The whole line, if the file has no boxes of words: the match is somewhere in it. */
  readonly isLine: boolean;
}

/** A place where a page has a term, with the text around it. */
export interface Match {
  readonly parts: readonly MatchPart[];
  readonly before: string;
  readonly exact: string;
  readonly after: string;
}

/** The maximum number of matches on a page. Further ones are left out. */
const MAX_MATCHES = 500;
/** The number of words before and after a match. */
const CONTEXT_WORDS = 8;

/** A word with its place. A word without a box has that of its line. */
interface Unit extends TextWord {
  readonly line: number;
  /** The position in its line. */
  readonly at: number;
  readonly isLine: boolean;
}

/**
 * Finds the places of terms on a page, in the order of the text. Returns none if the page lacks one of the terms: a page
 * matches if it has all of them.
 */
export function findMatches({ lines }: RecognizedPage, terms: readonly SearchTerm[]): Match[] {
  const units = lines.flatMap(unitsOf);
  const text = createText(units);
  const ranges: Range[] = [];
  for (const term of terms) {
    const match = text.find(term);
    if (match.length === 0) return [];
    ranges.push(...match);
  }
  return ranges
    .sort((a, b) => a.first - b.first || a.last - b.last)
    .filter(({ first, last }, index) => first !== ranges[index - 1]?.first || last !== ranges[index - 1]?.last)
    .slice(0, MAX_MATCHES)
    .map(({ first, last }) => matchOf(units, lines, first, last));
}

function unitsOf({ words, text, box }: TextLine, line: number): Unit[] {
  if (words.length > 0) return words.map((word, at) => ({ ...word, line, at, isLine: false }));
  return text.split(' ').map((word, at) => ({ text: word, box, line, at, isLine: true }));
}

/** The first and the last unit of a match. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** Returns the tokens of units as one text, in which phrases are found as they are. */
function createText(units: readonly Unit[]) {
  const starts: number[] = [];
  /** The first and the last unit of each token. */
  const owners: Range[] = [];
  const others: (Range & { readonly word: string })[] = [];
  let text = ' ';
  for (const [index, unit] of units.entries()) {
    if (unit.isRest) continue;
    const whole = unit.whole ?? unit.text;
    const owner = { first: index, last: units[index + 1]?.isRest ? index + 1 : index };
    for (const token of tokensOf(whole)) {
      starts.push(text.length);
      owners.push(owner);
      text += `${token} `;
    }
    for (const { folded } of otherWords(whole)) others.push({ word: folded, ...owner });
  }
  function rangesOf(wording: readonly string[], isPrefix: boolean): Range[] {
    const wanted = ` ${wording.join(' ')}${isPrefix ? '' : ' '}`;
    const ranges: Range[] = [];
    for (let at = text.indexOf(wanted); at >= 0 && ranges.length < MAX_MATCHES; at = text.indexOf(wanted, at + 1)) {
      const token = indexIn(starts, at + 1);
      const [first, last] = [owners[token], owners[token + wording.length - 1]];
      ranges.push({ first: first?.first ?? 0, last: last?.last ?? 0 });
    }
    return ranges;
  }
  function rangesOfOthers([first = '', ...more]: readonly string[], isPrefix: boolean): Range[] {
    if (more.length > 0) return [];
    return others.filter(({ word }) => (isPrefix ? word.startsWith(first) : word === first));
  }
  return {
    find({ tokens, others: otherTokens, isPrefix }: SearchTerm): Range[] {
      return [tokens, ...otherTokens].flatMap((wording) => [
        ...rangesOf(wording, isPrefix),
        ...rangesOfOthers(wording, isPrefix),
      ]);
    },
  };
}

/** Returns the position of a number in an ascending list that contains it. */
function indexIn(list: readonly number[], value: number): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function matchOf(units: readonly Unit[], lines: readonly TextLine[], first: number, last: number): Match {
  const words = (from: number, to: number) =>
    units
      .slice(Math.max(0, from), to)
      .map(({ text }) => text)
      .join(' ');
  return {
    parts: partsOf(units.slice(first, last + 1), lines),
    before: words(first - CONTEXT_WORDS, first),
    exact: words(first, last + 1),
    after: words(last + 1, last + 1 + CONTEXT_WORDS),
  };
}

/** Returns the units of a match by line. */
function partsOf(units: readonly Unit[], lines: readonly TextLine[]): MatchPart[] {
  return [...Map.groupBy(units, ({ line }) => line)].map(([number, inLine]) => {
    const { text, box, language } = lines[number] as TextLine;
    const exact = inLine.map((unit) => unit.text).join(' ');
    const [start, end] = [inLine[0]?.at, inLine.at(-1)?.at];
    if (inLine[0]?.isLine) return { key: `${number + 1}`, exact, text, box, language, isLine: true };
    const key = start === end ? `${number + 1}-${start}` : `${number + 1}-${start}-${end}`;
    return { key, exact, text: exact, box: around(inLine.map((unit) => unit.box)), language, isLine: false };
  });
}

/** Returns the smallest rectangle with all the given ones. */
function around(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

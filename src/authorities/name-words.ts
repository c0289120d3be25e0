import { foldText } from '../base/fold-text.ts';

/** Private characters that begin words which no name has: the kind of a record, and the beginning of a name. */
const KIND = '\u{E000}';
const BEGINNING = '\u{E001}';
const WORD = /[\p{L}\p{N}\p{Mn}\p{Mc}\p{Co}]+/gu;
/** The beginning of a name is this long: longer ones differ by their words. */
const MAX_BEGINNING_CHARACTERS = 40;
/** Words of a typed text that count. */
const MAX_WORDS = 8;

/**
 * The options of the full-text index of a list. Positions are of no use. Beginnings are, up to the length from which few names
 * begin alike: FTS5 finds one of three characters by those of four.
 */
export const WORDS_TABLE_OPTIONS =
  "content='', contentless_delete=1, detail=none, prefix='1 2 4 6', tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\"";

/** Returns the folded words of a text, as names and typed texts are compared. */
export function wordsOf(text: string): string[] {
  return foldText(text).match(WORD) ?? [];
}

/** Returns the text that the index has of a record. */
export function indexedText(kind: string, names: readonly string[]): string {
  const words = new Set([KIND + kind]);
  for (const name of names) {
    const own = wordsOf(name);
    for (const word of own) words.add(word);
    if (own.length > 0) words.add(BEGINNING + own.join('').slice(0, MAX_BEGINNING_CHARACTERS));
  }
  return [...words].join(' ');
}

/** Queries of the index for a typed text. */
interface WordQueries {
  /** Records with the text as a name. */
  readonly exact: string;
  /** Records with a name that begins with the text. */
  readonly beginning: string;
  /** Records whose names have words that begin as those of the text, in any order. */
  readonly words: string;
}

/** Returns the queries for a typed text and some kinds of records (default: all). Undefined for a text without words. */
export function queriesOf(text: string, kinds: readonly string[] | undefined): WordQueries | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const ofKinds = kinds === undefined ? '' : ` AND (${kinds.map((kind) => `"${KIND}${kind}"`).join(' OR ')})`;
  const beginning = BEGINNING + words.join('').slice(0, MAX_BEGINNING_CHARACTERS);
  const all = [...new Set(words.slice(0, MAX_WORDS))];
  return {
    exact: `"${beginning}"${ofKinds}`,
    beginning: `"${beginning}"*${ofKinds}`,
    words: `${all.map((word) => `"${word}"*`).join(' AND ')}${ofKinds}`,
  };
}

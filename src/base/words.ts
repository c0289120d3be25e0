import { APOSTROPHES, foldText } from './fold-text.ts';

/** Letters of Chinese and Japanese: the content of a class in a `u` pattern. */
const IDEOGRAPHS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30FC';
/** Letters of scripts whose words are indexed as pairs of letters. */
const PAIRED = `${IDEOGRAPHS}\\p{Script=Hangul}`;
/** Letters of scripts without spaces whose words are known: the content of a class in a `u` pattern. */
export const SEGMENTED = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
/** Characters of words for the tokenizer of the index, and those within words that folding drops. */
const LETTERS = '\\p{L}\\p{N}\\p{M}\\p{Co}\\u00AD\\u200B-\\u200F\\u2060';
const HYPHENS = '\\-\\u2010\\u2011\\u05BE';

/** Articles and prepositions of French, Italian and Catalan that lose their vowel before another word. */
const ELIDED = 'l|d|qu|un|gl|degl|dell|all|dall|nell|sull|coll|quell|quest';
const ELISION = new RegExp(`(?<![${LETTERS}${APOSTROPHES}])(${ELIDED})[${APOSTROPHES}](?=\\p{L}{2})`, 'giu');
const SEGMENT_ELISION = new RegExp(`^(${ELIDED})[${APOSTROPHES}]+(?=\\p{L}{2})`, 'iu');

/** A word with the apostrophes within it, and the point of the Catalan l·l. */
const RUN = new RegExp(
  `[${LETTERS}]+(?:(?:[${APOSTROPHES}]+|(?<=[lL])[\u00B7\u2027\u2219](?=[lL]))[${LETTERS}]+)*`,
  'gu',
);
/** Words that apostrophes or hyphens join. The lookbehind keeps the time linear. */
const PART = `[[${LETTERS}]--[${APOSTROPHES}]]+`;
const JOINED_PARTS = `${PART}(?:[${APOSTROPHES}${HYPHENS}]+${PART})+`;
const COMPOUND = new RegExp(`(?<![[${LETTERS}]--[${APOSTROPHES}]])${JOINED_PARTS}`, 'gv');
const WRITTEN = new RegExp(`[${LETTERS}]+(?:[${APOSTROPHES}${HYPHENS}]+[${LETTERS}]+)*`, 'gu');
const JOINT = new RegExp(`[${APOSTROPHES}${HYPHENS}]`, 'u');
/** A folded word that may begin with an article. */
const WITH_ARTICLE = new RegExp(`^(${ELIDED})(\\p{L}{2,})$`, 'u');
/** The number of words of a phrase that are searched with an article, too. */
const MAX_ARTICLES = 3;
const BETWEEN_PARTS = new RegExp(`[${APOSTROPHES}]+`, 'gu');
const BETWEEN_SEGMENTS = new RegExp(`[${HYPHENS}]+`, 'gu');
const INNER_HYPHENS = new RegExp(`(?<=[${LETTERS}])[${HYPHENS}]+(?=[${LETTERS}])`, 'gu');

const SPECIAL = new RegExp(`[${PAIRED}${SEGMENTED}]`, 'u');
const IS_PAIRED = new RegExp(`^[${PAIRED}]`, 'u');
/** Programs that recognise Chinese and Japanese separate letters by spaces, and lines end within words. */
const SPACE_BETWEEN = new RegExp(`(?<=[${IDEOGRAPHS}])\\s+(?=[${IDEOGRAPHS}])`, 'gu');
const SPECIAL_RUN = new RegExp(`[${PAIRED}]+|[${SEGMENTED}]+`, 'gu');
const SIGNS = /[^\p{L}\p{N}\p{Mn}\p{Mc}\p{Co}]+/gu;
const LAST_SIGNS = /[^\p{L}\p{N}\p{M}\p{Co}]*$/u;
/** A letter with the marks that belong to it, also of Hangul in parts, or text of other scripts. */
const PIECE = new RegExp(
  `[\\u1100-\\u1112][\\u1161-\\u1175][\\u11A8-\\u11C2]?|[${PAIRED}][\\p{M}\\uFF9E\\uFF9F]*|[${SEGMENTED}\\p{M}]+|[^${PAIRED}${SEGMENTED}]+`,
  'gu',
);
/** A word of a folded text: a compatibility form may stand for several. */
const FOLDED_WORD = new RegExp(`[${PAIRED}]|[[\\p{L}\\p{N}\\p{Mn}\\p{Mc}\\p{Co}]--[${PAIRED}]]+`, 'gv');

/** ASCII without the signs that may be within words: most texts need no rules of other scripts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII as a whole.
const PLAIN = /^[\x00-\x26\x28-\x2C\x2E-\x5F\x61-\x7F]*$/;
const PLAIN_WORD = /[a-z0-9]+/gi;

/** Shorter parts of a word are not searched. */
const MIN_PART = 3;
/** Longer words that hyphens join are not searched as one. */
const MAX_JOINED = 40;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** A word of a text: its place in the original, and its folded form. */
export interface Word {
  readonly start: number;
  readonly end: number;
  readonly folded: string;
}

/**
 * Returns a text as the full-text index stores it: its words, and after them the other forms of its compounds: `connor` of
 * O'Connor, `darcy` of d'Arcy, `cooperate` of co-operate.
 */
export function indexedText(text: string): string {
  if (PLAIN.test(text)) return foldText(text);
  const others = new Set<string>();
  for (const { folded } of otherWords(text)) others.add(folded);
  const separated = separateWords(text, false);
  return others.size === 0 ? separated : `${separated}\n${[...others].join(' ')}`;
}

/** Returns the words of a text as they are written, compounds as a whole. */
export function termsOf(text: string): string[] {
  return Array.from(text.matchAll(WRITTEN), ([word]) => word).filter((word) => foldText(word) !== '');
}

/** A phrase of the index. */
export interface Phrase {
  /** Words that are separated by spaces. */
  readonly words: string;
  /** True if its last word is a single letter of a script whose words are pairs: any pair may begin with it. */
  readonly isBeginning: boolean;
}

/**
 * Returns the phrases of the index that a text of a query stands for, each once: its words; the same with compounds as one
 * word; and, for several words, the same with an article in each of the first words that may have one, as in `darcy family`.
 */
export function phrasesOf(text: string): Phrase[] {
  const first = phraseOf(text);
  const phrases = new Map([[first.words, first]]);
  const add = (other: string) => {
    const phrase = phraseOf(other);
    if (phrase.words !== '' && !phrases.has(phrase.words)) phrases.set(phrase.words, phrase);
  };
  if (JOINT.test(text)) add(foldText(text).replace(INNER_HYPHENS, ''));
  const words = first.words.split(' ');
  if (/\s/.test(text.trim()) && !SPECIAL.test(text))
    for (const at of positionsOfArticles(words))
      add(words.with(at, words[at]?.replace(WITH_ARTICLE, '$1 $2') ?? '').join(' '));
  return [...phrases.values()];
}

function positionsOfArticles(words: readonly string[]): number[] {
  return words.flatMap((word, at) => (WITH_ARTICLE.test(word) ? [at] : [])).slice(0, MAX_ARTICLES);
}

/** Returns the expression of FTS5 for any of some phrases. Every word is quoted, so that nothing in it is syntax. */
export function expressionOf(phrases: readonly Phrase[], isPrefix: boolean): string {
  const all = phrases.map(({ words, isBeginning }) => {
    return `"${words.replaceAll('"', '""')}"${isPrefix || isBeginning ? ' *' : ''}`;
  });
  return all.length === 1 ? (all[0] as string) : `(${all.join(' OR ')})`;
}

function phraseOf(text: string): Phrase {
  const words = separateWords(text, true).replace(SIGNS, ' ').trim();
  const last = words.slice(words.lastIndexOf(' ') + 1);
  return { words, isBeginning: IS_PAIRED.test(last) && [...last].length === 1 };
}

/**
 * Returns the folded words of a text. Each letter of Chinese, Japanese and Korean is followed by its neighbour, as the pairs
 * of Lucene's CJKBigramFilter; the last one of a run is alone. In a phrase of a query, what follows the last one is unknown.
 */
function separateWords(text: string, isQuery: boolean): string {
  const folded = foldText(text.replace(ELISION, '$1 '));
  if (!SPECIAL.test(folded)) return folded;
  const joined = folded.replace(SPACE_BETWEEN, '');
  const end = isQuery ? joined.search(LAST_SIGNS) : joined.length + 1;
  return joined.replace(SPECIAL_RUN, (run, at: number) =>
    IS_PAIRED.test(run) ? pairsOf(run, at + run.length === end) : segmentsOf(run),
  );
}

/** With `isOpen`, the last letter is not alone, unless it is the only one. */
function pairsOf(run: string, isOpen: boolean): string {
  const letters = [...run];
  const pairs = letters.map((letter, index) => letter + (letters[index + 1] ?? ''));
  if (isOpen && pairs.length > 1) pairs.pop();
  return ` ${pairs.join(' ')} `;
}

function segmentsOf(run: string): string {
  return ` ${Array.from(segmenter.segment(run), ({ segment }) => segment).join(' ')} `;
}

/** Yields the words of a text with their places. A letter of Chinese, Japanese or Korean is a word. */
export function* eachWord(text: string): Generator<Word> {
  if (PLAIN.test(text)) {
    for (const { 0: word, index: start } of text.matchAll(PLAIN_WORD))
      yield { start, end: start + word.length, folded: word.toLowerCase() };
    return;
  }
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const [elided = ''] = SEGMENT_ELISION.exec(run) ?? [];
    if (elided !== '') yield* piecesOf(elided, index);
    yield* piecesOf(run.slice(elided.length), index + elided.length);
  }
}

function* piecesOf(run: string, start: number): Generator<Word> {
  if (!SPECIAL.test(run)) return yield* wordAt(run, start);
  for (const { 0: piece, index } of run.matchAll(PIECE)) {
    const at = start + index;
    if (IS_PAIRED.test(piece) || !SPECIAL.test(piece)) yield* wordAt(piece, at);
    else for (const { segment, index: offset } of segmenter.segment(piece)) yield* wordAt(segment, at + offset);
  }
}

function* wordAt(text: string, start: number): Generator<Word> {
  for (const [folded] of foldText(text).matchAll(FOLDED_WORD)) yield { start, end: start + text.length, folded };
}

/** Yields the other forms of compounds, with the places of what they stand for. */
export function* otherWords(text: string): Generator<Word> {
  if (!JOINT.test(text)) return;
  for (const { 0: compound, index } of text.matchAll(COMPOUND)) {
    if (SPECIAL.test(compound)) continue;
    let start = index;
    let joined = '';
    let first: number | undefined;
    const segments = compound.split(BETWEEN_SEGMENTS);
    for (const segment of segments) {
      const at = text.indexOf(segment, start);
      start = at + segment.length;
      const [elided = ''] = SEGMENT_ELISION.exec(segment) ?? [];
      const rest = segment.slice(elided.length);
      if (elided !== '') yield* wordAt(segment, at);
      else yield* partsOf(segment, at);
      first ??= at + elided.length;
      joined += foldText(rest);
    }
    if (segments.length > 1 && joined.length <= MAX_JOINED)
      yield { start: first ?? index, end: index + compound.length, folded: joined };
  }
}

function* partsOf(segment: string, start: number): Generator<Word> {
  const parts = segment.split(BETWEEN_PARTS);
  if (parts.length === 1) return;
  let at = 0;
  for (const part of parts) {
    at = segment.indexOf(part, at);
    for (const word of wordAt(part, start + at)) if (word.folded.length >= MIN_PART) yield word;
    at += part.length;
  }
}

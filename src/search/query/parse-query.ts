import { numberText } from '../../base/in-words.ts';
import { type Phrase, phrasesOf } from '../../base/words.ts';

/** The fields that a word can be limited to: columns of the index. */
type SearchField = 'title' | 'subject' | 'creator' | 'identifier';

/** A word, a phrase, or the beginning of a word. */
export interface Term {
  /** As typed, for another query. */
  readonly typed: string;
  /** As the index has it: one or more words. */
  readonly folded: string;
  /** The phrases that it stands for; the first one is `folded`. */
  readonly phrases: readonly Phrase[];
  readonly field: SearchField | undefined;
  readonly isPrefix: boolean;
  readonly isPhrase: boolean;
}

/** A query: a node must contain one term of each group, and none of `without`. */
export interface ParsedQuery extends Years {
  readonly groups: readonly (readonly Term[])[];
  readonly without: readonly Term[];
  /** Sentences about parts that were left out. */
  readonly ignored: readonly string[];
}

/** The maximum length of a query in characters; the rest is ignored. */
const MAX_CHARACTERS = 1_000;
const MAX_TERMS = 32;

const FIELDS: ReadonlySet<string> = new Set<SearchField>(['title', 'subject', 'creator', 'identifier']);
/** The characters of words for the tokenizer of the index. Text without any of these is ignored. */
const WORD = /[\p{L}\p{N}\p{Co}\p{Mn}\p{Mc}]/u;

/** The text that `*` may follow: two letters, or a character of a script with thousands. One letter begins too many words. */
const BEGINNING = /[\p{L}\p{N}]{2}$|[\u2E80-\u{3FFFF}]$/u;

/** Parses a query as a reader types it (docs/search.md). Every text is a query. */
export function parseQuery(text: string): ParsedQuery {
  const ignored: string[] = [];
  if (text.length > MAX_CHARACTERS)
    ignored.push(`Only the first ${numberText(MAX_CHARACTERS)} characters of the query were used.`);
  const groups: Term[][] = [];
  const without: Term[] = [];
  const years: { from?: number; to?: number } = {};
  const known = new Set<string>();
  let isJoined = false;
  for (const raw of readTerms(text.slice(0, MAX_CHARACTERS).toWellFormed())) {
    if (raw.isOr) {
      isJoined = true;
      continue;
    }
    const range = raw.isWithout ? undefined : yearsOf(raw);
    if (range !== undefined) {
      narrow(years, range);
      isJoined = false;
      continue;
    }
    const term = termOf(raw);
    if (term === undefined) continue;
    known.add(keyOf(term));
    if (known.size > MAX_TERMS) break;
    const last = groups.at(-1);
    if (raw.isWithout) without.push(term);
    else if (isJoined && last !== undefined) last.push(term);
    else groups.push([term]);
    isJoined = false;
  }
  if (known.size > MAX_TERMS) ignored.push(`Only the first ${MAX_TERMS} words of the query were used.`);
  return { groups: distinctGroups(groups), without: distinct(without, keyOf), ...years, ignored };
}

/** Returns what a term means for a search, equal for equal terms. */
function keyOf({ folded, field, isPrefix }: Term): string {
  return JSON.stringify([field, folded, isPrefix]);
}

/** Merges equal terms, each of which would be looked up and ranked again. */
function distinctGroups(groups: readonly Term[][]): Term[][] {
  return distinct(
    groups.map((group) => distinct(group, keyOf)),
    (group) => JSON.stringify(group.map(keyOf).sort()),
  );
}

function distinct<T>(all: readonly T[], keyOf: (each: T) => string): T[] {
  const keys = new Set<string>();
  return all.filter((each) => keys.size < keys.add(keyOf(each)).size);
}

function yearsOf({ field, text, isPhrase, isPrefix }: RawTerm): Years | undefined {
  if (isPhrase || isPrefix) return undefined;
  return parseYears(text, field === 'date');
}

function narrow(years: { from?: number; to?: number }, { from, to }: Years): void {
  if (from !== undefined) years.from = Math.max(from, years.from ?? from);
  if (to !== undefined) years.to = Math.min(to, years.to ?? to);
}

function termOf({ field, text, isPhrase, isPrefix }: RawTerm): Term | undefined {
  const isField = field !== undefined && FIELDS.has(field);
  // A name that is no field is text: `http://example.org`, `date:unknown`.
  const typed = isField || field === undefined ? text : `${field}:${text}`;
  const phrases = phrasesOf(typed);
  const folded = phrases[0]?.words ?? '';
  if (!WORD.test(folded)) return undefined;
  const begins = isPrefix && BEGINNING.test(folded);
  return { typed, folded, phrases, field: isField ? (field as SearchField) : undefined, isPrefix: begins, isPhrase };
}

/** A part of a query between spaces, before its words are folded. */
interface RawTerm {
  readonly text: string;
  /** The name before a colon: a field, `date`, or any other text. */
  readonly field: string | undefined;
  readonly isPhrase: boolean;
  /** True with `*` at its end. */
  readonly isPrefix: boolean;
  /** True with `-` before it. */
  readonly isWithout: boolean;
  /** True for the word `OR`, which joins the terms beside it. */
  readonly isOr: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words, as spaces do.
const CONTROLS = /[\x00-\x1F\x7F]/g;
/** Quotation marks that keyboards write in place of `"`. */
const QUOTES = /[“”„‟＂]/g;
/** The gershayim of Hebrew, which keyboards write as a quotation mark. */
const GERSHAYIM = /(?<=\p{Script=Hebrew})["”](?=\p{Script=Hebrew})/gu;
/** A phrase or a word, with what may stand before and after it. A missing last quotation mark is at the end. */
const TERM = /(-?)(?:(\w+):(?=[^\s]))?(?:"([^"]*)(?:"|$)|([^\s"]+))(\*?)/g;

/** Splits a query into its parts. */
function* readTerms(text: string): Generator<RawTerm> {
  const tidy = text.replace(CONTROLS, ' ').replace(GERSHAYIM, '\u05F4').replace(QUOTES, '"');
  for (const [whole, minus, name, phrase, word, star] of tidy.matchAll(TERM)) {
    const bare = word?.replace(/\*+$/, '');
    yield {
      text: phrase ?? (bare as string),
      field: name?.toLowerCase(),
      isPhrase: phrase !== undefined,
      isPrefix: phrase === undefined ? bare !== word : star === '*',
      isWithout: minus === '-',
      isOr: whole === 'OR',
    };
  }
}

/** A range of years, both included. */
interface Years {
  readonly from?: number;
  readonly to?: number;
}

const RANGE = /^(-?\d{1,4})?\.\.(-?\d{1,4})?$/;
const YEAR = /^-?\d{1,4}$/;

/**
 * Parses `1890..1930`, `1890..`, `..1930`, and with `isDate` a year alone, which is a word otherwise. Returns undefined for
 * any other text. A range may be written in either direction.
 */
function parseYears(text: string, isDate: boolean): Years | undefined {
  if (isDate && YEAR.test(text)) return { from: Number(text), to: Number(text) };
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined) return { to: Number(last) };
  if (last === undefined) return { from: Number(first) };
  const [from, to] = [Number(first), Number(last)].sort((one, other) => one - other) as [number, number];
  return { from, to };
}

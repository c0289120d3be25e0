import { sql } from 'drizzle-orm';
import { distance } from 'fastest-levenshtein';
import type { Database } from '../../database/database.ts';
import { searchWords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ParsedQuery, Term } from '../query/parse-query.ts';

/** The time for a suggestion, and the similar words of one word that are tried. */
const MAX_MS = 150;
const MAX_TRIES = 4;
const MAX_CORRECTED = 3;
const WORDS_AT_ONCE = 1_000;
const HIGHEST = '\u{10FFFF}';

/** Shorter words have too many similar ones. */
const MIN_CHARACTERS = 3;

interface Candidate {
  readonly word: string;
  readonly edits: number;
  readonly nodes: number;
}

const nextWords = prepare(({ after, end, limit }: Named<{ after: string; end: string; limit: number }>) =>
  plain(
    sql`SELECT ${searchWords.term}, ${searchWords.doc} FROM ${searchWords}
      WHERE ${searchWords.term} > ${after} AND ${searchWords.term} < ${end} LIMIT ${limit}`,
    { word: searchWords.term, nodes: searchWords.doc },
  ),
);

/**
 * Returns a query with similar words that has results, for one without any. `hasResults` decides for the caller's view.
 * Undefined if none is found in time.
 */
export async function suggestQuery(
  database: Database,
  parsed: ParsedQuery,
  text: string,
  hasResults: (text: string) => Promise<boolean>,
): Promise<string | undefined> {
  const deadline = performance.now() + MAX_MS;
  const words = parsed.groups.flat().filter(({ folded, isPrefix }) => !isPrefix && isWord(folded));
  let corrected = text;
  for (const term of words.slice(0, MAX_CORRECTED)) {
    // A word with results is right.
    if (await hasResults(term.typed)) continue;
    const candidates = await similarWords(database, term, deadline);
    for (const { word } of candidates) {
      const next = replaceWord(corrected, term.typed, word);
      if (await hasResults(next)) return next;
      if (performance.now() > deadline) return undefined;
    }
    const [first] = candidates;
    if (first === undefined) return undefined;
    corrected = replaceWord(corrected, term.typed, first.word);
  }
  return undefined;
}

function isWord(folded: string): boolean {
  return folded.length >= MIN_CHARACTERS && /^[\p{L}\p{N}]+$/u.test(folded);
}

/** Replaces a word wherever the text has it as a whole: the query has it once for all. */
function replaceWord(text: string, typed: string, word: string): string {
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(typed)}(?![\\p{L}\\p{N}])`, 'giu');
  return text.replace(whole, () => word);
}

/** Returns true for words with two exchanged neighbouring letters, the most frequent typing error. */
function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

/** Returns similar words of the index, the most similar first, and of these the most frequent first. */
async function similarWords(database: Database, { folded }: Term, deadline: number): Promise<Candidate[]> {
  const allowed = folded.length < 5 ? 1 : folded.length < 9 ? 2 : 3;
  const candidates = new Map<string, Candidate>();
  const [first = '', second = ''] = folded;
  // Few typing errors are in the first letters. All words of one letter are read only as long as time is left.
  for (const beginning of new Set([first + second, second + first, first])) {
    for (let after = beginning; ; ) {
      const rows = await database.all(nextWords({ after, end: beginning + HIGHEST, limit: WORDS_AT_ONCE }));
      for (const { word, nodes } of rows) {
        if (word === folded || Math.abs(word.length - folded.length) > allowed) continue;
        const edits = isSwapped(word, folded) ? 1 : distance(word, folded);
        if (edits <= allowed) candidates.set(word, { word, edits, nodes });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < WORDS_AT_ONCE) break;
      after = last.word;
      if (performance.now() > deadline) break;
    }
    if (candidates.size > 0 || performance.now() > deadline) break;
  }
  return [...candidates.values()]
    .sort((one, other) => one.edits - other.edits || other.nodes - one.nodes)
    .slice(0, MAX_TRIES);
}

import { and, gte, lt, type SQL, sql } from 'drizzle-orm';
import { titleKeyOf } from '../base/fold-text.ts';
import { eachWord, otherWords } from '../base/words.ts';
import { query } from '../database/query-builder.ts';
import { titleWords } from '../database/schema/search.ts';
import { namesOf } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';

/** The number of ids of a node, of which it uses at most `MAX_WORDS`. */
const IDS_OF_NODE = 32;
/** The maximum number of words of a title that are completed. */
const MAX_WORDS = 31;
/** The maximum length of a key, in characters. */
const TITLE_WORD_CHARS = 24;

/** Returns a title from each of its words but the first one, as completions find it. */
export function titleWordsOf(title: string): string[] {
  const starts = new Set<number>();
  for (const { start } of [...eachWord(title), ...otherWords(title)]) starts.add(start);
  return [...starts]
    .sort((one, other) => one - other)
    .slice(1, MAX_WORDS + 1)
    .map((start) => beginningOf(titleKeyOf(title.slice(start)).trimEnd(), TITLE_WORD_CHARS));
}

const SURROGATE = /[\uD800-\uDFFF]/;

/** Returns the first characters of a key. */
export function beginningOf(key: string, characters: number): string {
  const longest = key.slice(0, 2 * characters);
  // Most keys have no characters of two code units.
  return SURROGATE.test(longest) ? [...longest].slice(0, characters).join('') : longest.slice(0, characters);
}

/** The words of a title, as a JSON list. */
interface TitleWords {
  readonly titleWords: string;
}

/** Returns the insertion of the words of a title for a node, whose id is an expression. */
export function insertTitleWords(id: SQL, { titleWords: words }: Named<TitleWords>) {
  return plain(sql`INSERT INTO ${titleWords} (${namesOf(titleWords.id, titleWords.key)})
    SELECT ${id} * ${sql.raw(String(IDS_OF_NODE))} + j.key, j.value FROM json_each(${words}) j WHERE true
    ON CONFLICT (${namesOf(titleWords.id)}) DO UPDATE SET ${namesOf(titleWords.key)} = excluded.key
      WHERE ${titleWords.key} <> excluded.key`);
}

type Id = { readonly id: number };

const insert = prepare((values: Named<TitleWords & Id>) => insertTitleWords(sql`${values.id}`, values));
const removeFrom = prepare(({ from, to }: Named<{ from: number; to: number }>) =>
  query.delete(titleWords).where(and(gte(titleWords.id, from), lt(titleWords.id, to))),
);

/** Returns the statements that write the words of the title of a node in place of earlier ones. */
export function replaceTitleWords(id: number, words: readonly string[]): Statement[] {
  return [
    removeFrom({ from: id * IDS_OF_NODE + words.length, to: (id + 1) * IDS_OF_NODE }),
    ...(words.length === 0 ? [] : [insert({ id, titleWords: JSON.stringify(words) })]),
  ];
}

const wordsOfNodes = prepare(({ ids }: Named<{ ids: string }>) =>
  plain(
    sql`SELECT j.value, ${titleWords.key} FROM json_each(${ids}) j
      JOIN ${titleWords} ON ${titleWords.id} >= j.value * ${sql.raw(String(IDS_OF_NODE))}
        AND ${titleWords.id} < (j.value + 1) * ${sql.raw(String(IDS_OF_NODE))} ORDER BY ${titleWords.id}`,
    { nid: sql<number>`nid`, key: titleWords.key },
  ),
);

/** Returns the query of the words of the titles of nodes, in their order. */
export function wordsOfTitles(nids: readonly number[]) {
  return wordsOfNodes({ ids: JSON.stringify(nids) });
}

/** Above all characters of a text. */
const HIGHEST = '\u{10FFFF}';

const nodesWithWord = prepare(({ from, to, limit }: Named<{ from: string; to: string; limit: number }>) =>
  query
    .select({ id: titleWords.id })
    .from(titleWords)
    .where(and(gte(titleWords.key, from), lt(titleWords.key, to)))
    .orderBy(titleWords.key, titleWords.id)
    .limit(limit),
);

/** Returns the query of the words that begin with a folded text, in their order. `nodeOfWord` gives the nodes. */
export function wordsBeginning(text: string, limit: number) {
  const from = beginningOf(text, TITLE_WORD_CHARS);
  return nodesWithWord({ from, to: from + HIGHEST, limit });
}

/** Returns the id of the node of a word. */
export function nodeOfWord({ id }: Id): number {
  return Math.floor(id / IDS_OF_NODE);
}

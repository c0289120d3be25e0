import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import { createRandom } from '../support/random.ts';
import { makeWords, zipfOf } from './zipf-words.ts';

/** A table of items for `repo import` and for another engine, and queries for it. The same on every run. */

const WORDS = 200_000;
const WORDS_OF_TITLE = 6;
const WORDS_OF_DESCRIPTION = 60;
const SUBJECTS = 2_000;
const SUBJECTS_OF_ITEM = 5;
/** The most frequent words are no subjects. */
const FIRST_SUBJECT_WORD = 50;
const MODELS = ['Image', 'Digital Document', 'Audio', 'Video', 'Newspaper', 'Paged Content'];
const [FIRST_YEAR, YEARS] = [1700, 320];

/** The shares of items that contain a word, by which queries choose it. */
const SHARES = { frequent: [0.1, 0.6], middling: [0.005, 0.025], pair: [0.01, 0.1], rare: [0, 0.0002] } as const;
/** The numbers of queries of each kind. */
const QUERIES = { middling: 160, pair: 120, frequent: 60, rare: 60 } as const;

/** The files of a table. */
interface SearchTable {
  /** For `repo import`. */
  readonly csv: string;
  /** A line for each item: title, description, subjects, year and model, separated by tabs; subjects by `|`. */
  readonly tsv: string;
  /** A query in each line, all kinds mixed. */
  readonly queries: string;
}

/** Returns the names of the files in a folder. */
export function searchTableIn(folder: string): SearchTable {
  return { csv: join(folder, 'items.csv'), tsv: join(folder, 'items.tsv'), queries: join(folder, 'queries.txt') };
}

/** Writes a table of items of 66 words, five subjects and a date. */
export async function writeSearchTable(folder: string, items: number): Promise<void> {
  const files = searchTableIn(folder);
  const { fraction, below } = createRandom(41);
  const words = makeWords(WORDS);
  const next = zipfOf(WORDS, fraction);
  const nextSubject = zipfOf(SUBJECTS, fraction);
  const itemsOf = new Uint32Array(WORDS);
  const [csv, tsv] = [createWriteStream(files.csv), createWriteStream(files.tsv)];
  const columns = ['id', 'title', 'field_model', 'field_description', 'field_subject', 'field_edtf_date_issued'];
  await write(csv, stringify([columns]));
  for (let item = 1; item <= items; item++) {
    const ranks = Array.from({ length: WORDS_OF_TITLE + WORDS_OF_DESCRIPTION }, next);
    for (const rank of new Set(ranks)) itemsOf[rank] = (itemsOf[rank] as number) + 1;
    const text = ranks.map((rank) => words[rank] as string);
    const title = text.slice(0, WORDS_OF_TITLE).join(' ');
    const description = text.slice(WORDS_OF_TITLE).join(' ');
    const subjects = new Set<string>();
    while (subjects.size < SUBJECTS_OF_ITEM) subjects.add(`Subject ${words[nextSubject() + FIRST_SUBJECT_WORD]}`);
    const year = String(FIRST_YEAR + below(YEARS));
    const model = MODELS[below(MODELS.length)] as string;
    const terms = [...subjects].map((subject) => `subject:${subject}`).join('|');
    await write(csv, stringify([[`i${item}`, title, model, description, terms, year]]));
    await write(tsv, `${[title, description, [...subjects].join('|'), year, model].join('\t')}\n`);
  }
  for (const stream of [csv, tsv]) {
    stream.end();
    await finished(stream);
  }
  await Bun.write(files.queries, queriesOf(words, itemsOf, items, below).join('\n'));
}

async function write(stream: WriteStream, text: string): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve));
}

function queriesOf(
  words: readonly string[],
  itemsOf: Uint32Array,
  items: number,
  below: (limit: number) => number,
): string[] {
  const pick = (kind: keyof typeof SHARES) => {
    const [least, most] = SHARES[kind];
    const those = words.filter((_, rank) => {
      const share = (itemsOf[rank] as number) / items;
      return share > least && share <= most;
    });
    return () => those[below(those.length)] as string;
  };
  const one = { middling: pick('middling'), frequent: pick('frequent'), rare: pick('rare') };
  const pair = pick('pair');
  const all = [
    ...Array.from({ length: QUERIES.middling }, one.middling),
    ...Array.from({ length: QUERIES.pair }, () => `${pair()} ${pair()}`),
    ...Array.from({ length: QUERIES.frequent }, one.frequent),
    ...Array.from({ length: QUERIES.rare }, one.rare),
  ];
  for (let at = all.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [all[at], all[other]] = [all[other] as string, all[at] as string];
  }
  return all;
}

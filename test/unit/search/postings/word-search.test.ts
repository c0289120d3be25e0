import { afterEach, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { openForReading } from '../../../../src/database/remote/open-database.ts';
import type { Weights } from '../../../../src/search/engine/find-hits.ts';
import { WordSearch } from '../../../../src/search/postings/word-search.ts';
import { parseQuery } from '../../../../src/search/query/parse-query.ts';
import { toExpression } from '../../../../src/search/query/to-expression.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { createRandom, type Random } from '../../../support/random.ts';

const WEIGHTS: Weights = [8, 4, 4, 6, 2, 1];
const ROWS = 400;
const WRITES = 1_500;
const WORDS = [...'abcdefghijklmnop'].map((letter) => letter.repeat(3));
const COLUMNS = ['title', 'subject', 'creator', 'identifier', 'text', 'fulltext'];
const QUERIES = [
  ...[
    'aaa',
    'ppp',
    'aaa bbb',
    'ccc ddd eee',
    'aaa OR ppp',
    'aaa ooo OR nnn',
    'aaa -bbb',
    'title:aaa',
    'creator:bbb ccc',
  ],
  ...['unknown', 'aaa unknown', 'aaa aaa', '-aaa bbb -ccc', 'qqqq', 'long'],
];

let folder: string;
let database: Database;
let reader: Database;
afterEach(async () => {
  await reader.close();
  await database.close();
  await rm(folder, { recursive: true });
});

/** Opens an index with small pages, so that the rows of a word need several. */
async function openIndex(): Promise<void> {
  folder = await emptyFolder();
  const file = join(folder, 'a.db');
  database = openLocalDatabase(file);
  await migrate(database.client, 0);
  await command("'pgsz', 64");
  reader = await openForReading({ file, url: undefined, authToken: undefined, syncUrl: undefined, cacheKib: 1_024 });
}

const write = (...statements: InStatement[]) => database.write(statements);
const command = (values: string) => write(`INSERT INTO search_text (search_text, rank) VALUES (${values})`);

/** The id of a row, some of them with gaps that need several bytes. */
const idOf = (row: number) => (row < ROWS / 2 ? row + 1 : row * 5_000);

function put(random: Random, id: number): InStatement {
  const cells = COLUMNS.map(() =>
    Array.from({ length: random.below(6) }, () => WORDS[Math.floor(random.fraction() ** 3 * WORDS.length)]).join(' '),
  );
  // Positions beyond 127 have several bytes.
  if (random.below(20) === 0) cells[5] = `${'long '.repeat(200)} aaa`;
  return {
    sql: `REPLACE INTO search_text (rowid, ${COLUMNS.join()}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    args: [id, ...cells],
  };
}

/** Returns the words of each row, as a table of nodes has them. */
async function lengthsOf(): Promise<Uint16Array> {
  const lengths = new Uint16Array(idOf(ROWS));
  const { rows } = await database.client.execute('SELECT id, hex(sz) FROM search_text_docsize');
  for (const row of rows) {
    let [words, size] = [0, 0];
    for (const byte of Buffer.from(String(row[1]), 'hex')) {
      size = size * 128 + (byte & 0x7f);
      if (byte >= 0x80) continue;
      words += size;
      size = 0;
    }
    lengths[Number(row[0])] = words;
  }
  return lengths;
}

type Scores = [nid: number, score: number][];

const byId = (scores: Scores) => scores.toSorted(([one], [other]) => one - other);

async function scoresOf(search: WordSearch, text: string, viewsMedia: boolean): Promise<Scores> {
  const result = await search.find(parseQuery(text), { viewsMedia }, await lengthsOf(), async () => {});
  const { hits, scores } = result as NonNullable<typeof result>;
  return byId(Array.from(hits, (nid) => [nid, scores[nid] as number]));
}

async function scoresOfSqlite(text: string, viewsMedia: boolean): Promise<Scores> {
  const { match } = toExpression(parseQuery(text), viewsMedia);
  const { rows } = await reader.client.execute({
    sql: `SELECT rowid, -bm25(search_text, ${WEIGHTS.join()}) FROM search_text WHERE search_text MATCH ?`,
    args: [match as string],
  });
  return byId(rows.map((row) => [Number(row[0]), Number(row[1])]));
}

async function expectSameAsSqlite(search: WordSearch): Promise<void> {
  for (const text of QUERIES)
    for (const viewsMedia of [true, false]) {
      const [ours, theirs] = [await scoresOf(search, text, viewsMedia), await scoresOfSqlite(text, viewsMedia)];
      expect([text, ours.map(([nid]) => nid)]).toEqual([text, theirs.map(([nid]) => nid)]);
      for (const [index, [, score]] of ours.entries()) expect(score).toBeCloseTo(theirs[index]?.[1] as number, 3);
    }
}

describe('a search of words', () => {
  it.each([1, 2, 3])(
    'finds and ranks the same rows as SQLite after random writes (%d)',
    async (seed) => {
      await openIndex();
      const random = createRandom(seed);
      const search = new WordSearch(reader, WEIGHTS);
      await expectSameAsSqlite(search);
      for (let count = 0; count < WRITES; count += 50) {
        const ids = Array.from({ length: 50 }, () => idOf(random.below(ROWS)));
        const batch = (some: number[]) =>
          write(
            ...some.map((id) =>
              random.below(6) === 0 ? `DELETE FROM search_text WHERE rowid = ${id}` : put(random, id),
            ),
          );
        if (random.below(2) === 0) await batch(ids);
        else for (const id of ids) await batch([id]);
        // A part of a merge leaves segments whose first pages are gone.
        if (random.below(3) === 0) await command(`'merge', ${random.pick([-3, 4, 16, -200])}`);
        if (count % 250 === 0) await expectSameAsSqlite(search);
      }
      await expectSameAsSqlite(search);
      await command("'optimize', 0");
      await expectSameAsSqlite(search);
    },
    60_000,
  );

  it('sees each committed write at once', async () => {
    await openIndex();
    const search = new WordSearch(reader, WEIGHTS);
    const found = async () => (await scoresOf(search, 'aaa', true)).map(([nid]) => nid);
    expect(await found()).toEqual([]);
    await write("INSERT INTO search_text (rowid, title) VALUES (7, 'aaa'), (8, 'aaa bbb')");
    expect(await found()).toEqual([7, 8]);
    await write("REPLACE INTO search_text (rowid, title) VALUES (7, 'bbb')");
    expect(await found()).toEqual([8]);
    await write('DELETE FROM search_text WHERE rowid = 8');
    expect(await found()).toEqual([]);
    await write("INSERT INTO search_text (rowid, title) VALUES (8, 'aaa')");
    expect(await found()).toEqual([8]);
  });

  it.each(['"aaa bbb"', 'aaa*', '-aaa', WORDS.join(' ')])('leaves %p to SQLite', async (text) => {
    await openIndex();
    const search = new WordSearch(reader, WEIGHTS);
    expect(
      await search.find(parseQuery(text), { viewsMedia: true }, new Uint16Array(9), async () => {}),
    ).toBeUndefined();
  });

  it.each([
    ['a missing structure', 'DELETE FROM search_text_data WHERE id = 10'],
    ['a damaged structure', "UPDATE search_text_data SET block = x'0011223344' WHERE id = 10"],
    ['a truncated page', 'UPDATE search_text_data SET block = substr(block, 1, 20) WHERE id > 10'],
    ['an empty page', "UPDATE search_text_data SET block = x'' WHERE id > 10"],
    ['a missing page', 'DELETE FROM search_text_data WHERE id > 10 AND id % 2 = 0'],
  ])('leaves an index with %s to SQLite', async (_, damage) => {
    await openIndex();
    const random = createRandom(3);
    await write(...Array.from({ length: 200 }, (_, row) => put(random, idOf(row))));
    await write(damage);
    const search = new WordSearch(reader, WEIGHTS);
    expect(
      await search.find(parseQuery('aaa'), { viewsMedia: true }, new Uint16Array(9), async () => {}),
    ).toBeUndefined();
  });
});

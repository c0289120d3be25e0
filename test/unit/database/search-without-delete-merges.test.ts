import { afterEach, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createBefore } from '../../support/earlier-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createRandom } from '../../support/random.ts';
import { DAMAGED_INDEX } from '../../support/search-index.ts';

const MIGRATION = '0023_search_without_delete_merges';

let folder: string;
let database: Database;
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const open = () => {
  database = openLocalDatabase(join(folder, 'a.db'));
};
const write = (...statements: InStatement[]) => database.write(statements);
const rows = async (sql: string) => (await database.client.execute(sql)).rows.map((row) => Object.values(row));
const found = (word: string) => rows(`SELECT rowid FROM search_text WHERE search_text MATCH '${word}'`);

/** Creates the database of an earlier version with a complete index of two nodes. */
async function createEarlier(): Promise<void> {
  folder = await emptyFolder();
  open();
  await createBefore(database.client, MIGRATION);
  await write(
    "INSERT INTO search_text (rowid, title) VALUES (1, 'harbour'), (2, 'lighthouse')",
    "UPDATE search_index SET version = '1'",
  );
}

describe('the migration to a search index without delete merges', () => {
  it('replaces a damaged index, and makes the server build it', async () => {
    await createEarlier();
    await write(`UPDATE search_text_data SET block = x'${DAMAGED_INDEX}' WHERE id = 10`);
    await database.close();
    open();
    await expect(found('harbour')).rejects.toThrow('The database cannot be used at present.');
    expect(await migrate(database.client, 0)).toContain(MIGRATION);
    expect(await found('harbour')).toEqual([]);
    expect(await rows('SELECT version, building FROM search_index')).toEqual([['1', '']]);
    await write("REPLACE INTO search_text (rowid, title) VALUES (1, 'harbour')");
    expect(await found('harbour')).toEqual([[1]]);
    expect(await rows('PRAGMA integrity_check')).toEqual([['ok']]);
  });

  it('applies to a connection that has already used the index', async () => {
    await createEarlier();
    expect(await found('harbour')).toEqual([[1]]);
    await migrate(database.client, 0);
    expect(await found('harbour')).toEqual([]);
    await write("REPLACE INTO search_text (rowid, title) VALUES (2, 'harbour')");
    expect(await found('harbour')).toEqual([[2]]);
  });

  it('starts no build in a new repository', async () => {
    folder = await emptyFolder();
    open();
    await migrate(database.client, 0);
    expect(await rows('SELECT version, building FROM search_index')).toEqual([[null, null]]);
  });
});

const NODES = 100;
const CHANGES = 200;
const MAX_BYTES = 1_500;

// Each of these orders damages the index of an earlier version.
it.each([13, 58, 74, 84])('the search index stays intact while texts are replaced, in order %d', async (seed) => {
  folder = await emptyFolder();
  open();
  await migrate(database.client, 0);
  // An index with small pages has as many of them as one of large texts.
  await write("INSERT INTO search_text (search_text, rank) VALUES ('pgsz', 128)");
  const random = createRandom(seed);
  for (let change = 0; change < CHANGES; change++) {
    const text = Buffer.from(random.bytes(1 + random.below(MAX_BYTES))).toString('base64');
    const sql = 'REPLACE INTO search_text (rowid, fulltext) VALUES (?, ?)';
    await write({ sql, args: [1 + random.below(NODES), text] });
  }
  expect(await rows('PRAGMA integrity_check')).toEqual([['ok']]);
});

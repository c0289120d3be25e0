import { expect, it } from 'bun:test';
import { join } from 'node:path';
import type { InStatement } from '@libsql/client';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { replaceTitleWords, titleWordsOf, wordsBeginning, wordsOfTitles } from '../../../src/repository/title-words.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

it.each([
  ['Käthe Kollwitz', ['kollwitz']],
  ['“A house, by the sea”', ['house, by the sea”', 'by the sea”', 'the sea”', 'sea”']],
  ["L'été d'Anne O'Connor", ['ete danne oconnor', 'danne oconnor', 'anne oconnor', 'oconnor', 'connor']],
  ['東京湾', ['京湾', '湾']],
  ['One', []],
  ['', []],
  ['???', []],
  ['🙂 🙂 smile', []],
  [
    'a 𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷𠮷',
    Array.from({ length: 30 }, (_, at) => '𠮷'.repeat(Math.min(24, 30 - at))),
  ],
])('the title %p has the words %p', (title, words) => {
  expect(titleWordsOf(title)).toEqual(words);
});

it('a title has at most 31 words', () => {
  expect(titleWordsOf('word '.repeat(100))).toHaveLength(31);
});

it('a completion reads the index of words in its order', async () => {
  const database = openLocalDatabase(join(await emptyFolder(), 'a.db'));
  await migrate(database.client, 0);
  const plan = async (statement: InStatement) => {
    const { sql, args } = statement as { sql: string; args: [] };
    const { rows } = await database.client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
    return rows.map((row) => String(row[3]));
  };
  expect(await plan(wordsBeginning('kollw', 40))).toEqual([
    expect.stringMatching(
      /^SEARCH search_title_word USING COVERING INDEX search_title_word_key \(key>\? AND key<\?\)$/,
    ),
  ]);
  expect((await plan(wordsOfTitles([1]))).join()).toContain('SEARCH search_title_word USING INTEGER PRIMARY KEY');
  for (const statement of replaceTitleWords(7, []))
    expect((await plan(statement)).join()).toContain('USING INTEGER PRIMARY KEY');
  await database.close();
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { sql } from 'drizzle-orm';
import { plain, statementOf } from '../../../src/database/statement.ts';
import { buildIndex } from '../../../src/repository/search-index/build-index.ts';
import { findIndexProblems } from '../../../src/repository/search-index/find-index-problems.ts';
import { countPending } from '../../../src/repository/search-index/write-pending.ts';
import { indexedWith } from '../../support/search-index.ts';
import { createTestRepository, IS_ON_SQLD, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';
import { makeVariedCollection } from '../../support/varied-collection.ts';

const NODES = 300;

let repository: TestRepository;
let nids: number[];
beforeAll(async () => {
  repository = await createTestRepository();
  await makeVariedCollection(repository);
  nids = [];
  for (let from = 0; from < NODES; from += 50) {
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        repository.node({
          title: [{ value: `Harbour ${from + index}` }],
          field_extent: [{ value: 'zeppelin ballast' }],
        }),
      ),
    );
    nids.push(...made.map(({ nid }) => nid[0].value));
  }
  await until(async () => (await countPending(database())) === 0);
  await build();
}, 120_000);
afterAll(() => repository.stop());

const services = () => repository.running.services;
const database = () => services().database;
const run = (text: ReturnType<typeof sql>) => database().write([statementOf(plain(text))]);
const build = () =>
  buildIndex(services(), { signal: new AbortController().signal, onProgress: () => {}, restarts: true });
async function problems() {
  database().refresh();
  return Array.fromAsync(findIndexProblems(services(), new AbortController().signal));
}

/** The largest block of a segment: one leaf of words. */
const LARGEST = sql`(SELECT id FROM search_text_data WHERE id > 10 ORDER BY length(block) DESC LIMIT 1)`;

/** Kinds of damage, each as a statement. */
const DAMAGES: Readonly<Record<string, () => ReturnType<typeof sql>>> = {
  'missing rows of sizes': () => sql`DELETE FROM search_text_docsize WHERE id % 7 = 0`,
  'a missing row of the index': () => sql`DELETE FROM search_text WHERE rowid = ${nids[3]}`,
  'a flipped bit in a word of a segment': () =>
    sql`UPDATE search_text_data SET block = cast(replace(block, cast('eppelin' as blob), cast('epqelin' as blob)) as blob)
      WHERE instr(block, cast('eppelin' as blob)) > 0`,
  'a missing segment': () => sql`DELETE FROM search_text_data WHERE id = ${LARGEST}`,
  'an emptied segment': () => sql`UPDATE search_text_data SET block = x'00' WHERE id = ${LARGEST}`,
  'a truncated segment': () =>
    sql`UPDATE search_text_data SET block = substr(block, 1, length(block) / 2) WHERE id = ${LARGEST}`,
  'a missing structure': () => sql`DELETE FROM search_text_data WHERE id = 10`,
  'a damaged structure': () => sql`UPDATE search_text_data SET block = x'0011223344' WHERE id = 10`,
  'damaged averages': () => sql`UPDATE search_text_data SET block = x'ff' WHERE id = 1`,
  'another version of the format': () => sql`UPDATE search_text_config SET v = 77 WHERE k = 'version'`,
  'a missing record': () => sql`DELETE FROM node_record WHERE nid = ${nids[5]}`,
  'a changed word of a title': () => sql`UPDATE search_title_word SET key = 'other' WHERE id = 32 * ${nids[5]}`,
  'a missing word of a title': () => sql`DELETE FROM search_title_word WHERE id = 32 * ${nids[5]}`,
  'a changed record': () => sql`UPDATE node_record SET title_key = 'other' WHERE nid = ${nids[5]}`,
};

describe('the search index', () => {
  it('of a varied collection has no problem', async () => {
    expect(await problems()).toEqual([]);
  });

  // The words of an index on a server are not compared.
  const damages = Object.entries(DAMAGES).filter(([name]) => !(IS_ON_SQLD && /bit|averages/.test(name)));
  it.each(damages)(
    'with %s has a problem, until it is built again',
    async (_, damage) => {
      await run(damage());
      const found = await problems();
      expect(found.length).toBeGreaterThan(0);
      for (const { detail } of found)
        expect(detail).toEndWith('Build the search index again with: repo search reindex');
      await build();
      expect(await problems()).toEqual([]);
      expect(await indexedWith(database(), 'zeppelin')).toHaveLength(NODES);
    },
    60_000,
  );

  it('has no problem while nodes change', async () => {
    const changes = Promise.all(
      nids
        .slice(0, 40)
        .map((nid, index) =>
          repository.patch(
            `/node/${nid}?_format=json`,
            { type: 'islandora_object', title: [{ value: `New ${index}` }] },
            'admin',
          ),
        ),
    );
    expect(await problems()).toEqual([]);
    await changes;
    expect(await problems()).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { sql } from 'drizzle-orm';
import { migrations } from '../../../src/database/migrate.ts';
import { plain, statementOf } from '../../../src/database/statement.ts';
import { buildIndex } from '../../../src/repository/search-index/build-index.ts';
import { readIndexState, releaseIndex, takeIndex } from '../../../src/repository/search-index/index-state.ts';
import type { Lease } from '../../../src/runs/runs.ts';
import { createMedia } from '../../support/binaries.ts';
import { rejection } from '../../support/rejection.ts';
import { FORGET_INDEX } from '../../support/run-rows.ts';
import { DAMAGED_INDEX, type IndexRecord, indexedWith, indexRecord } from '../../support/search-index.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const NODES = 350;

let repository: TestRepository;
let subject: number;
let texted: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  const body = { vid: [{ target_id: 'subject' }], name: [{ value: 'Cartography' }] };
  const made = (await (await repository.post('/taxonomy/term?_format=json', body, 'admin')).json()) as EntityJson;
  subject = made.tid[0].value;
  const fields = { field_subject: [{ target_id: subject }] };
  for (let from = 0; from < NODES; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        repository.node({ title: [{ value: `Map ${from + index}` }], ...fields }),
      ),
    );
  texted = await repository.node({ title: [{ value: 'With text' }] });
  await createMedia(repository, {
    ...{ node: texted, type: 'extracted_text', use: 'http://pcdm.org/use#ExtractedText' },
    ...{ uri: 'public://atlas.txt', body: 'Isogonic lines', contentType: 'text/plain' },
  });
});
afterAll(async () => {
  await repository.stop();
});

const services = () => repository.running.services;
const database = () => services().database;
const indexed = (words: string) => indexedWith(database(), words);
const recordOf = (nid: number) => indexRecord(database(), services().model.search.facets, nid);
const state = () => readIndexState(database());
const run = (text: ReturnType<typeof sql>) => database().write([statementOf(plain(text))]);

/** Leaves the database as an earlier version has it: with content, without an index. */
async function forgetIndex(): Promise<void> {
  for (const table of ['search_text', 'node_record', 'search_title_word', 'extracted_text', 'search_pending'])
    await run(sql`DELETE FROM ${sql.identifier(table)}`);
  for (const each of FORGET_INDEX) await run(sql.raw(each));
}

const isComplete = async () => {
  const { version, building, isUnderWay } = await state();
  return version === services().search.model.version && building === null && !isUnderWay;
};
const build = (onProgress: (done: number) => void = () => {}, restarts = true) =>
  buildIndex(services(), {
    signal: new AbortController().signal,
    onProgress: ({ done }) => onProgress(done),
    restarts,
  });

describe('the start of a server', () => {
  it('does not build an index that is complete', async () => {
    expect(await isComplete()).toBe(true);
  });

  it('builds the index of an older database, and logs begin and end', async () => {
    const before = await recordOf(texted.nid[0].value);
    await forgetIndex();
    await repository.restart();
    await until(isComplete);
    expect(await indexed('cartography')).toHaveLength(NODES);
    expect(await indexed('isogonic lines')).toEqual([texted.nid[0].value]);
    const { sequence: _, harvestStamp, ...after } = (await recordOf(texted.nid[0].value)) as IndexRecord;
    expect(before).toMatchObject(after);
    // Harvesters learn when the node has changed, not when the index was built.
    expect(harvestStamp).toBe(after.changed);
    const messages = await until(() => {
      const found = repository.log.map(({ msg }) => String(msg)).filter((text) => /search index/.test(text));
      return found.length === 2 && found;
    });
    expect(messages).toEqual([expect.stringContaining('is built'), expect.stringContaining('is complete')]);
  });

  it('rebuilds an index of another version', async () => {
    await run(sql`UPDATE search_index SET version = '0.former'`);
    await run(sql`DELETE FROM search_text WHERE rowid = ${texted.nid[0].value}`);
    await repository.restart();
    await until(isComplete);
    expect(await indexed('isogonic')).toEqual([texted.nid[0].value]);
  });

  it('rebuilds an index that a migration has emptied', async () => {
    const emptied = migrations.find(({ name }) => name === '0023_search_without_delete_merges');
    await database().write(emptied?.statements.filter((each) => !each.includes('search_index')) ?? []);
    await run(sql`UPDATE run SET state = 'running', about = '{"version":""}' WHERE kind = 'index'`);
    expect(await indexed('cartography')).toEqual([]);
    await repository.restart();
    await until(isComplete);
    expect(await indexed('cartography')).toHaveLength(NODES);
  });

  it('continues a build whose process was killed', async () => {
    const { version } = services().search.model;
    const middle = texted.nid[0].value - 120;
    await run(sql`DELETE FROM search_text`);
    const dead = 'elsewhere-1-1/0';
    const progress = JSON.stringify({ position: middle, lastId: 100_000, done: 200, total: 351 });
    await run(sql`UPDATE run SET state = 'running', about = ${JSON.stringify({ version })}, progress = ${progress},
      lease = ${dead}, lease_until = unixepoch() - 1 WHERE kind = 'index'`);
    await repository.restart();
    await until(isComplete);
    // It did not begin again.
    expect(await indexed('cartography')).toHaveLength(119);
    await build();
    expect(await indexed('cartography')).toHaveLength(NODES);
  });
});

describe('an index build', () => {
  it('can be interrupted between two slices and resumed', async () => {
    const control = new AbortController();
    const seen: number[] = [];
    const reason = await rejection(
      buildIndex(services(), {
        signal: control.signal,
        restarts: true,
        onProgress({ done }) {
          seen.push(done);
          if (done >= 200) control.abort(new Error('interrupted'));
        },
      }),
    );
    expect(reason).toBe(control.signal.reason);
    expect(await state()).toMatchObject({ done: 200, total: NODES + 1, isUnderWay: false });
    const resumed: number[] = [];
    await build((done) => resumed.push(done), false);
    expect(resumed[0]).toBe(200);
    expect(resumed.at(-1)).toBe(NODES + 1);
    expect(await isComplete()).toBe(true);
  });

  it('is rejected while another process builds', async () => {
    const lease = await takeIndex(database());
    const error = await rejection(build());
    expect(error).toMatchObject({ kind: 'conflict', message: expect.stringContaining('by another process') });
    await releaseIndex(database(), lease as Lease);
    await build();
  });

  it('repairs damaged rows', async () => {
    const nid = texted.nid[0].value;
    await run(sql`DELETE FROM search_text WHERE rowid = ${nid}`);
    await run(sql`DELETE FROM extracted_text`);
    expect(await indexed('isogonic')).toEqual([]);
    await build();
    expect(await indexed('isogonic')).toEqual([nid]);
  });

  it('keeps concurrent writes and deletions', async () => {
    const [changed, removed] = [await repository.node(), await repository.node()];
    let work: Promise<unknown> | undefined;
    await build((done) => {
      if (done !== 100) return;
      const title = [{ value: 'Changed meanwhile' }];
      const type = [{ target_id: 'islandora_object' }];
      work = Promise.all([
        repository.patch(`/node/${changed.nid[0].value}?_format=json`, { type, title }, 'admin'),
        repository.delete(`/node/${removed.nid[0].value}?_format=json`, 'admin'),
        repository.node({ title: [{ value: 'Made meanwhile' }] }),
      ]);
    });
    await work;
    expect(await indexed('changed meanwhile')).toEqual([changed.nid[0].value]);
    expect(await indexed('made meanwhile')).toHaveLength(1);
    expect(await recordOf(removed.nid[0].value)).toMatchObject({ isDeleted: true });
  });

  it('skips an unreadable node, and reports it', async () => {
    const bad = await repository.node({ title: [{ value: 'Damaged' }] });
    const nid = bad.nid[0].value;
    await run(sql`UPDATE node SET document = '{' WHERE id = ${nid}`);
    await build();
    expect(await isComplete()).toBe(true);
    expect(repository.log.map(({ msg }) => msg)).toContain(`node ${nid} cannot be indexed`);
    await run(sql`DELETE FROM node WHERE id = ${nid}`);
  });
});

describe('a renamed term of many nodes', () => {
  it('is found immediately in some nodes, and soon in all', async () => {
    const body = { vid: [{ target_id: 'subject' }], name: [{ value: 'Topography' }] };
    expect((await repository.patch(`/taxonomy/term/${subject}?_format=json`, body, 'admin')).status).toBe(200);
    expect((await indexed('topography')).length).toBeGreaterThanOrEqual(200);
    await until(async () => (await indexed('topography')).length === NODES);
    expect(await indexed('cartography')).toEqual([]);
    await until(isComplete);
  });
});

it('a damaged index that prevents writes is emptied and rebuilt', async () => {
  const damaged = sql.raw(`x'${DAMAGED_INDEX}'`);
  await run(sql`UPDATE search_text_data SET block = ${damaged} WHERE id = 10`);
  await repository.restart();
  const title = [{ value: 'Written meanwhile' }];
  const body = { type: [{ target_id: 'islandora_object' }], title, field_model: texted.field_model };
  expect((await repository.post('/node?_format=json', body, 'admin')).status).toBe(500);
  await build();
  expect(await indexed('topography')).toHaveLength(NODES);
  expect((await repository.post('/node?_format=json', body, 'admin')).status).toBe(201);
  expect(await indexed('written meanwhile')).toHaveLength(1);
});

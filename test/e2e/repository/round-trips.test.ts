import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { type CountedSqld, startCountedSqld } from '../../support/counted-sqld.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let counted: CountedSqld;
let repository: TestRepository;

beforeAll(async () => {
  counted = await startCountedSqld();
  repository = await createTestRepository({ database: { ...DEFAULT_SERVER_CONFIG.database, url: counted.url } });
});
afterAll(async () => {
  await repository.stop();
  await counted.stop();
});

/** The round trips of a request after a similar one in the same process. */
async function costOf(ask: () => Promise<Response>, status: number): Promise<readonly string[][]> {
  await (await ask()).text();
  counted.forget();
  const response = await ask();
  await response.text();
  expect(response.status).toBe(status);
  return counted.requests;
}

describe('round trips to a database on a server', () => {
  it('are at most two for a node, and three for its page', async () => {
    for (const as of [undefined, 'admin']) {
      for (const format of ['json', 'jsonld', 'html']) {
        const [known, other] = [await repository.node(), await repository.node()].map(({ nid }) => nid[0].value);
        const get = (id: number) => repository.get(`/node/${id}?_format=${format}`, as);
        await (await get(known)).text();
        const nodes = [known, other];
        const fresh = await costOf(() => get(nodes.shift() as number), 200);
        // Members, collections and neighbours of a page share a third one.
        const most = format === 'html' ? 3 : 2;
        expect(fresh.length).toBeLessThanOrEqual(most);
        const again = await costOf(() => get(known), 200);
        expect(again.length).toBeLessThanOrEqual(most);
      }
    }
  });

  it('are at most three for a new node', async () => {
    await repository.node();
    counted.forget();
    await repository.node();
    expect(counted.requests.length).toBeLessThanOrEqual(3);
    expect(counted.requests.flat().filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  });

  it('are fewer than concurrent requests', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await repository.node()).nid[0].value));
    const getAll = () => Promise.all(ids.map(async (id) => (await repository.get(`/node/${id}?_format=json`)).text()));
    await getAll();
    counted.forget();
    await getAll();
    expect(counted.requests.length).toBeLessThan(ids.length);
  });

  it('return a list that is too long for one response of the server', async () => {
    const parent = (await repository.node()).nid[0].value;
    const fields = { field_member_of: [{ target_id: parent }], field_description: [{ value: 'x'.repeat(600_000) }] };
    await Promise.all(Array.from({ length: 20 }, () => repository.node(fields)));
    const response = await repository.get(`/node/${parent}/members?_format=json`, 'admin');
    expect(response.status).toBe(200);
    expect((await response.json()) as unknown[]).toHaveLength(20);
  });
});

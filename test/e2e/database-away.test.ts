import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let sqld: Sqld;
let repository: TestRepository;
let node: number;
let file: string;
beforeAll(async () => {
  sqld = await startSqld();
  repository = await createTestRepository({ database: { ...DEFAULT_SERVER_CONFIG.database, url: sqld.url } });
  node = (await repository.node()).nid[0].value;
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  const headers = { 'Content-Type': 'text/plain', 'Content-Location': 'public://a.txt' };
  expect((await repository.put(`/node/${node}/media/file/${use}`, 'text', headers, 'admin')).status).toBe(201);
  file = '/sites/default/files/a.txt';
});
afterAll(async () => {
  await repository.stop();
  await sqld.stop();
});

describe('a repository whose database is unavailable', () => {
  it('returns 503 with Retry-After to every request, logs no failure, and recovers', async () => {
    const title = { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Another title' }] };
    const requests: Record<string, () => Promise<Response>> = {
      node: () => repository.get(`/node/${node}?_format=json`, 'admin'),
      page: () => repository.get(`/node/${node}`),
      'linked data': () => repository.get(`/node/${node}?_format=jsonld`),
      list: () => repository.get(`/node/${node}/media?_format=json`, 'admin'),
      file: () => repository.get(file),
      'row of a file': () => repository.get('/entity/file/1?_format=json', 'admin'),
      'something else': () => repository.get('/somewhere'),
      // The first ones: their thread has not opened the database yet.
      search: () => repository.get('/search?_format=json&q=title'),
      'search page': () => repository.get('/search?q=title'),
      suggestions: () => repository.get('/search/suggest?q=tit'),
      'sign-in': () => repository.post('/user/login?_format=json', { name: 'admin', pass: 'wrong' }),
      'wrong password': () => repository.get(`/node/${node}?_format=json`, 'nobody'),
      change: () => repository.patch(`/node/${node}?_format=json`, title, 'admin'),
      removal: () => repository.delete(`/node/${node}?_format=json`, 'admin'),
    };
    await sqld.kill();
    const answers = await Promise.all(
      Object.entries(requests).map(async ([name, ask]) => {
        const { status, headers } = await ask();
        return [name, status, headers.get('retry-after')];
      }),
    );
    expect(answers).toEqual(Object.keys(requests).map((name) => [name, 503, '5']));
    expect(repository.failures()).toEqual([]);
    await sqld.restart();
    expect((await repository.get(file)).status).toBe(200);
  }, 30_000);
});

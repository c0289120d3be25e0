import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { addDescribedItems } from '../../support/described-items.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html' };
const SHARED = 'public, max-age=0, s-maxage=60';
const OWN = 'must-revalidate, no-cache, private';
const LISTS = ['/', '/collections', '/search', '/search?q=ferry', '/search?_format=json&q=ferry'];

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await addDescribedItems(repository.build);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = (path: string, as?: string, headers = {}) => repository.get(path, as, { ...BROWSER, ...headers });

describe('lists and searches', () => {
  it.each(LISTS)('may be kept for a minute by shared caches, for strangers: %s', async (path) => {
    const answer = await read(path);
    expect(answer.headers.get('Cache-Control')).toBe(SHARED);
    for (const name of ['Authorization', 'Cookie', 'Accept']) expect(answer.headers.get('Vary')).toContain(name);
    expect(answer.headers.has('Set-Cookie')).toBe(false);
  });

  it.each(LISTS)('are kept by nobody else for callers with credentials or a cookie: %s', async (path) => {
    expect((await read(path, 'admin')).headers.get('Cache-Control')).toBe(OWN);
    expect((await read(path, undefined, { Cookie: 'theme=dark' })).headers.get('Cache-Control')).toBe(OWN);
    expect((await read(path)).headers.get('Cache-Control')).toBe(SHARED);
  });

  it.each(LISTS)('are validated by their ETag: %s', async (path) => {
    const etag = (await read(path)).headers.get('ETag') ?? '';
    const again = await read(path, undefined, { 'If-None-Match': etag });
    expect({ status: again.status, caching: again.headers.get('Cache-Control') }).toEqual({
      status: 304,
      caching: SHARED,
    });
  });

  it('are kept with the redirect to their usual address', async () => {
    const moved = await repository.fetch('/search?page=0', { headers: BROWSER, redirect: 'manual' });
    expect(moved.status).toBe(301);
    expect(moved.headers.get('Cache-Control')).toBe(SHARED);
  });

  it('show a change at once', async () => {
    const total = async () =>
      ((await (await read('/search?_format=json&q=lighthouse')).json()) as { total: number }).total;
    const before = await total();
    await repository.build.node('image', 'A lighthouse');
    expect([before, await total()]).toEqual([0, 1]);
  });
});

describe('errors of lists', () => {
  it('are kept by nobody', async () => {
    const answer = await read('/search?sort=colour');
    expect({ status: answer.status, caching: answer.headers.get('Cache-Control') }).toEqual({
      status: 400,
      caching: OWN,
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Crawl, crawl } from '../../support/crawler.ts';
import { addDescribedItems } from '../../support/described-items.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html' };
/** The search addresses that a robot may find on a site of 40 items. */
const MOST_ADDRESSES = 500;

let repository: TestRepository;
let found: Crawl;

beforeAll(async () => {
  repository = await createTestRepository();
  await addDescribedItems(repository.build);
  found = await crawl({
    from: '/search',
    follows: (address) => address.startsWith('/search'),
    most: 2 * MOST_ADDRESSES,
    fetch: (path) => repository.fetch(path, { headers: BROWSER, redirect: 'manual' }),
  });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('a crawler that follows every link', () => {
  it('finds at most 500 search addresses on a site of 40 items', () => {
    expect(found.visited.length).toBeLessThanOrEqual(MOST_ADDRESSES);
    expect(found.visited.length).toBeGreaterThan(40);
  });

  it('meets no redirect and no error', () => {
    expect([...found.others]).toEqual([]);
  });
});

const goto = async (query: string) => {
  const response = await repository.fetch(`/search${query}`, { headers: BROWSER, redirect: 'manual' });
  return { status: response.status, location: response.headers.get('Location')?.replace(repository.url, '') };
};

describe('the address of a search page', () => {
  it.each([
    ['?q=', ''],
    ['?', undefined],
    ['?q=+ferry++quay+', '?q=ferry+quay'],
    ['?f.model=2&q=ferry', '?q=ferry&f.model=2'],
    ['?f.model=3&f.model=2', '?f.model=2&f.model=3'],
    ['?f.model=2&f.model=2', '?f.model=2'],
    ['?f.subject=2&f.model=2', '?f.model=2&f.subject=2'],
    ['?to=1950&from=1900', '?from=1900&to=1950'],
    ['?from=01900&to=', '?from=1900'],
    ['?q=ferry&page=0&size=20&view=list&sort=relevance', '?q=ferry'],
    ['?sort=newest', ''],
    ['?pages=separate', ''],
    ['?q=ferry&utm_source=mail', '?q=ferry'],
    ['?q=ferry&q=quay', '?q=ferry'],
    ['?_format=html&q=ferry', '?q=ferry&_format=html'],
  ])('%s redirects to the usual form', async (query, usual) => {
    if (usual === undefined) expect(await goto(query)).toEqual({ status: 200, location: undefined });
    else expect(await goto(query)).toEqual({ status: 301, location: `/search${usual}` });
    expect(await goto(usual ?? query)).toEqual({ status: 200, location: undefined });
  });

  it.each([
    '?q=two%20words',
    '?q=two+words',
    '?q=caf%c3%a9',
    '?q=ferry&f.model=2&f.subject=1&from=-50&sort=title&page=1',
  ])('%s is the usual form in its spelling', async (query) => {
    expect(await goto(query)).toEqual({ status: 200, location: undefined });
  });

  it('does not redirect programs', async () => {
    for (const format of ['json', 'csv']) expect((await goto(`?_format=${format}&page=0&q=ferry`)).status).toBe(200);
  });
});

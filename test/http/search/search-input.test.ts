import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type SearchAnswer, search, searchPath } from '../../support/search-call.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html' };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.node({ title: [{ value: 'Ferry "Anna" (1908): AND NOT near' }] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const JUNK = [
  '"',
  '""',
  '"ferry',
  '*',
  '-',
  '--ferry',
  '-ferry',
  'OR',
  'ferry OR',
  'AND',
  'NOT ferry',
  'NEAR(ferry anna, 2)',
  '(ferry',
  '^ferry',
  'title:',
  'title:title:ferry',
  'unknown:ferry',
  '{title subject}: ferry',
  "'; DROP TABLE node; --",
  'ferry\u0000anna',
  '\u0000',
  '\ud800',
  '%',
  '\\',
  '<script>alert(1)</script>',
  '🙂'.repeat(600),
  'a '.repeat(400),
  '"a" OR '.repeat(100),
  'date:',
  '9999999999..',
  '..',
  '1900..1800',
];

describe('typed search text', () => {
  it.each(JUNK)('never causes an error: %j', async (q) => {
    const response = await repository.get(searchPath({ q }));
    expect({ status: response.status, firstMember: Object.keys((await response.json()) as object)[0] }).toEqual({
      status: 200,
      firstMember: 'total',
    });
    const asked = await repository.get(`/search?${new URLSearchParams({ q })}`, undefined, BROWSER);
    const usual = asked.headers.get('Location')?.replace(repository.url, '');
    const page = usual === undefined ? asked : await repository.get(usual, undefined, BROWSER);
    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain('<script>alert');
  });

  it('may have 100 KB, of which the beginning is used', async () => {
    const q = `ferry ${'x'.repeat(100 * 1024)}`;
    expect((await repository.get(searchPath({ q: q.slice(0, 100_000) }))).status).toBe(200);
    const page = await repository.get(`/search?${new URLSearchParams({ q })}`, undefined, BROWSER);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html.length).toBeLessThan(60_000);
    expect(html).toContain('Only the first 1,000 characters');
    expect((await repository.get(searchPath({ q }, '/search/suggest'))).status).toBe(200);
  });

  it('is stripped of control characters', async () => {
    expect((await search(repository, { q: 'fer\u0000ry' })).total).toBe(0);
    expect((await search(repository, { q: 'ferry\u0000anna' })).total).toBe(1);
  });
});

describe('an invalid search parameter', () => {
  it.each([
    ['size=0', 'The query parameter "size" must be a number from 1 to 100, found "0".'],
    ['size=101', 'The query parameter "size" must be a number from 1 to 100, found "101".'],
    ['size=1.5', 'The query parameter "size" must be a number from 1 to 100, found "1.5".'],
    ['page=1e9', 'The query parameter "page" must be a number from 0 to 999999999, found "1e9".'],
    ['page=1000000000', 'The query parameter "page" must be a number from 0 to 999999999, found "1000000000".'],
    ['page=-1', 'The query parameter "page" must be a number from 0 to 999999999, found "-1".'],
    ['sort=best', 'The query parameter "sort" must be one of relevance, title, date, newest, found "best".'],
    ['view=map', 'The query parameter "view" must be one of list, grid, found "map".'],
    ['from=May', 'The query parameter "from" must be a number from -9999 to 9999, found "May".'],
    ['to=10000', 'The query parameter "to" must be a number from -9999 to 9999, found "10000".'],
    ['from=1930&to=1920', 'The year "from" (1930) must not be later than the year "to" (1920).'],
    ['f.colour=1', 'The query parameter "f.colour" names an unknown facet.'],
    ['f.__proto__=1', 'The query parameter "f.__proto__" names an unknown facet.'],
    ['more=colour', 'The query parameter "more" names an unknown facet.'],
    ['after=forged', 'The parameter "after" is not a position in this search.'],
    ['after=WzBd.AAAAAAAAAAAA', 'The parameter "after" is not a position in this search.'],
  ])('returns 400: %s', async (query, message) => {
    const response = await repository.get(`/search?${query}&_format=json`);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toStartWith(message);
    const page = await repository.get(`/search?${query}`, undefined, BROWSER);
    expect(page.status).toBe(400);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it('exceeds the limit of 30 filters', async () => {
    const many = (count: number) => ({ 'f.subject': Array.from({ length: count }, (_, at) => String(at)) });
    const response = await repository.get(searchPath(many(200)));
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: { message: 'A search must have at most 30 filters.' },
    });
    expect((await search(repository, many(30))).total).toBe(0);
  });

  it.each(['', 'no number', '-1', '9'.repeat(5_000), '\u0000', '1 OR 1=1', '{}'])(
    'does not include an unused value: %j',
    async (value) => {
      for (const name of ['subject', 'model', 'collection', 'decade', 'full_text', 'file_type', 'agent'])
        expect((await search(repository, { [`f.${name}`]: value })).total).toBe(value === '' ? 1 : 0);
    },
  );

  it('is ignored if its name is unknown or its value empty', async () => {
    const response = await repository.get('/search?q=ferry&unknown=1&size=&page=&from=&sort=&after=&_format=json');
    expect(((await response.json()) as SearchAnswer).total).toBe(1);
  });

  it('includes a position of another search', async () => {
    await repository.node({ title: [{ value: 'Another ferry' }] });
    const next = async (query: string) => {
      const response = await repository.get(`/search?${query}&_format=json`);
      return /[?&]after=([^&>]+)/.exec(response.headers.get('Link') ?? '')?.[1] ?? '';
    };
    const after = await next('q=ferry&size=1');
    expect(after).not.toBe('');
    expect((await repository.get(`/search?q=ferry&size=1&after=${after}&_format=json`)).status).toBe(200);
    expect((await repository.get(`/search?q=anna&size=1&after=${after}&_format=json`)).status).toBe(400);
    expect((await repository.get(`/search?q=ferry&size=1&after=${after}&_format=json`, 'admin')).status).toBe(400);
  });
});

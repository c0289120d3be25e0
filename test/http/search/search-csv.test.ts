import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { parse } from 'csv-parse/sync';
import { elementsOf } from '../../support/page.ts';
import { search } from '../../support/search-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BOATS = 1_201;

let repository: TestRepository;
let build: SiteBuilder;
let collection: number;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('reader');
  collection = await build.node('collection', 'Harbour, "old" and\nnew');
  await build.node('image', '=HYPERLINK("http://evil.example")', {
    field_member_of: [collection],
    field_edtf_date_created: ['-1999'],
  });
  await build.node('image', 'Größe 東京; "quoted", line', { field_member_of: [collection] });
  await build.node('image', 'Hidden wreck', { field_member_of: [collection], status: [false] });
  for (let number = 0; number < BOATS; number++) await build.node('document', `Boat ${number}`);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

type Row = Record<string, string>;

async function table(query: string, as?: string): Promise<{ response: Response; rows: Row[] }> {
  const response = await repository.get(`/search?${query}&_format=csv`, as);
  const text = await response.text();
  return { response, rows: response.status === 200 ? (parse(text, { columns: true }) as Row[]) : [] };
}

describe('the table of a search', () => {
  it('has the documented columns and is a file for download', async () => {
    const { response, rows } = await table('q=quoted');
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename=search-results.csv');
    expect([response.headers.get('X-Total-Count'), response.headers.has('X-Repo-Notice')]).toEqual(['1', false]);
    expect(rows).toEqual([
      {
        ...{ nid: expect.any(String), uuid: expect.any(String), title: 'Größe 東京; "quoted", line' },
        ...{ url: `${repository.url}/node/${rows[0]?.nid}`, type: 'islandora_object', model: 'Image' },
        ...{ date: '', member_of: expect.stringContaining('"old"'), thumbnail: '' },
      },
    ]);
  });

  it('has no cell that a spreadsheet computes', async () => {
    const { rows } = await table('q=hyperlink');
    expect(rows).toMatchObject([{ title: '\'=HYPERLINK("http://evil.example")', date: "'-1999" }]);
  });

  it('has all results in the order of the page, whatever the page', async () => {
    for (const query of ['q=boat&sort=title', 'q=boat', 'sort=date', 'q=boat&sort=newest&page=3&size=7&view=grid']) {
      const { rows, response } = await table(query);
      const parameters = Object.fromEntries(new URLSearchParams(query));
      const { items, total } = await search(repository, { ...parameters, page: '0', size: '100' });
      expect([query, rows.length, response.headers.get('X-Total-Count')]).toEqual([query, total, String(total)]);
      expect(rows.slice(0, 100).map(({ nid }) => Number(nid))).toEqual(items.map(({ nid }) => nid));
    }
  });

  it('has the filters of the search and what its caller may view', async () => {
    const titles = async (query: string, as?: string) =>
      (await table(query, as)).rows.map(({ title }) => title?.slice(0, 6)).sort();
    const shown = ["'=HYPE", 'Größe '];
    expect(await titles(`f.collection=${collection}`)).toEqual(shown);
    expect(await titles(`f.collection=${collection}`, 'reader')).toEqual(shown);
    expect(await titles(`f.collection=${collection}`, 'admin')).toEqual([...shown, 'Hidden']);
    expect(await titles('q=nothing+of+that+kind')).toEqual([]);
    expect((await table('f.unknown=1')).response.status).toBe(400);
    expect((await table('from=2000&to=1900')).response.status).toBe(400);
  });

  it('has its headers and no body for HEAD, and is chosen by Accept', async () => {
    const head = await repository.fetch('/search?q=boat&_format=csv', { method: 'HEAD' });
    expect([head.status, head.headers.get('X-Total-Count'), await head.text()]).toEqual([200, String(BOATS), '']);
    const accepted = await repository.get('/search?q=quoted', undefined, { Accept: 'text/csv' });
    expect([accepted.headers.get('Content-Type'), accepted.headers.get('Vary')]).toEqual([
      'text/csv; charset=utf-8',
      expect.stringContaining('Accept'),
    ]);
    await accepted.body?.cancel();
    const etag = accepted.headers.get('ETag') ?? '';
    const conditional = { Accept: 'text/csv', 'If-None-Match': etag };
    expect((await repository.get('/search?q=quoted', undefined, conditional)).status).toBe(304);
    await build.node('image', 'Another');
    expect((await repository.get('/search?q=quoted', undefined, conditional)).status).toBe(200);
  });

  it('ends with its client', async () => {
    const response = await repository.get('/search?q=boat&_format=csv');
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    expect((await table('q=quoted')).rows).toHaveLength(1);
  });

  it('is a button of the page of results, with its search and without its page', async () => {
    const html = await (await repository.get('/search?q=boat&sort=title&page=2&_format=html')).text();
    const fields = elementsOf(html, '#search-table [type=hidden]').map(({ attributes: { name, value } }) => [
      name,
      value,
    ]);
    expect(fields).toEqual([
      ['q', 'boat'],
      ['sort', 'title'],
      ['_format', 'csv'],
    ]);
    expect(elementsOf(html, '#search-table button').map(({ text }) => text)).toEqual(['Download as CSV']);
    expect(await (await repository.get('/search?q=nothingofthatkind&_format=html')).text()).not.toContain('as CSV');
  });
});

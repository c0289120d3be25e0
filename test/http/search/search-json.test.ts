import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { facet, linksIn, type SearchAnswer, search, searchPath } from '../../support/search-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const FERRIES = 23;

let repository: TestRepository;
let collection: number;
let subject: number;
let oldest: number;

beforeAll(async () => {
  repository = await createTestRepository();
  const build = new SiteBuilder(repository);
  subject = await build.term('subject', 'Steam ferries');
  collection = await build.node('collection', 'Waterfront');
  const inner = await build.node('collection', 'Boats', { field_member_of: [collection] });
  oldest = await build.node('image', 'The first <ferry> & its crew', {
    field_member_of: [inner],
    field_subject: [subject],
    field_edtf_date_created: ['1893-05'],
    field_description: ['A ferry at the "old" quay.'],
  });
  for (let number = 1; number < FERRIES; number++)
    await build.node('image', `Ferry ${String(number).padStart(2, '0')}`, {
      field_edtf_date_created: [number % 2 === 0 ? '1921' : '1934'],
    });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('the JSON of a search', () => {
  it('has exactly the documented properties', async () => {
    const answer = await search(repository, { q: 'crew' });
    expect(Object.keys(answer)).toEqual(['total', 'page', 'size', 'items', 'facets']);
    expect(answer).toMatchObject({ total: 1, page: 0, size: 20 });
    const [item] = answer.items;
    expect(Object.keys(item ?? {})).toEqual([
      ...['nid', 'uuid', 'title', 'url', 'type', 'model', 'thumbnail', 'date', 'snippet', 'pageCount', 'pages'],
    ]);
    expect(item).toMatchObject({
      nid: oldest,
      title: 'The first <ferry> & its crew',
      url: `${repository.url}/node/${oldest}`,
      type: 'islandora_object',
      model: 'Image',
      thumbnail: null,
      date: '1893-05',
    });
    for (const each of answer.facets) {
      expect(Object.keys(each)).toEqual(['name', 'label', 'values']);
      for (const value of each.values) expect(Object.keys(value)).toEqual(['value', 'label', 'count', 'url']);
    }
  });

  it('contains snippets as escaped HTML with marks', async () => {
    const { items } = await search(repository, { q: 'quay' });
    expect(items[0]?.snippet).toContain('&quot;old&quot; <mark>quay</mark>');
    const [titled] = (await search(repository, { q: 'crew' })).items;
    expect(titled?.snippet ?? '').not.toMatch(/<(?!\/?mark>)/);
  });

  it('counts the values of facets, with addresses that filter by them', async () => {
    const answer = await search(repository, { q: 'ferry' });
    expect(facet(answer, 'model')).toEqual({ Image: FERRIES });
    expect(facet(answer, 'subject')).toEqual({ 'Steam ferries': 1 });
    expect(facet(answer, 'collection')).toEqual({ Boats: 1, Waterfront: 1 });
    expect(facet(answer, 'decade')).toEqual({ '1890s': 1, '1920s': 11, '1930s': 11 });
    for (const { values } of answer.facets)
      for (const { url, count } of values) {
        expect(url).toStartWith(`${repository.url}/search?`);
        const filtered = (await (await fetch(url)).json()) as SearchAnswer;
        expect(filtered.total).toBe(count);
      }
  });

  it('finds what matches all filters and years', async () => {
    const filters = { 'f.subject': String(subject), 'f.collection': String(collection) };
    expect((await search(repository, filters)).total).toBe(1);
    expect((await search(repository, { q: 'ferry', from: '1920', to: '1929' })).total).toBe(11);
    expect((await search(repository, { q: 'ferry', 'f.decade': ['1920', '1930'] })).total).toBe(0);
    expect((await search(repository, { q: 'ferry', from: '1940' })).total).toBe(0);
  });

  it('finds everything without text', async () => {
    expect((await search(repository, {})).total).toBe(FERRIES + 2);
    expect((await search(repository, { q: '' })).total).toBe(FERRIES + 2);
  });

  it('sorts by title, by date and by age', async () => {
    const titles = async (sort: string) =>
      (await search(repository, { q: 'ferry', sort, size: '100' })).items.map(({ title }) => title);
    expect((await titles('title'))[0]).toBe('Ferry 01');
    expect((await titles('date'))[0]).toBe('The first <ferry> & its crew');
    expect((await titles('newest'))[0]).toBe(`Ferry ${FERRIES - 1}`);
  });
});

describe('the pages of a search', () => {
  it('contain each result once when following the links', async () => {
    const seen: number[] = [];
    const pages: number[] = [];
    let address: string | undefined = repository.url + searchPath({ q: 'ferry', size: '5', sort: 'title' });
    while (address !== undefined) {
      const response: Response = await fetch(address);
      const { items, page, total } = (await response.json()) as SearchAnswer;
      expect(total).toBe(FERRIES);
      seen.push(...items.map(({ nid }) => nid));
      pages.push(page);
      address = linksIn(response).next;
    }
    expect({ distinct: new Set(seen).size, total: seen.length, pages }).toEqual({
      distinct: FERRIES,
      total: FERRIES,
      pages: [0, 1, 2, 3, 4],
    });
  });

  it('are the same by number and by position', async () => {
    const first = await fetch(repository.url + searchPath({ q: 'ferry', size: '5', sort: 'date' }));
    const { next = '', last = '' } = linksIn(first);
    const byPosition = (await (await fetch(next)).json()) as SearchAnswer;
    const byNumber = await search(repository, { q: 'ferry', size: '5', sort: 'date', page: '1' });
    expect(byPosition.items).toEqual(byNumber.items);
    const end = (await (await fetch(last)).json()) as SearchAnswer;
    expect({ page: end.page, items: end.items.length }).toEqual({ page: 4, items: FERRIES % 5 });
  });

  it('have a first and a last page, and none before the first', async () => {
    const response = await fetch(repository.url + searchPath({ q: 'nothing like this' }));
    expect(Object.keys(linksIn(response))).toEqual(['first', 'last']);
    expect(await response.json()).toMatchObject({ total: 0, page: 0, size: 20, items: [] });
  });

  it('are empty after the last, with a link back', async () => {
    const response = await fetch(repository.url + searchPath({ q: 'ferry', page: '999999999' }));
    expect(await response.json()).toMatchObject({ total: FERRIES, page: 999_999_999, items: [] });
    const { prev = '', next } = linksIn(response);
    expect(next).toBeUndefined();
    expect(((await (await fetch(prev)).json()) as SearchAnswer).items.length).toBe(FERRIES - 20);
  });

  it('accept a position with their filters in any order', async () => {
    const query = (filters: string) => `/search?q=ferry&size=1&${filters}&_format=json`;
    const two = ['1921', '1934'].map((year) => `f.model=${year}`);
    const response = await repository.get(query(two.toReversed().join('&')));
    expect(response.status).toBe(200);
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    const filtered = await repository.get(query(`f.model=${model}&f.decade=1920`));
    expect((await fetch(linksIn(filtered).next ?? '')).status).toBe(200);
  });
});

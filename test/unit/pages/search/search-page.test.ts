import { describe, expect, it } from 'bun:test';
import { searchPage } from '../../../../src/pages/search/search-page.tsx';
import type { SearchData } from '../../../../src/representation/search/search-data.ts';
import type { SearchState } from '../../../../src/representation/search/search-state.ts';
import { elementsOf, PLAIN_THEME } from '../../../support/page.ts';
import { card, searchData } from '../../../support/search-data.ts';

const SITE = { siteName: 'Town Archive', baseUrl: 'https://repo.example/archive', theme: PLAIN_THEME, user: undefined };
const page = (changes: Partial<SearchData> = {}, state: Partial<SearchState> = {}) =>
  searchPage(searchData(changes, state), SITE).body;
const values = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ value: String(at), label: `Value ${at}`, count: 100 - at }));
const texts = (html: string, selector: string) => elementsOf(html, selector).map(({ text }) => text);
const hrefs = (html: string, selector: string) =>
  elementsOf(html, selector).map(({ attributes }) => attributes.href?.replace('/archive/search', ''));

const SOME = { hits: [{ card: card(), snippet: [], pages: [], pageCount: 0, parent: undefined }], total: 940 };
const MODEL = { name: 'model', label: 'Model', values: values(3) };

describe('the page of a search', () => {
  it('keeps text, filters and layout in the form, and is not indexed', () => {
    const html = page(SOME, { text: 'a "b" <c>', filters: { model: ['1'] }, view: 'grid', page: 3 });
    expect(elementsOf(html, '[type=search]').map(({ attributes }) => attributes.value)).toEqual(['a "b" <c>']);
    expect(
      elementsOf(html, '.find [type=hidden]').map(({ attributes }) => [attributes.name, attributes.value]),
    ).toEqual([
      ['f.model', '1'],
      ['view', 'grid'],
    ]);
    expect(elementsOf(html, 'meta[name=robots]')[0]?.attributes.content).toBe('noindex');
    expect(elementsOf(html, 'link[rel=canonical]')[0]?.attributes.href).toBe(
      'https://repo.example/archive/search?q=a+%22b%22+%3Cc%3E&f.model=1&view=grid&page=3',
    );
  });

  it.each([
    [0, {}, 'No items found'],
    [1, { text: 'x' }, '1 item'],
    [48_210, { text: 'x' }, '48,210 items'],
    [48_210, {}, 'All 48,210 items'],
    [48_210, { from: 1900 }, '48,210 items'],
  ])('states that there are %d items', (total, state, words) => {
    expect(texts(page({ ...SOME, total }, state), 'h1')).toEqual([words]);
  });

  it('marks only the matching words in a snippet', () => {
    const snippet = [
      { text: '<b>the ', isMark: false },
      { text: 'ferry', isMark: true },
      { text: '</mark>', isMark: false },
    ];
    const html = page({ hits: [{ card: card(), snippet, pages: [], pageCount: 0, parent: undefined }], total: 1 });
    expect(texts(html, '.snippet')).toEqual(['<b>the ferry</mark>']);
    expect(texts(html, '.snippet mark')).toEqual(['ferry']);
    expect(elementsOf(html, '.snippet b')).toEqual([]);
  });

  it('names the parent of a result', () => {
    const parent = { id: 9, label: 'Annual <report>', language: 'en' };
    const html = page({
      hits: [{ card: card({ label: 'Page 1', date: undefined }), snippet: [], pages: [], pageCount: 0, parent }],
    });
    expect(texts(html, '.hit .card-note')).toEqual(['Image · part of Annual <report>']);
    expect(elementsOf(html, '.card-note a')[0]?.attributes.href).toBe('/archive/node/9');
  });

  it('states the language of a title, and sets its direction automatically', () => {
    const hits = [
      {
        card: card({ label: 'תצלום של הנמל', language: 'he' }),
        snippet: [],
        pages: [],
        pageCount: 0,
        parent: undefined,
      },
    ];
    expect(elementsOf(page({ hits }), '.hit a')[0]?.attributes).toMatchObject({ dir: 'auto', lang: 'he' });
  });

  it('shows filters as links that remove one or all of them', () => {
    const chosen = [{ name: 'model', facet: 'Model', value: '1', label: 'Value 1' }];
    const state = { text: 'x', filters: { model: ['1'] }, from: 1900, page: 2 };
    const html = page({ ...SOME, chosen }, state);
    expect(texts(html, '.chip')).toEqual(['Remove the filter Model: Value 1', 'Remove the filter Years: from 1900']);
    expect(hrefs(html, '.chosen a')).toEqual(['?q=x&from=1900', '?q=x&f.model=1', '?q=x']);
    expect(elementsOf(page(SOME, { text: 'x' }), '.chosen')).toEqual([]);
  });

  it('adds a value of a facet to the filters, and removes a chosen one', () => {
    const html = page({ ...SOME, facets: [MODEL] }, { text: 'x', filters: { model: ['1'] }, page: 2 });
    expect(texts(html, '.facet li')).toEqual(['Value 0100', 'Remove the filter Value 199', 'Value 298']);
    expect(hrefs(html, '.facet li a')).toEqual(['?q=x&f.model=0&f.model=1', '?q=x', '?q=x&f.model=1&f.model=2']);
    expect(texts(html, '.narrow summary')).toEqual(['Narrow the results (1 chosen)']);
  });

  it('shows the first and the chosen values of a long facet, and links to all', () => {
    const facets = [{ ...MODEL, values: values(20) }];
    const html = page({ ...SOME, facets }, { filters: { model: ['15'] } });
    expect(elementsOf(html, '.facet li').length).toBe(7);
    expect(elementsOf(html, '.facet-more').map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({
        ...{ form: 'search-narrow', formaction: '/archive/search#facet-model', name: 'more', value: 'model' },
      }),
    ]);
    const whole = page({ ...SOME, facets }, { filters: { model: ['15'] }, more: 'model' });
    expect(elementsOf(whole, '.facet li').length).toBe(20);
    expect(hrefs(whole, '.facet-more')).toEqual(['?f.model=15#facet-model']);
    expect(elementsOf(whole, '.narrow[open]').length).toBe(1);
  });

  it('chooses a third filter, the second of few results, and one of all results by buttons', () => {
    const facets = [
      { name: 'model', label: 'Model', values: [...values(2), { value: '9', label: 'All', count: 940 }] },
    ];
    const linked = (changes: object, state: Partial<SearchState>) =>
      ['a', 'button'].map((kind) => texts(page({ ...SOME, facets, ...changes }, state), `.facet li ${kind}`));
    const one = { filters: { genre: ['1'] } };
    expect(linked({}, {})).toEqual([['Value 0', 'Value 1'], ['All']]);
    expect(linked({}, one)).toEqual([['Value 0', 'Value 1'], ['All']]);
    expect(linked({ total: 20 }, one)).toEqual([[], ['Value 0', 'Value 1', 'All']]);
    expect(linked({}, { filters: { genre: ['1', '2'] } })).toEqual([[], ['Value 0', 'Value 1', 'All']]);
    expect(linked({}, { ...one, from: 1900 })).toEqual([[], ['Value 0', 'Value 1', 'All']]);
    const decades = [{ decade: 1890, count: 3 }];
    const years = { facets: [{ name: 'decade', label: 'Period', values: [] }], decades, decadeFacet: 'decade' };
    expect(texts(page({ ...SOME, ...years }, { ...one, from: 1900 }), '.decades a, .decades g')).toEqual([
      '1890s: 3 items',
    ]);
    expect(elementsOf(page({ ...SOME, ...years }, { ...one, from: 1900 }), '.decades a')).toEqual([]);
  });

  it('keeps the search in its forms, apart from what their buttons choose', () => {
    const html = page(SOME, { text: 'x', filters: { model: ['1'] }, sort: 'title', view: 'grid', page: 3 });
    const kept = (form: string) =>
      elementsOf(html, `${form} [type=hidden]`).map(({ attributes: { name, value } }) => `${name}=${value}`);
    expect(kept('#search-narrow')).toEqual(['q=x', 'f.model=1', 'sort=title', 'view=grid']);
    expect(kept('#search-sort')).toEqual(['q=x', 'f.model=1', 'view=grid']);
    expect(kept('#search-view')).toEqual(['q=x', 'f.model=1', 'sort=title', 'page=3']);
    expect(kept('#search-table')).toEqual(['q=x', 'f.model=1', 'sort=title', '_format=csv']);
  });

  it("shows decades as bars that link to their years, in their facet's place", () => {
    const decades = [
      { decade: 1890, count: 3 },
      { decade: 1920, count: 1 },
    ];
    const facets = [{ name: 'decade', label: 'Period', values: values(2) }, MODEL];
    const html = page({ ...SOME, facets, decades, decadeFacet: 'decade' }, { text: 'x' });
    expect(texts(html, '.facet h2')).toEqual(['Period', 'Model']);
    expect(texts(html, '.decades a')).toEqual(['1890s: 3 items', '1920s: 1 item']);
    expect(hrefs(html, '.decades a')).toEqual(['?q=x&from=1890&to=1899', '?q=x&from=1920&to=1929']);
    expect(elementsOf(html, '.years input').map(({ attributes }) => attributes.name)).toEqual(['q', 'from', 'to']);
  });

  it('offers no relevance without words, and sorts by newest', () => {
    const current = (html: string) => texts(html, '.choices [aria-current]');
    expect(current(page(SOME, { text: 'x' }))).toEqual(['Relevance', 'List']);
    expect(current(page(SOME))).toEqual(['Newest', 'List']);
    expect(texts(page(SOME), '.choices button')).toEqual(['Title', 'Date', 'Newest', 'List', 'Grid']);
  });

  it('suggests what to try if there are no results', () => {
    const state = { text: 'habour', filters: { model: ['1'] } };
    const html = page({ suggestion: 'harbour' }, state);
    expect(texts(html, '.did-you-mean')).toEqual(['Did you mean harbour?']);
    expect(hrefs(html, '.did-you-mean a')).toEqual(['?q=harbour&f.model=1']);
    expect(hrefs(html, '.advice li a')).toEqual(['?q=habour', '']);
    expect(elementsOf(html, '.facet, .choices, .pager')).toEqual([]);
  });

  it('reports an empty repository or an unfinished index', () => {
    expect(texts(page(), '.empty')).toEqual(['This repository has no public items yet.']);
    const html = page({ isBuilding: { done: 0, total: 48_210 } });
    expect(texts(html, '.empty')[0]).toContain('No item is in the index yet');
    expect(texts(html, '[role=status]')[0]).toContain('0 of 48,210 items');
  });

  it('reports the ignored parts of a search', () => {
    expect(texts(page({ ...SOME, ignored: ['Only <5> words.'] }), '.notice')).toEqual(['Only <5> words.']);
  });

  it('links back from a page beyond the last one', () => {
    const html = page({ total: 45, pages: 3 }, { text: 'x', page: 900 });
    expect(texts(html, '.empty a')).toEqual(['Go to page 3']);
    expect(hrefs(html, '.empty a')).toEqual(['?q=x&page=2']);
    expect(hrefs(html, '.pager [rel=prev]')).toEqual(['?q=x&page=2']);
  });

  it('links to the pages before and after a position', () => {
    const html = page({ ...SOME, next: 'def' }, { page: 7, after: 'abc' });
    expect(hrefs(html, '.pager a')).toEqual(['', '?page=7&after=abc', '?page=8&after=def']);
  });

  it('stays small with long facets, long titles and a long query', () => {
    const label =
      'A title that says much about what can be seen in the picture, and where it was taken, by whom and why';
    const hits = Array.from({ length: 20 }, (_, at) => ({
      card: card({ id: at + 1, label }),
      snippet: [{ text: label, isMark: false }],
      pages: [],
      pageCount: 0,
      parent: undefined,
    }));
    const facets = Array.from({ length: 11 }, (_, at) => ({ name: `facet${at}`, label: 'Facet', values: values(50) }));
    expect(page({ hits, facets, total: 1_000 }, { text: 'harbour ferry' }).length).toBeLessThan(30 * 1024);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createIiifSite, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { facet, linksIn, type SearchAnswer, search as searchIn, searchPath } from '../../support/search-call.ts';
import { hocrOf, searchedPage } from '../../support/searched-book.ts';
import { createTestRepository, type EntityJson } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html' };

let site: IiifSite;
let collection: EntityJson;
let logbook: EntityJson;
let pages: EntityJson[];

/** Creates a page with recognized text. */
const pageOf = async (text: string, parents: readonly EntityJson[], fields: object = {}): Promise<EntityJson> =>
  (await searchedPage(site, hocrOf(text), { parents, fields })).node;
const search = (query: Parameters<typeof searchIn>[1], as?: string) => searchIn(site.repository, query, as);
const titles = ({ items }: SearchAnswer) => items.map(({ title }) => title);

beforeAll(async () => {
  site = await createIiifSite();
  collection = await site.item('collection', [], { title: ['Ships'] });
  logbook = await site.item('book', [collection], {
    title: ['Logbook of the Halcyon'],
    field_edtf_date_created: ['1887'],
    field_rights: ['http://rightsstatements.org/vocab/NoC-US/1.0/'],
  });
  const texts = ['anchor and tide', 'calm tide', 'the anchor, the tide, the anchor', 'gale', 'tide again'];
  pages = [];
  for (const [at, text] of texts.entries())
    pages.push(await pageOf(text, [logbook], { title: [`Leaf ${at + 1}`], field_weight: [at + 1] }));
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

describe('the pages of a book that match', () => {
  it('are one result with their book, each with its text and a link to the reader', async () => {
    const answer = await search({ q: 'anchor' });
    const { url } = site.repository;
    expect(answer).toMatchObject({ total: 1, page: 0 });
    const [book] = answer.items;
    expect(book).toMatchObject({ nid: idOf(logbook), title: 'Logbook of the Halcyon', pageCount: 2 });
    expect(new Set(book?.pages.map(({ title }) => title))).toEqual(new Set(['Leaf 1', 'Leaf 3']));
    const first = book?.pages.find(({ title }) => title === 'Leaf 1');
    const id = idOf(pages[0] ?? {});
    expect(first).toEqual({
      nid: id,
      title: 'Leaf 1',
      url: `${url}/node/${id}`,
      reader: `${url}/node/${idOf(logbook)}/search?q=anchor&at=${id}`,
      snippet: '<mark>anchor</mark> and tide',
    });
    expect(book?.snippet).toBe(book?.pages[0]?.snippet);
  });

  it('are the best ones, and counted', async () => {
    const [book] = (await search({ q: 'tide' })).items;
    expect(book?.pageCount).toBe(4);
    expect(book?.pages).toHaveLength(3);
  });

  it('are one result with a book whose title matches', async () => {
    const answer = await search({ q: 'halcyon OR anchor' });
    expect(answer.total).toBe(1);
    expect(answer.items[0]?.pageCount).toBe(2);
    expect(new URL(answer.items[0]?.pages[0]?.reader ?? '').searchParams.get('q')).toBe('anchor');
  });

  it('are linked by their own address if their text has none of the words', async () => {
    const [book] = (await search({ q: 'title:leaf gale' })).items;
    expect(book?.pages).toMatchObject([{ title: 'Leaf 4', reader: expect.stringContaining('?q=gale&at=') }]);
    const [titled] = (await search({ q: 'title:"leaf 4"' })).items;
    expect(titled?.pages).toMatchObject([{ title: 'Leaf 4', reader: null }]);
  });

  it('have the values and years of their book beside their own, and the facets count each result once', async () => {
    const answer = await search({ q: 'tide' });
    expect(facet(answer, 'model')).toEqual({ 'Paged Content': 1, Page: 1 });
    expect(facet(answer, 'collection')).toEqual({ Ships: 1 });
    expect(facet(answer, 'decade')).toEqual({ '1880s': 1 });
    for (const { values } of answer.facets)
      for (const { url, count } of values) {
        const filtered = await (await fetch(url)).json();
        expect([url, filtered.total]).toEqual([url, count]);
        expect(filtered.items[0].pageCount).toBe(4);
      }
    expect((await search({ q: 'tide', from: '1880', to: '1889' })).total).toBe(1);
    expect((await search({ q: 'tide', from: '1890' })).total).toBe(0);
    expect((await search({ q: 'tide', 'f.collection': String(idOf(logbook)) })).total).toBe(1);
  });

  it('are results of their own if the search asks for it, and without words', async () => {
    const answer = await search({ q: 'tide', pages: 'separate' });
    expect(answer.total).toBe(4);
    expect(titles(answer)).toContain('Leaf 2');
    expect(facet(answer, 'model')).toEqual({ Page: 4 });
    expect(answer.facets[0]?.values[0]?.url).toContain('pages=separate');
    expect((await search({ 'f.collection': String(idOf(logbook)) })).total).toBe(5);
    expect((await site.repository.get(searchPath({ pages: 'none' }))).status).toBe(400);
  });

  it('leave out what the words exclude', async () => {
    const [book] = (await search({ q: 'tide -anchor' })).items;
    expect(book?.pageCount).toBe(2);
  });
});

describe('a page', () => {
  it('without a book is a result of its own', async () => {
    const single = await pageOf('solitary jetsam', [], { title: ['A loose leaf'] });
    expect((await search({ q: 'jetsam' })).items).toMatchObject([{ nid: idOf(single), pages: [], pageCount: 0 }]);
  });

  it('of two books is shown with both', async () => {
    const books = [await site.item('book', [], { title: ['One'] }), await site.item('book', [], { title: ['Other'] })];
    await pageOf('shared flotsam', books);
    for (const sort of ['relevance', 'title', 'newest', 'date'])
      expect(titles(await search({ q: 'flotsam', sort })).sort()).toEqual(['One', 'Other']);
    expect(facet(await search({ q: 'flotsam' }), 'model')).toEqual({ 'Paged Content': 2, Page: 2 });
  });

  it('of an issue of a newspaper is shown with the issue', async () => {
    const newspaper = await site.item('newspaper', [], { title: ['The Beacon'] });
    const issue = await site.item('issue', [newspaper], { title: ['The Beacon, 4 May'] });
    await pageOf('a stranded whale', [issue]);
    const answer = await search({ q: 'whale' });
    expect(titles(answer)).toEqual(['The Beacon, 4 May']);
    expect((await search({ q: 'whale', 'f.collection': String(idOf(newspaper)) })).total).toBe(1);
  });

  it('of a volume is shown with the volume, which is a result beside the set', async () => {
    const set = await site.item('book', [], { title: ['Voyages, a set'] });
    const volume = await site.item('book', [set], { title: ['Voyages, volume 1'] });
    await pageOf('voyages of old', [volume]);
    expect(titles(await search({ q: 'voyages' })).sort()).toEqual(['Voyages, a set', 'Voyages, volume 1']);
  });

  it('of an unpublished book is a result of its own for strangers, without a trace of the book', async () => {
    const book = await site.item('book', [], { title: ['Hidden almanac'], status: [{ value: false }] });
    const page = await pageOf('ambergris', [book]);
    const answer = await search({ q: 'ambergris' });
    expect(answer.items).toMatchObject([{ nid: idOf(page), pages: [] }]);
    expect(JSON.stringify(answer)).not.toContain('almanac');
    const html = await (await site.repository.get('/search?q=ambergris', undefined, BROWSER)).text();
    expect(html).not.toContain('almanac');
    expect(titles(await search({ q: 'ambergris' }, 'admin'))).toEqual(['Hidden almanac']);
  });

  it('that is unpublished is neither shown nor counted for strangers', async () => {
    const book = await site.item('book', [], { title: ['A cruise'] });
    await pageOf('scrimshaw seen', [book]);
    await pageOf('scrimshaw hidden', [book], { status: [{ value: false }] });
    expect((await search({ q: 'scrimshaw' })).items).toMatchObject([{ pageCount: 1, pages: [expect.anything()] }]);
    expect((await search({ q: 'scrimshaw' }, 'admin')).items).toMatchObject([{ pageCount: 2 }]);
    expect((await search({ q: 'hidden scrimshaw' })).total).toBe(0);
  });

  it('is a result of its own as soon as its parent is no book', async () => {
    const parent = await site.item('book', [], { title: ['A folder'] });
    await pageOf('bowsprit', [parent], { title: ['Its leaf'] });
    expect(titles(await search({ q: 'bowsprit' }))).toEqual(['A folder']);
    const image = await site.item('image');
    const body = { type: parent.type, field_model: image.field_model };
    expect((await site.repository.patch(`/node/${idOf(parent)}?_format=json`, body, 'admin')).status).toBe(200);
    expect(titles(await search({ q: 'bowsprit' }))).toEqual(['Its leaf']);
  });
});

describe('a site without a facet of collections', () => {
  it('shows pages with their book, too', async () => {
    const model = 'search: { facets: [{ name: kind, label: Kind, kind: bundle }] }';
    const repository = await createTestRepository({}, { model });
    const { build } = repository;
    const book = await build.node('book', 'A ledger');
    const page = await build.node('page', 'Verso', { field_member_of: [book] });
    const answer = await searchIn(repository, { q: 'verso' });
    expect(answer.items).toMatchObject([{ nid: book, pages: [{ nid: page }] }]);
    expect(answer.facets).toMatchObject([{ name: 'kind', values: [{ count: 1 }] }]);
    await repository.stop();
  });
});

describe('the pages of a result', () => {
  it('have each book and item once, in every order', async () => {
    for (const [at, title] of ['Delta', 'Alpha', 'Charlie', 'Bravo'].entries()) {
      const book = await site.item('book', [], { title: [title], field_edtf_date_created: [`19${at}0`] });
      for (let leaf = 0; leaf < 3; leaf++) await pageOf('a rare narwhal', [book]);
    }
    await site.item('image', [], { title: ['Echo narwhal'] });
    const orders = { relevance: undefined, title: 'Alpha', date: 'Delta', newest: 'Echo narwhal' };
    for (const [sort, first] of Object.entries(orders)) {
      const seen: string[] = [];
      let next: string | undefined = site.repository.url + searchPath({ q: 'narwhal', sort, size: '2' });
      while (next !== undefined) {
        const response: Response = await fetch(next);
        const answer = (await response.json()) as SearchAnswer;
        expect(answer.total).toBe(5);
        seen.push(...titles(answer));
        next = linksIn(response).next;
      }
      expect(seen.toSorted()).toEqual(['Alpha', 'Bravo', 'Charlie', 'Delta', 'Echo narwhal']);
      if (first !== undefined) expect(seen[0]).toBe(first);
      expect(titles(await search({ q: 'narwhal', sort, size: '2', page: '1' }))).toEqual(seen.slice(2, 4));
    }
  });
});

describe('the page of results', () => {
  it('links the pages of a book to the reader, with all of them behind the last', async () => {
    const html = await (await site.repository.get('/search?q=tide', undefined, BROWSER)).text();
    const at = idOf(pages[1] ?? {});
    const path = `/node/${idOf(logbook)}/search?q=tide`;
    expect(html).toContain('<h1>1 item</h1>');
    expect(html.match(new RegExp(`href="${path.replace('?', '\\?')}&amp;at=\\d+"`, 'g'))).toHaveLength(3);
    expect(html).toMatch(new RegExp(`href="${path.replace('?', '\\?')}"[^>]*>4 pages in all</a>`));
    const reader = await (await site.repository.get(`${path}&at=${at}`, undefined, BROWSER)).text();
    expect(reader).toContain(`data-at="${at}"`);
    expect(reader).toContain('data-query="tide"');
    expect(reader).toMatch(new RegExp(`<a href="/node/${at}" aria-current="true"`));
    expect(reader).toMatch(/<li aria-current="true"><h2>.*?Leaf 2/);
  });

  it('never shows an address as the text of a result', async () => {
    for (const q of ['halcyon', 'rightsstatements', 'vocab']) {
      const { items } = await search({ q });
      expect(items.map(({ snippet }) => snippet ?? '').join()).not.toContain('rightsstatements');
    }
  });
});

describe('the reader of a book at a page', () => {
  it('has the part of the list with that page, without script, too', async () => {
    const book = await site.item('book', [], { title: ['A long one'] });
    const leaves: EntityJson[] = [];
    for (let at = 1; at <= 25; at++)
      leaves.push(await pageOf('capstan', [book], { title: [`Sheet ${at}`], field_weight: [at] }));
    const last = idOf(leaves.at(-1) ?? {});
    const html = await (
      await site.repository.get(`/node/${idOf(book)}/search?q=capstan&at=${last}`, undefined, BROWSER)
    ).text();
    expect(html).toContain('25 to 25 of 25.');
    expect(html).toContain('data-result-page="1"');
    expect(html).toMatch(/<li aria-current="true"><h2>.*?Sheet 25/);
  });

  it('ignores a page of another book, and refuses what is no id', async () => {
    const path = `/node/${idOf(logbook)}/search?q=tide`;
    const other = await site.repository.get(`${path}&at=${idOf(collection)}`, undefined, BROWSER);
    expect(other.status).toBe(200);
    expect(await other.text()).not.toContain('data-at');
    expect((await site.repository.get(`${path}&at=first`, undefined, BROWSER)).status).toBe(400);
  });
});

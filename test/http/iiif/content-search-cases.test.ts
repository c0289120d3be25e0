import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createIiifSite, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { hocrOf, pageOf, searchAddress, searchedPage, searchWithin } from '../../support/searched-book.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
let book: EntityJson;
beforeAll(async () => {
  site = await createIiifSite();
  await site.repository.user('reader');
  book = await site.item('book', [], { title: ['Annual report'] });
  await searchedPage(site, hocrOf('the keeper of the light'), { parents: [book] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

const search = (q: string, as?: string, node = book) => searchWithin(site, node, q, as);

describe('access to the content search', () => {
  it('depends on each page and its media', async () => {
    const mixed = await site.item('book');
    const make = (at: number, fields = {}) =>
      searchedPage(site, hocrOf('secret words'), { parents: [mixed], fields: { field_weight: [at + 1], ...fields } });
    const open = await make(0);
    await make(1, { status: [{ value: false }] });
    const { hocr } = await make(2);
    const hide = await site.repository.patch(
      `/media/${hocr}?_format=json`,
      { bundle: [{ target_id: 'file' }], status: [{ value: false }] },
      'admin',
    );
    expect(hide.status).toBe(200);
    const nodes = ({ items }: EntityJson) => items.map(({ target }: EntityJson) => /node\/(\d+)/.exec(target)?.[1]);
    for (const as of [undefined, 'reader'])
      expect(nodes(await search('secret', as, mixed))).toEqual([String(idOf(open.node))]);
    // The text of an unpublished media is not indexed.
    expect(nodes(await search('secret', 'admin', mixed))).toHaveLength(2);
  });

  it('requires the right to view the node', async () => {
    const hidden = await site.item('book', [], { status: [{ value: false }] });
    for (const path of [searchAddress(hidden, 'q=a'), `/paged-content-search/${idOf(hidden)}?q=a`]) {
      expect((await site.repository.get(path)).status).toBe(401);
      expect((await site.repository.get(path, 'reader')).status).toBe(403);
      expect((await site.repository.get(path, 'admin')).status).toBe(200);
    }
  });
});

describe('an invalid content search', () => {
  it('returns the reason', async () => {
    const collection = await site.item('collection');
    const cases = [
      ['/node/99999/iiif/search?q=a', 404, 'Node 99999 does not exist.'],
      ['/paged-content-search/99999?q=a', 404, 'Node 99999 does not exist.'],
      [searchAddress(collection, 'q=a'), 404, expect.stringContaining('is a collection')],
      [searchAddress(book, 'q=keeper&page=7'), 404, 'The result has no page 7. The first page is 0.'],
      [searchAddress(book, 'q=keeper&page=-1'), 400, expect.stringContaining('"page" must be a number')],
      [
        searchAddress(book, `q=${'a'.repeat(100_000)}`),
        400,
        'A query has at most 1000 characters. This one has 100000.',
      ],
    ] as const;
    for (const [path, status, message] of cases) {
      const response = await site.repository.get(path);
      expect({
        path: path.slice(0, 80),
        status: response.status,
        message: ((await response.json()) as EntityJson).message,
      }).toEqual({ path: path.slice(0, 80), status, message });
    }
  });

  it.each([
    'a"b" OR (c',
    'NEAR(a b, 3)',
    'fulltext:keeper AND NOT',
    '"unbalanced keeper',
    "'; DROP TABLE node; --",
    'keeper\0x',
    '^keeper + -x',
    '{}[]()*&|\\',
    '\ud800',
    '😀 🏴',
    'ก็ ័ ာ',
  ])('does not include the query %j', async (query) => {
    const response = await site.repository.get(searchAddress(book, `${new URLSearchParams({ q: query })}`));
    expect(response.status).toBe(200);
  });

  it('skips invalid hOCR', async () => {
    const broken = await site.item('book');
    for (const hocr of [
      'no hOCR: anchor',
      '<div class="ocr_page"><span class="ocr_line" title="bbox 9 9 1 1">anchor</span></div>',
      pageOf(`${'<b>'.repeat(600)}anchor`),
    ])
      await searchedPage(site, hocr, { parents: [broken] });
    await searchedPage(site, hocrOf('weigh anchor'), { parents: [broken] });
    expect((await search('anchor', undefined, broken)).items).toHaveLength(1);
  });
});

describe('a result of many pages', () => {
  it('contains each canvas once', async () => {
    const long = await site.item('book');
    for (let at = 0; at < 45; at++)
      await searchedPage(site, hocrOf(`tide ${at} tide`), { parents: [long], fields: { field_weight: [at + 1] } });
    const seen: string[] = [];
    const { url } = site.repository;
    let answer = await search('tide', undefined, long);
    expect(answer.partOf).toEqual({
      id: `${url}${searchAddress(long, 'q=tide')}`,
      type: 'AnnotationCollection',
      first: { id: `${url}${searchAddress(long, 'q=tide&page=0')}`, type: 'AnnotationPage' },
      last: { id: `${url}${searchAddress(long, 'q=tide&page=2')}`, type: 'AnnotationPage' },
    });
    expect(answer.prev).toBeUndefined();
    for (;;) {
      seen.push(...answer.items.map(({ target }: EntityJson) => target));
      if (answer.next === undefined) break;
      const previous = answer.id;
      answer = await site.read(answer.next.id.slice(url.length));
      expect(answer.prev.id).toBe(previous);
    }
    expect(new Set(seen).size).toBe(90);
    expect((await site.read(`/paged-content-search/${idOf(long)}?q=tide`)).next).toEndWith('q=tide&page=1');
  });
});

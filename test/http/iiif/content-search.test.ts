import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { createIiifSite, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { expectValid } from '../../support/presentation-schema.ts';
import { hocrOf, pageOf, searchAddress, searchedPage, searchWithin } from '../../support/searched-book.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
let book: EntityJson;
let pages: Awaited<ReturnType<typeof searchedPage>>[];
beforeAll(async () => {
  site = await createIiifSite();
  await site.repository.user('reader');
  book = await site.item('book', [], { title: ['Annual report'] });
  const texts = [
    hocrOf('The harbour master, and the', 'keeper of the Light-house'),
    hocrOf('Die Öffnung des Hafens', 'Łódź 東 京 都 harbours'),
    hocrOf('nothing of interest', 'the last keeper'),
  ];
  pages = [];
  for (const [at, text] of texts.entries())
    pages.push(
      await searchedPage(site, text, {
        parents: [book],
        fields: { field_weight: [at + 1], title: [`Page ${at + 1}`] },
      }),
    );
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

const search = (q: string, as?: string, node = book) => searchWithin(site, node, q, as);
/** The places in an answer: the text, the number of the page, and the rectangle. */
const places = (answer: EntityJson) =>
  answer.items.map(({ body, target }: EntityJson) => {
    const [, node, image, rectangle] = /node\/(\d+)\/canvas\/(\d+)#xywh=(.*)$/.exec(target) ?? [];
    const at = pages.findIndex((page) => idOf(page.node) === Number(node) && page.image === Number(image));
    return `${body.value} ${at + 1} ${rectangle}`;
  });

/** Adds a picture and recognized text to an item. */
async function recognize(node: EntityJson, text: string): Promise<void> {
  await site.put(node, 'png', pngHead(1000, 2000));
  await site.put(node, 'hocr', hocrOf(text), 'hocr');
}
const words = ({ items }: EntityJson) => items.map(({ body }: EntityJson) => body.value);

describe('the search within an item', () => {
  it('covers its own picture beside those of its members', async () => {
    const letter = await site.item('image');
    await recognize(letter, 'anchors here');
    await searchedPage(site, hocrOf('anchored there'), { parents: [letter] });
    expect(words(await search('anchor*', undefined, letter))).toEqual(['anchors', 'anchored']);
  });

  it('covers its own picture alone if it is a book without pages', async () => {
    const leaflet = await site.item('book');
    await recognize(leaflet, 'anchors here');
    expect(words(await search('anchor*', undefined, leaflet))).toEqual(['anchors']);
  });

  it('covers the pages of a book alone', async () => {
    const cover = await site.item('book');
    await recognize(cover, 'anchors here');
    await searchedPage(site, hocrOf('anchored there'), { parents: [cover] });
    expect(words(await search('anchor*', undefined, cover))).toEqual(['anchored']);
  });
});

describe('the search within a book', () => {
  it('returns the rectangle of each word on its canvas, in the order of the manifest', async () => {
    const answer = await search('keeper');
    expect(places(answer)).toEqual(['keeper 1 0,40,100,40', 'keeper 3 200,40,100,40']);
    const [canvas] = (await site.manifest(book)).items;
    const { url } = site.repository;
    expect(answer).toEqual({
      '@context': ['http://iiif.io/api/presentation/3/context.json', 'http://iiif.io/api/search/2/context.json'],
      id: `${url}${searchAddress(book, 'q=keeper')}`,
      type: 'AnnotationPage',
      items: [
        {
          id: `${canvas.id}/words/2-0`,
          type: 'Annotation',
          motivation: 'supplementing',
          body: { type: 'TextualBody', value: 'keeper', format: 'text/plain', language: 'en' },
          target: `${canvas.id}#xywh=0,40,100,40`,
        },
        expect.anything(),
      ],
      annotations: [
        {
          type: 'AnnotationPage',
          items: [
            {
              id: `${url}${searchAddress(book, 'q=keeper&page=0')}#match-1`,
              type: 'Annotation',
              motivation: 'contextualizing',
              target: {
                type: 'SpecificResource',
                source: `${canvas.id}/words/2-0`,
                selector: [
                  {
                    type: 'TextQuoteSelector',
                    prefix: 'The harbour master, and the ',
                    exact: 'keeper',
                    suffix: ' of the Light-house',
                  },
                ],
              },
            },
            expect.anything(),
          ],
        },
      ],
    });
  });

  it.each([
    ['HARBOUR MASTER', ['harbour 1 100,0,100,40', 'master, 1 200,0,100,40']],
    ['harb*', ['harbour 1 100,0,100,40', 'harbours 2 400,40,100,40']],
    ['"light house"', ['Light-house 1 300,40,100,40']],
    ['light-house', ['Light-house 1 300,40,100,40']],
    ['"harbour mas"*', ['harbour master, 1 100,0,200,40']],
    ['offnung lodz', ['Öffnung 2 100,0,100,40', 'Łódź 2 0,40,100,40']],
    ['東京', ['東 京 2 100,40,200,40']],
    ['harbour Hafens', []],
    ['"keeper the"', []],
    ['"master harbour"', []],
    ['ight', []],
  ])('finds %s', async (query, found) => {
    expect(places(await search(query))).toEqual(found);
  });

  it('splits a phrase at the end of a line', async () => {
    const answer = await search('"and the keeper of"');
    expect(places(answer)).toEqual(['and the 1 300,0,200,40', 'keeper of 1 0,40,200,40']);
    const [{ target, motivation }] = answer.annotations[0].items;
    expect(motivation).toBe('contextualizing');
    expect(target.map(({ selector: [quote] }: EntityJson) => quote)).toEqual([
      { type: 'TextQuoteSelector', prefix: 'The harbour master, ', exact: 'and the' },
      { type: 'TextQuoteSelector', exact: 'keeper of', suffix: ' the Light-house' },
    ]);
  });

  it('returns lines with the words to highlight if the hOCR has no word boxes', async () => {
    const hocr = pageOf('<span class="ocr_line" title="bbox 0 0 500 20">Lines of the captain alone</span>');
    const { node } = await searchedPage(site, hocr);
    const answer = await search('captain', undefined, node);
    expect(answer.items[0]).toMatchObject({ body: { value: 'Lines of the captain alone' } });
    expect(answer.items[0].target).toEndWith('#xywh=0,0,1000,40');
    expect(answer.annotations[0].items).toMatchObject([
      {
        motivation: 'highlighting',
        target: { selector: [{ prefix: 'Lines of the ', exact: 'captain', suffix: ' alone' }] },
      },
    ]);
  });

  it('is linked from the manifests of books and pages, in both versions', async () => {
    const { url } = site.repository;
    const [page] = pages;
    const manifest = await expectValid(await site.manifest(book));
    expect(manifest.service).toMatchObject([
      { id: `${url}/node/${idOf(book)}/iiif/search`, type: 'SearchService2' },
      { '@id': `${url}/paged-content-search/${idOf(book)}`, '@type': 'SearchService1' },
    ]);
    const single = await expectValid(await site.manifest(page?.node ?? {}));
    expect(single.service[1]['@id']).toBe(`${url}/single-page-content-search/${idOf(page?.node ?? {})}`);
    const bare = await site.item('image');
    await site.put(bare, 'png', pngHead(10, 10));
    expect((await site.manifest(bare)).service).toBeUndefined();
  });

  it('returns nothing without words, or for other motivations', async () => {
    for (const query of ['', 'q=', 'q=*', 'q=%22%22', 'q=...', 'q=keeper&motivation=commenting']) {
      const answer = await site.read(searchAddress(book, query));
      expect({ query, items: answer.items, annotations: answer.annotations }).toEqual({
        query,
        items: [],
        annotations: undefined,
      });
    }
    const wanted = await site.read(searchAddress(book, 'q=keeper&motivation=commenting+supplementing'));
    expect(wanted.items).toHaveLength(2);
    expect(wanted.id).toEndWith('q=keeper&motivation=commenting+supplementing');
  });

  it('lists the parameters that it ignores', async () => {
    const answer = await site.read(searchAddress(book, 'q=keeper&user=me&date=2020&user=you'));
    expect(answer.ignored).toEqual(['user', 'date']);
    expect(answer.items).toHaveLength(2);
  });

  it('returns 304 for an unchanged result', async () => {
    const first = await site.repository.get(searchAddress(book, 'q=keeper'));
    expect(first.headers.get('Content-Type')).toBe(
      'application/ld+json;profile="http://iiif.io/api/search/2/context.json"',
    );
    expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const again = await site.repository.get(searchAddress(book, 'q=keeper'), undefined, {
      'If-None-Match': first.headers.get('ETag') ?? '',
    });
    expect(again.status).toBe(304);
  });
});

describe('the search for viewers of version 1.0', () => {
  it('returns the same places, with hits', async () => {
    const answer = await site.read(`/paged-content-search/${idOf(book)}?q=keeper`);
    const { items } = await search('keeper');
    expect(answer).toMatchObject({
      '@type': 'sc:AnnotationList',
      '@id': `${site.repository.url}/paged-content-search/${idOf(book)}?q=keeper`,
      within: { '@type': 'sc:Layer', total: 2 },
      startIndex: 0,
      hits: [
        { '@type': 'search:Hit', match: 'keeper', before: 'The harbour master, and the', after: 'of the Light-house' },
        { annotations: [items[1].id] },
      ],
    });
    expect(answer.resources.map(({ on }: EntityJson) => on)).toEqual(items.map(({ target }: EntityJson) => target));
  });

  it('searches a single page at its own address', async () => {
    const page = pages[2]?.node ?? {};
    const answer = await site.read(`/single-page-content-search/${idOf(page)}?q=keeper`);
    expect(answer.resources).toHaveLength(1);
    expect((await site.read(`/single-page-content-search/${idOf(book)}?q=keeper`)).resources).toEqual([]);
  });
});

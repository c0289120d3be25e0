import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { search } from '../../support/search-call.ts';
import { searchWithin } from '../../support/searched-book.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
beforeAll(async () => {
  site = await createIiifSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

/** A page of 180 × 180 pixels with two words. */
const ALTO = `<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>
  <MeasurementUnit>inch1200</MeasurementUnit></Description><Layout><Page WIDTH="720" HEIGHT="720"><PrintSpace>
  <TextBlock><TextLine><String CONTENT="Harbour" HPOS="40" VPOS="40" WIDTH="160" HEIGHT="80"/><SP/>
  <String CONTENT="bea" SUBS_TYPE="HypPart1" SUBS_CONTENT="beacon" HPOS="240" VPOS="40" WIDTH="240" HEIGHT="80"/><HYP/></TextLine>
  <TextLine><String CONTENT="con" SUBS_TYPE="HypPart2" SUBS_CONTENT="beacon" HPOS="40" VPOS="160" WIDTH="160" HEIGHT="80"/>
  </TextLine></TextBlock></PrintSpace></Page></Layout></alto>`;
const word = (text: string, points: string) =>
  `<Word><Coords points="${points}"/><TextEquiv><Unicode>${text}</Unicode></TextEquiv></Word>`;
const PAGE_XML = `<?xml version="1.0"?><PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
  <Page imageWidth="180" imageHeight="180"><TextRegion><TextLine><Coords points="10,10 120,30"/>
  ${word('Harbour', '10,10 50,10 50,30 10,30')}${word('light', '60,10 120,30')}</TextLine></TextRegion></Page></PcGts>`;

async function pageWith(text: string, extension: string, use: 'hocr' | 'text'): Promise<EntityJson> {
  const node = await site.item('page');
  await site.put(node, 'png', pngHead(180, 180));
  await site.put(node, extension, text, use);
  return node;
}
const places = (answer: EntityJson) =>
  answer.items.map(({ body, target }: EntityJson) => `${body.value} ${target.split('xywh=')[1]}`);
const hocrFile = async (name: string): Promise<string> => new TextDecoder().decode(await fixture(`hocr/${name}.hocr`));

describe('recognized text', () => {
  it.each([
    ['ALTO', (): string => ALTO, 'xml', 'hocr'],
    ['ALTO', (): string => ALTO, 'xml', 'text'],
    ['PAGE XML', (): string => PAGE_XML, 'xml', 'hocr'],
    ['PAGE XML', (): string => PAGE_XML, 'xml', 'text'],
    ['hOCR with character boxes', () => hocrFile('char-boxes'), 'hocr', 'hocr'],
    ['hOCR without lines', () => hocrFile('words-in-par'), 'hocr', 'hocr'],
  ] as const)('in %s is found in the search, within the page and on its canvas', async (_, text, extension, use) => {
    const node = await pageWith(await text(), extension, use);
    expect((await search(site.repository, { q: 'harbour' })).items.map(({ nid }) => nid)).toContain(idOf(node));
    expect(places(await searchWithin(site, node, 'harbour'))).toEqual(['Harbour 10,10,40,20']);
    const [canvas] = (await site.manifest(node)).items;
    const [annotations] = canvas.annotations;
    const { items } = await site.read(new URL(annotations.id).pathname);
    expect(items[0].body.value).toStartWith('Harbour');
  });

  it('has a word with a broken box in the place of its line', async () => {
    const node = await pageWith(await hocrFile('bad-box'), 'hocr', 'hocr');
    expect(places(await searchWithin(site, node, 'harbour'))).toEqual(['Harbour 10,10,110,20']);
  });

  it('has a divided word of ALTO as a whole, in both lines', async () => {
    const node = await pageWith(ALTO, 'xml', 'hocr');
    expect(places(await searchWithin(site, node, '"harbour beacon"'))).toEqual([
      'Harbour bea 10,10,110,20',
      'con 10,40,40,20',
    ]);
    expect((await search(site.repository, { q: 'beacon' })).items.map(({ nid }) => nid)).toContain(idOf(node));
    expect((await search(site.repository, { q: 'bea' })).total).toBe(0);
  });
});

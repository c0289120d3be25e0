import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { ParsedContent } from '../../../src/repository/content/content.ts';
import { NO_SURROUNDINGS, type Surroundings } from '../../../src/repository/content/read/surroundings.ts';
import type { PageSource } from '../../../src/web/site.ts';
import { createReader } from '../../support/linked-data.ts';
import { attached, contentPage, elementsOf, LONELY_NODE, pageSource, sourceFile } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let source: PageSource;
let node: ParsedContent;
beforeAll(async () => {
  repository = await createTestRepository();
  const { services } = repository.running;
  source = pageSource(services.model);
  const { nid } = await repository.node();
  node = await createReader(services).find('node', nid[0].value);
});
afterAll(() => repository.stop());

describe('the media on the page of a node', () => {
  const png = (name: string) => sourceFile('image/png', `public://${name}`);
  const tiff = sourceFile('image/tiff', 'private://a "master".tif');
  const withMedia = (media: Surroundings['media']) => contentPage(node, { ...NO_SURROUNDINGS, media }, [], source);

  const downloads = (html: string) => elementsOf(html, '.downloads li');

  it('are downloads with type, size and use in words', () => {
    const files = { sizes: { 7: { bytes: 84_200_000, width: 4000, height: 3000 } }, text: undefined };
    const media = [attached(3, 'ServiceFile', png('a b.png'), 'A & "B"')];
    const html = contentPage(node, { ...NO_SURROUNDINGS, media }, [], source, { ...LONELY_NODE, files });
    const [row] = downloads(html);
    expect(row?.text.replace(/\s+/g, ' ')).toStartWith('PNG image A & "B", 84.2 MBServiceFile4000 × 3000 pixels');
    expect(elementsOf(html, '.downloads a').map(({ attributes, text }) => [attributes.href, text])).toEqual([
      ['/sites/default/files/a%20b.png', 'PNG image A & "B"'],
      ['/media/3', 'About this file: A & "B"'],
    ]);
  });

  it('begin with the files for readers, and fold the others', () => {
    const uses = ['FITS', 'ThumbnailImage', 'ExtractedText', 'ServiceFile', 'OriginalFile'];
    const html = withMedia(uses.map((use, at) => attached(at, use, tiff)));
    expect(elementsOf(html, '.downloads > ul .facts > bdi').map(({ text }) => text)).toEqual([
      ...['OriginalFile', 'ServiceFile', 'ExtractedText'],
    ]);
    expect(elementsOf(html, '.downloads details .facts > bdi').map(({ text }) => text)).toEqual([
      ...['FITS', 'ThumbnailImage'],
    ]);
    expect(elementsOf(withMedia([attached(1, 'OriginalFile', tiff)]), 'main img')).toEqual([]);
  });

  it('offer no download of a file that the caller may not fetch', () => {
    const html = withMedia([attached(4, 'OriginalFile', undefined)]);
    expect(elementsOf(html, '.downloads a').map(({ attributes }) => attributes.href)).toEqual(['/media/4']);
    expect(elementsOf(html, '.viewer')).toEqual([]);
  });

  it('show twenty files and a link to the others', () => {
    const media = Array.from({ length: 21 }, (_, at) => attached(at + 1, 'OriginalFile', tiff));
    const more = 'main a[href$="?files=0#files"]';
    expect(elementsOf(withMedia(media), more).map(({ text }) => text)).toEqual(['All 21 files']);
    expect(downloads(withMedia(media))).toHaveLength(20);
    expect(elementsOf(withMedia(media.slice(1)), more)).toEqual([]);
    expect(elementsOf(withMedia([]), '#page-files')).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { pngHead } from '../../support/binaries.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { expectValid } from '../../support/presentation-schema.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
beforeAll(async () => {
  site = await createIiifSite();
  await site.repository.user('reader');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

const valid = async (node: EntityJson, as?: string, suffix?: string) =>
  expectValid(await site.manifest(node, as, suffix));

async function image(parents: EntityJson[] = [], fields = {}): Promise<EntityJson> {
  const node = await site.item('image', parents, fields);
  await site.put(node, 'jpg', await fixture('images/red.jpg'));
  return node;
}

describe('a valid IIIF resource', () => {
  it('is the manifest of an image with all kinds of texts', async () => {
    const collection = await site.item('collection', [], { title: ['Harbours'] });
    const node = await image([collection], {
      title: [{ value: 'صورة قديمة' }],
      field_abstract: [{ value: '<p>Two <em>boats</em> &amp; a ship</p><p>At low tide</p>', format: 'basic_html' }],
      field_edtf_date_issued: [{ value: '1929-05' }],
      field_extent: ['1 photograph', '10 × 15 cm'],
      field_rights: [{ value: 'See https://creativecommons.org/licenses/by/4.0/deed.en', format: 'plain_text' }],
    });
    const manifest = await valid(node);
    expect(manifest).toMatchObject({
      summary: { en: ['Two boats & a ship\nAt low tide'] },
      rights: 'http://creativecommons.org/licenses/by/4.0/',
      requiredStatement: { label: { en: ['Rights'] } },
      navDate: '1929-05-01T00:00:00Z',
      partOf: [{ type: 'Collection', label: { none: ['Harbours'] } }],
    });
    expect(manifest.metadata).toContainEqual({
      label: { en: ['Extent'] },
      value: { en: ['1 photograph', '10 × 15 cm'] },
    });
  });

  it('is the manifest of a book and of its page', async () => {
    const book = await site.item('book');
    const pages: EntityJson[] = [];
    for (let number = 1; number <= 3; number++) {
      const page = await site.item('page', [book], { field_weight: [number] });
      await site.put(page, 'tif', pngHead(3000, 4000));
      await site.put(page, 'jpg', await fixture('images/red.jpg'), 'service');
      await site.put(page, 'txt', 'The text of the page', 'text');
      pages.push(page);
    }
    const manifest = await valid(book);
    const ofPage = await valid(pages[0] as EntityJson);
    expect(manifest.items).toHaveLength(3);
    expect(ofPage.items[0].id).toBe(manifest.items[0].id);
    expect(ofPage.partOf).toMatchObject([{ type: 'Manifest' }]);
    expect(ofPage.items[0].rendering).toMatchObject([{ type: 'Text', format: 'text/plain' }]);
  });

  it('is the manifest of audio with a picture and of video with captions', async () => {
    const audio = await site.item('audio');
    await site.put(audio, 'mp3', await fixture('av/two-seconds.mp3'));
    expect((await valid(audio)).items[0].accompanyingCanvas).toBeUndefined();
    await site.put(audio, 'jpg', await fixture('images/red.jpg'), 'thumbnail');
    expect((await valid(audio)).items[0].accompanyingCanvas).toMatchObject({ type: 'Canvas' });
    const video = await site.item('video');
    await site.put(video, 'mp4', await fixture('av/two-seconds.mp4'));
    await site.put(video, 'vtt', 'WEBVTT\n', 'transcript');
    const [canvas] = (await valid(video)).items;
    expect(canvas.annotations[0].items).toMatchObject([
      { motivation: 'supplementing', body: { type: 'Text', format: 'text/vtt' }, target: canvas.id },
    ]);
  });

  it('is the manifest of a PDF, with and without a picture of its first page', async () => {
    const node = await site.item('document');
    await site.put(node, 'pdf', '%PDF-1.4');
    const bare = await valid(node);
    expect(bare.items[0]).toMatchObject({ width: 1000, height: 1414, items: [{ items: [] }] });
    expect(bare.items[0].rendering).toMatchObject([{ type: 'Text', format: 'application/pdf' }]);
    await site.put(node, 'png', pngHead(200, 300), 'thumbnail');
    const pictured = await valid(node);
    expect(pictured.items[0]).toMatchObject({ width: 200, height: 300 });
    expect(pictured.items[0].items[0].items).toHaveLength(1);
  });

  it('is the manifest of a compound object with members of several kinds', async () => {
    const compound = await site.item('compound');
    await image([compound]);
    const audio = await site.item('audio', [compound]);
    await site.put(audio, 'mp3', await fixture('av/two-seconds.mp3'));
    const document = await site.item('document', [compound]);
    await site.put(document, 'pdf', '%PDF-1.4');
    await site.item('image', [compound]);
    const { items, behavior } = await valid(compound);
    expect(items.map((canvas: EntityJson) => [canvas.width === undefined, canvas.duration !== undefined])).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ]);
    expect(behavior).toEqual(['individuals']);
  });
});

describe('the picture of a canvas', () => {
  it('has the image service of the original', async () => {
    const node = await site.item('image');
    await site.put(node, 'jpg', await fixture('images/red.jpg'));
    const [canvas] = (await valid(node)).items;
    const [service] = canvas.items[0].items[0].body.service;
    expect(service).toMatchObject({ type: 'ImageService3' });
    expect((await fetch(`${service.id}/info.json`)).status).toBe(200);
  });

  it('has no image service that could not answer', async () => {
    const node = await site.item('image');
    await site.put(node, 'tif', pngHead(4000, 3000));
    const [canvas] = (await valid(node)).items;
    expect(canvas.items[0].items).toEqual([]);
    await site.put(node, 'png', pngHead(400, 300), 'thumbnail');
    const [thumbnail] = (await valid(node)).items;
    const [service] = thumbnail.items[0].items[0].body.service;
    const info = await site.repository.get(`${new URL(service.id).pathname}/info.json`);
    expect(info.status).toBe(200);
  });

  it('has the name of a licence, with its address as rights', async () => {
    const fields = { field_rights: [{ value: 'https://creativecommons.org/licenses/by/4.0/', format: 'plain_text' }] };
    expect(await valid(await image([], fields))).toMatchObject({
      rights: 'http://creativecommons.org/licenses/by/4.0/',
      requiredStatement: { value: { en: ['Creative Commons Attribution 4.0 (CC BY 4.0)'] } },
    });
  });
});

describe('the provider', () => {
  it('is the site with its name and logo', async () => {
    const logo = new URL('../../fixtures/images/red.png', import.meta.url).pathname;
    const other = await createIiifSite({
      siteName: 'A library',
      site: { ...DEFAULT_SERVER_CONFIG.site, logo },
    });
    const node = await other.item('image');
    await other.put(node, 'png', pngHead(1, 1));
    const { provider } = await expectValid(await other.manifest(node));
    expect(provider).toMatchObject([{ label: { en: ['A library'] }, logo: [{ type: 'Image', format: 'image/png' }] }]);
    expect((await fetch(provider[0].logo[0].id)).status).toBe(200);
    await other.repository.stop();
  });
});

describe('a collection', () => {
  it('lists the members that have displayable media', async () => {
    const collection = await site.item('collection', [], { title: ['Letters'] });
    expect((await valid(collection)).items).toEqual([]);
    await site.put(collection, 'png', pngHead(60, 40), 'thumbnail');
    expect((await valid(collection)).thumbnail).toMatchObject([{ width: 60, height: 40 }]);
    const picture = await image([collection], { title: ['A picture'] });
    await site.put(picture, 'png', pngHead(100, 50), 'thumbnail');
    const inner = await site.item('collection', [collection]);
    await site.item('image', [collection], { title: ['Nothing to show'] });
    const book = await site.item('book', [collection]);
    await site.put(await site.item('page', [book]), 'png', pngHead(1, 1));
    await site.put(await site.item('page', [await site.item('book', [collection])]), 'zip', 'PK');
    const { url } = site.repository;
    expect((await valid(collection)).items).toMatchObject([
      { id: `${url}/node/${idOf(picture)}/manifest`, type: 'Manifest', thumbnail: [{ width: 100, height: 50 }] },
      { id: `${url}/node/${idOf(inner)}/manifest`, type: 'Collection' },
      { id: `${url}/node/${idOf(book)}/manifest`, type: 'Manifest' },
    ]);
  });

  it('hides members that the caller may not view', async () => {
    const collection = await site.item('collection');
    const hidden = { status: [{ value: false }] };
    await image([collection], hidden);
    const book = await site.item('book', [collection]);
    await site.put(await site.item('page', [book], hidden), 'png', pngHead(1, 1));
    expect((await valid(collection)).items).toEqual([]);
    expect((await valid(collection, 'reader')).items).toEqual([]);
    expect((await valid(collection, 'admin')).items).toHaveLength(2);
    expect((await site.repository.get(`/node/${idOf(book)}/manifest`)).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
beforeAll(async () => {
  site = await createIiifSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

const TYPE = 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"';

describe('the manifest of an image', () => {
  it('has one canvas of the size of the original, painted with the service file', async () => {
    const node = await site.item('image');
    const original = await site.put(node, 'tif', pngHead(4000, 3000));
    await site.put(node, 'png', pngHead(800, 600), 'service');
    await site.put(node, 'png', pngHead(100, 75), 'thumbnail');
    const manifest = await site.manifest(node);
    const { url } = site.repository;
    expect(manifest).toMatchObject({
      '@context': 'http://iiif.io/api/presentation/3/context.json',
      id: `${url}/node/${idOf(node)}/manifest`,
      type: 'Manifest',
      label: { en: ['A title'] },
    });
    const [canvas] = manifest.items;
    expect(canvas).toMatchObject({
      id: `${url}/node/${idOf(node)}/canvas/${original}`,
      type: 'Canvas',
      width: 4000,
      height: 3000,
    });
    expect(canvas.items[0].items[0]).toMatchObject({
      motivation: 'painting',
      target: canvas.id,
      body: { type: 'Image', format: 'image/png', width: 800, height: 600 },
    });
    expect(manifest.thumbnail).toMatchObject([{ type: 'Image', width: 100, height: 75 }]);
  });

  it('is JSON-LD with an ETag that other sites may load', async () => {
    const node = await site.item('image');
    await site.put(node, 'png', pngHead(1, 1));
    const path = `/node/${idOf(node)}/manifest`;
    const first = await site.repository.get(path);
    expect(first.headers.get('Content-Type')).toBe(TYPE);
    expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const etag = first.headers.get('ETag') ?? '';
    expect((await site.repository.get(path, undefined, { 'If-None-Match': etag })).status).toBe(304);
  });

  it('has the date of its node, but ignores If-Modified-Since', async () => {
    const node = await site.item('image');
    await site.put(node, 'png', pngHead(1, 1));
    const path = `/node/${idOf(node)}/manifest`;
    const { headers } = await site.repository.get(path);
    const changed = (await site.repository.get(`/node/${idOf(node)}?_format=json`)).headers.get('Last-Modified');
    expect(headers.get('Last-Modified')).toBe(changed);
    const later = { 'If-Modified-Since': new Date(Date.now() + 3_600_000).toUTCString() };
    expect((await site.repository.get(path, undefined, later)).status).toBe(200);
  });
});

describe('the manifest of a book', () => {
  it('lists its pages by weight', async () => {
    const book = await site.item('book');
    const pages: EntityJson[] = [];
    for (const weight of [2, 1]) {
      const page = await site.item('page', [book], { title: [`Page ${weight}`], field_weight: [weight] });
      await site.put(page, 'png', pngHead(10, 20));
      pages.push(page);
    }
    const { items, behavior } = await site.manifest(book);
    expect(items.map(({ label }: EntityJson) => label)).toEqual([{ en: ['Page 1'] }, { en: ['Page 2'] }]);
    expect(behavior).toEqual(['paged']);
    expect((await site.manifest(book, undefined, 'book-manifest?version=3')).items).toEqual(items);
  });
});

describe('the manifest of audio and video', () => {
  it('contains durations and sizes', async () => {
    const audio = await site.item('audio');
    await site.put(audio, 'mp3', await fixture('av/two-seconds.mp3'));
    const video = await site.item('video');
    await site.put(video, 'mp4', await fixture('av/two-seconds.mp4'));
    expect((await site.manifest(audio)).items).toMatchObject([{ type: 'Canvas', duration: 2.038 }]);
    expect((await site.manifest(video)).items).toMatchObject([{ type: 'Canvas', duration: 2, width: 64, height: 48 }]);
  });
});

describe('the address of a manifest', () => {
  it('returns 404 for a node without displayable media', async () => {
    const node = await site.item('image');
    const response = await site.repository.get(`/node/${idOf(node)}/manifest`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: `Node ${idOf(node)} has no image, audio, video or PDF to show.`,
    });
  });
});

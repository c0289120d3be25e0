import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';

const PROFILE = (version: number) =>
  `application/ld+json;profile="http://iiif.io/api/presentation/${version}/context.json"`;

let site: IiifSite;
let book: EntityJson;
beforeAll(async () => {
  site = await createIiifSite();
  book = await site.item('book', [await site.item('collection')], {
    title: ['A logbook'],
    field_rights: [{ value: 'http://rightsstatements.org/vocab/NoC-US/1.0/', format: 'plain_text' }],
    field_extent: ['1 volume', '10 × 15 cm'],
  });
  for (const weight of [2, 1]) {
    const page = await site.item('page', [book], { title: [`Page ${weight}`], field_weight: [weight] });
    await site.put(page, 'png', pngHead(10, 20));
    await site.put(page, 'jpg', await fixture('images/red.jpg'), 'service');
    await site.put(page, 'txt', 'The text of the page', 'text');
  }
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

const ask = (query = '', headers: Record<string, string> = {}) =>
  site.repository.get(`/node/${idOf(book)}/book-manifest${query}`, undefined, headers);

describe('the manifest of the pages of a book', () => {
  it('has sequences of canvases with images, as version 2 says', async () => {
    const response = await ask();
    expect(response.headers.get('Content-Type')).toBe(PROFILE(2));
    expect(response.headers.get('Vary')).toContain('Accept, ');
    const manifest = (await response.json()) as EntityJson;
    const { url } = site.repository;
    expect(manifest).toMatchObject({
      '@context': 'http://iiif.io/api/presentation/2/context.json',
      '@id': `${url}/node/${idOf(book)}/book-manifest`,
      '@type': 'sc:Manifest',
      label: 'A logbook',
      license: 'http://rightsstatements.org/vocab/NoC-US/1.0/',
      attribution: 'No Copyright – United States',
      viewingHint: 'paged',
      related: [{ '@id': `${url}/node/${idOf(book)}`, format: 'text/html', label: 'A logbook' }],
    });
    expect(manifest.metadata).toContainEqual({ label: 'Extent', value: ['1 volume', '10 × 15 cm'] });
    expect(manifest.within).toEndWith('/manifest');
    const [sequence] = manifest.sequences;
    expect(manifest.sequences).toHaveLength(1);
    expect(sequence['@type']).toBe('sc:Sequence');
    expect(sequence.canvases.map(({ label }: EntityJson) => label)).toEqual(['Page 1', 'Page 2']);
    for (const canvas of sequence.canvases) {
      expect(canvas).toMatchObject({ '@type': 'sc:Canvas', width: 10, height: 20 });
      expect(canvas.rendering).toMatchObject([{ format: 'text/plain' }]);
      expect(canvas.images).toMatchObject([{ '@type': 'oa:Annotation', motivation: 'sc:painting', on: canvas['@id'] }]);
      const { resource } = canvas.images[0];
      expect(resource).toMatchObject({ '@type': 'dctypes:Image', format: 'image/jpeg' });
      expect((await fetch(resource['@id'])).status).toBe(200);
      expect(resource.service['@context']).toBe('http://iiif.io/api/image/3/context.json');
      expect((await fetch(`${resource.service['@id']}/info.json`)).status).toBe(200);
    }
  });

  it.each([
    ['', {}, '2'],
    ['', { Accept: 'application/json' }, '2'],
    ['', { Accept: PROFILE(2) }, '2'],
    ['', { Accept: PROFILE(3) }, '3'],
    ['', { Accept: `${PROFILE(3)};q=0.5, ${PROFILE(2)}` }, '2'],
    ['', { Accept: `${PROFILE(2)};q=0.5, ${PROFILE(3)}` }, '3'],
    ['?version=3', {}, '3'],
    ['?version=2', { Accept: PROFILE(3) }, '2'],
    ['?version=3', { Accept: PROFILE(2) }, '3'],
  ])('for %s with %j has version %s', async (query, headers, version) => {
    const response = await ask(query, headers);
    expect(response.headers.get('Content-Type')).toBe(PROFILE(Number(version)));
    const manifest = (await response.json()) as EntityJson;
    expect(manifest['@context']).toBe(`http://iiif.io/api/presentation/${version}/context.json`);
    expect('sequences' in manifest).toBe(version === '2');
  });

  it('returns 400 for another version', async () => {
    const response = await ask('?version=1');
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message: 'The query parameter "version" must be 2 or 3, found "1".' });
  });

  it('has an ETag for each version', async () => {
    const [second, third] = await Promise.all([ask(), ask('?version=3')]);
    const tag = third.headers.get('ETag') ?? '';
    expect(second.headers.get('ETag')).not.toBe(tag);
    expect((await ask('', { 'If-None-Match': tag })).status).toBe(200);
    expect((await ask('?version=3', { 'If-None-Match': tag })).status).toBe(304);
  });
});

describe('the manifest of members of several kinds', () => {
  it('names the files of audio and video as renderings in version 2', async () => {
    const compound = await site.item('compound');
    const audio = await site.item('audio', [compound]);
    await site.put(audio, 'mp3', await fixture('av/two-seconds.mp3'));
    await site.put(audio, 'jpg', await fixture('images/red.jpg'), 'thumbnail');
    const video = await site.item('video', [compound]);
    await site.put(video, 'mp4', await fixture('av/two-seconds.mp4'));
    const { sequences } = await site.manifest(compound, undefined, 'book-manifest');
    const [played, shown] = sequences[0].canvases;
    expect(played.images).toMatchObject([{ resource: { format: 'image/jpeg' }, on: played['@id'] }]);
    expect(played.rendering).toMatchObject([{ format: 'audio/mpeg' }]);
    expect(shown).toMatchObject({ width: 64, height: 48, images: [], rendering: [{ format: 'video/mp4' }] });
  });
});

describe('the manifest of an item', () => {
  it('has version 3, whatever Accept says', async () => {
    const response = await site.repository.get(`/node/${idOf(book)}/manifest`, undefined, { Accept: PROFILE(2) });
    expect(response.headers.get('Content-Type')).toBe(PROFILE(3));
    expect(((await response.json()) as EntityJson).items).toHaveLength(2);
  });
});

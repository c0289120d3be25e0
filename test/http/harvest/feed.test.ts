import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { expectFeed } from '../../support/atom.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { elementsOf } from '../../support/page.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
let collection: EntityJson;
let picture: EntityJson;
beforeAll(async () => {
  site = await createIiifSite();
  await site.repository.user('reader');
  await site.repository.user('editor', 'repository_editor');
  collection = await site.item('collection', [], { title: ['Boats & <Ships>'] });
  picture = await site.item('image', [collection], { title: ['“Ferry” & \u0001 tug'] });
  await site.put(picture, 'jpg', await fixture('images/red.jpg'), 'thumbnail');
  await site.item('image', [collection], { title: ['Hidden'], status: [{ value: false }] });
  await site.item('image', [], { title: ['Elsewhere'] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

async function read(path: string, as?: string): Promise<EntityJson> {
  const response = await site.repository.get(path, as);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
  return expectFeed(await response.text());
}
const titles = ({ entry }: EntityJson) => entry.map(({ title }: EntityJson) => title);
const feedOf = (node: EntityJson) => `/node/${idOf(node)}/feed.atom`;

describe('the feed of the newest items', () => {
  it('has their titles, times, addresses and thumbnails, the newest first', async () => {
    const { url } = site.repository;
    const feed = await read('/feed.atom');
    expect(titles(feed).slice(0, 2)).toEqual(['Elsewhere', '“Ferry” &  tug']);
    expect(feed.link).toEqual([
      { rel: 'self', type: 'application/atom+xml', href: `${url}/feed.atom` },
      { rel: 'alternate', type: 'text/html', href: `${url}/` },
    ]);
    const entry = feed.entry[1];
    expect(entry).toMatchObject({
      id: `urn:uuid:${picture.uuid[0].value}`,
      'xml:lang': 'en',
      link: [{ href: `${url}/node/${idOf(picture)}` }],
      category: { term: 'Image' },
    });
    const thumbnail = await fetch(entry['media:thumbnail'].url);
    expect(thumbnail.status).toBe(200);
    expect(thumbnail.headers.get('Content-Type')).toBe('image/jpeg');
    expect(Number(entry['media:thumbnail'].width)).toBeGreaterThan(0);
  });

  it('shows each caller only what they may view', async () => {
    for (const as of [undefined, 'reader']) expect(titles(await read('/feed.atom', as))).not.toContain('Hidden');
    expect(titles(await read('/feed.atom', 'editor'))).toContain('Hidden');
  });

  it('returns 304 until it changes', async () => {
    const first = await site.repository.get('/feed.atom');
    const ask = () =>
      site.repository.get('/feed.atom', undefined, { 'If-None-Match': first.headers.get('ETag') ?? '' });
    expect((await ask()).status).toBe(304);
    await site.item('image', [], { title: ['One more'] });
    expect((await ask()).status).toBe(200);
  });

  it('is linked from the head of pages, a collection feed from its page', async () => {
    const feeds = async (path: string) =>
      elementsOf(
        await (await site.repository.get(path, undefined, { Accept: 'text/html' })).text(),
        'link[type="application/atom+xml"]',
      ).map(({ attributes }) => attributes.href);
    for (const path of ['/', '/collections']) expect(await feeds(path)).toEqual(['/feed.atom']);
    expect(await feeds(`/node/${idOf(picture)}`)).toEqual([]);
    expect(await feeds(`/node/${idOf(collection)}`)).toEqual([feedOf(collection)]);
  });
});

describe('the feed of a collection', () => {
  it('contains its members only', async () => {
    const feed = await read(feedOf(collection));
    expect(feed.title).toBe('Boats & <Ships>');
    expect(titles(feed)).toEqual(['“Ferry” &  tug']);
    expect(titles(await read(feedOf(collection), 'editor'))).toEqual(['Hidden', '“Ferry” &  tug']);
    const { url } = site.repository;
    expect(feed.link[1].href).toBe(`${url}/node/${idOf(collection)}`);
  });

  it('may be empty', async () => {
    const empty = await site.item('collection');
    expect((await read(feedOf(empty))).entry).toEqual([]);
  });

  it('uses aliases', async () => {
    const named = await site.item('collection');
    await site.item('image', [named], { path: [{ alias: '/ferry-böats' }] });
    const { url } = site.repository;
    expect((await read(feedOf(named))).entry[0].link[0].href).toBe(`${url}/ferry-b%C3%B6ats`);
  });

  it('requires the same access as its page', async () => {
    const hidden = await site.item('collection', [], { status: [{ value: false }] });
    for (const [as, status] of [
      [undefined, 401],
      ['reader', 403],
      ['editor', 200],
    ] as const)
      expect((await site.repository.get(feedOf(hidden), as)).status).toBe(status);
    for (const path of ['/node/99999/feed.atom', '/node/x/feed.atom'])
      expect((await site.repository.get(path)).status).toBe(404);
  });
});

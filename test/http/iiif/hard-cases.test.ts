import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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

const valid = async (node: EntityJson, as?: string) => expectValid(await site.manifest(node, as));
const HIDDEN = { status: [{ value: false }] };

async function page(parents: EntityJson[], fields = {}): Promise<EntityJson> {
  const node = await site.item('page', parents, fields);
  await site.put(node, 'png', pngHead(30, 40));
  return node;
}

describe('a manifest', () => {
  it('has a canvas of one pixel for an image of one pixel', async () => {
    const node = await site.item('image');
    await site.put(node, 'png', pngHead(1, 1));
    expect((await valid(node)).items[0]).toMatchObject({ width: 1, height: 1 });
  });

  it('has a default canvas size for images of unknown size and lost files', async () => {
    const image = await site.item('image');
    await site.put(image, 'jpg', 'no picture');
    expect((await valid(image)).items[0]).toMatchObject({ width: 1000, height: 1000 });
    const audio = await site.item('audio');
    await site.put(audio, 'mp3', new Uint8Array(160_000));
    expect((await valid(audio)).items[0].duration).toBe(10);
    const lost = await site.item('video');
    await site.put(lost, 'mp4', await fixture('av/two-seconds.mp4'));
    const { services } = site.repository.running;
    const row = await services.database.client.execute('SELECT storage_key FROM file ORDER BY id DESC LIMIT 1');
    await rm(join(site.repository.dataFolder, 'files/public', String(row.rows[0]?.[0])));
    expect((await valid(lost)).items[0]).toMatchObject({ width: 1280, height: 720, duration: 1 });
  });

  it('contains only the pages that the caller may view', async () => {
    const book = await site.item('book');
    await page([book]);
    await page([book], HIDDEN);
    expect((await valid(book)).items).toHaveLength(1);
    expect((await valid(book, 'reader')).items).toHaveLength(1);
    expect((await valid(book, 'admin')).items).toHaveLength(2);
  });

  it('omits a hidden collection', async () => {
    const collection = await site.item('collection', [], HIDDEN);
    const node = await page([collection]);
    expect((await valid(node)).partOf).toBeUndefined();
    expect((await valid(node, 'admin')).partOf).toHaveLength(1);
  });

  it('handles members in a cycle', async () => {
    const first = await site.item('compound');
    const second = await site.item('compound', [first]);
    for (const node of [first, second]) await site.put(node, 'png', pngHead(2, 2));
    const loop = {
      type: [{ target_id: 'islandora_object' }],
      field_member_of: [second, first].map((each) => ({ target_id: idOf(each) })),
    };
    expect((await site.repository.patch(`/node/${idOf(first)}?_format=json`, loop, 'admin')).status).toBe(200);
    expect((await valid(first)).items).toHaveLength(2);
    expect((await valid(second)).items).toHaveLength(2);
  });

  it('reads from right to left for a language written so', async () => {
    const arabic = await site.repository.get('/term_from_term_name?_format=json&vocab=language&name=Arabic', 'admin');
    const [term] = (await arabic.json()) as EntityJson[];
    const fields = { title: ['كتاب 📖 <b>قديم</b>'], field_language: [{ target_id: term?.tid[0].value }] };
    const book = await site.item('book', [], fields);
    await page([book]);
    await page([book]);
    const manifest = await valid(book);
    expect(manifest.viewingDirection).toBe('right-to-left');
    expect(manifest.label).toEqual({ en: ['كتاب 📖 <b>قديم</b>'] });
  });

  it('contains markup-like text as plain text', async () => {
    const node = await page([], {
      field_description: ['<script>alert("1")</script>'],
      field_extent: ['<b>1 & 2</b>', '<3 boxes'],
    });
    const manifest = await valid(node);
    expect(manifest.summary).toEqual({ en: ['<span>&lt;script&gt;alert("1")&lt;/script&gt;</span>'] });
    expect(manifest.metadata).toContainEqual({
      label: { en: ['Extent'] },
      value: { en: ['<span>&lt;b&gt;1 &amp; 2&lt;/b&gt;</span>', '<3 boxes'] },
    });
  });

  it('omits unpublished media', async () => {
    const node = await site.item('image');
    const medium = await site.put(node, 'png', pngHead(5, 5));
    const hidden = { bundle: [{ target_id: 'image' }], status: [{ value: false }] };
    expect((await site.repository.patch(`/media/${medium}?_format=json`, hidden, 'admin')).status).toBe(200);
    expect((await site.repository.get(`/node/${idOf(node)}/manifest`)).status).toBe(404);
    expect((await valid(node, 'admin')).items).toHaveLength(1);
  });

  it('has no navDate for an uncertain, approximate or interval date', async () => {
    for (const [date, navDate] of [
      ['1929', '1929-01-01T00:00:00Z'],
      ['1929-05-07', '1929-05-07T00:00:00Z'],
      ['1929~', undefined],
      ['192X', undefined],
      ['1929/1930', undefined],
      ['1929-21', undefined],
    ] as const) {
      const node = await page([], { field_edtf_date_issued: [{ value: date }] });
      expect((await valid(node)).navDate).toBe(navDate);
    }
  });

  it('requires the same access as its node', async () => {
    const node = await page([], HIDDEN);
    for (const suffix of ['manifest', 'book-manifest']) {
      expect((await site.repository.get(`/node/${idOf(node)}/${suffix}`)).status).toBe(401);
      expect((await site.repository.get(`/node/${idOf(node)}/${suffix}`, 'reader')).status).toBe(403);
    }
    expect((await site.repository.get('/node/999999/manifest')).status).toBe(404);
    expect((await site.repository.get('/node/x/manifest')).status).toBe(404);
  });

  it('of pages returns 404 for a node without members', async () => {
    const node = await page([]);
    const response = await site.repository.get(`/node/${idOf(node)}/book-manifest`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { message: `Node ${idOf(node)} has no pages. Its manifest is /node/${idOf(node)}/manifest.` },
    });
  });

  it('has the same ETag for HEAD, and returns 405 for other methods', async () => {
    const path = `/node/${idOf(await page([]))}/manifest`;
    const [get, head] = await Promise.all([site.repository.get(path), site.repository.fetch(path, { method: 'HEAD' })]);
    expect(head.headers.get('ETag')).toBe(get.headers.get('ETag'));
    expect((await site.repository.fetch(path, { method: 'POST', as: 'admin' })).status).toBe(405);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite, type Picture } from '../../support/linked-site.ts';
import { nodeWithMedia } from '../../support/many-media.ts';
import { elementsOf } from '../../support/page.ts';
import type { As, EntityJson } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const TEXT = 'http://pcdm.org/use#ExtractedText';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const IDENTIFIER = 'http://purl.org/dc/terms/identifier.thumbnail';
/** A user who may also use the list of media; anonymous callers may view no media here. */
const MODEL = `
roles:
  anonymous:
    permissions: [access content]
  lister:
    label: Lister
    permissions: [manage media, use islandora workbench]
`;

let site: LinkedSite;
let node: number;
let picture: Picture;
beforeAll(async () => {
  site = await createLinkedSite(MODEL);
  await site.repository.user('lister', 'lister');
  node = await nodeWithMedia(site, 130, TEXT);
  // Made last, it comes after all the others.
  picture = await site.picture(node, THUMBNAIL);
  await site.changeNode(node, { field_representative_image: [picture.id] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const pageOf = async (id: number, as?: As) =>
  (await site.repository.get(`/node/${id}?_format=html`, as, { Accept: 'text/html' })).text();
const listLinks = (html: string, id: number) =>
  elementsOf(html, 'a').filter(({ attributes }) => attributes.href === `/node/${id}/media`);

async function thumbnailOf(id: number, as?: As): Promise<unknown> {
  const response = await site.repository.get(`/node/${id}?_format=jsonld`, as);
  const { '@graph': resources } = (await response.json()) as { '@graph': [EntityJson] };
  return resources[0][IDENTIFIER]?.map((value: EntityJson) => value['@value']);
}

describe('a node with more than 100 media', () => {
  it('has its representative image as thumbnail in the graph, wherever that stands among them', async () => {
    for (const as of ['reader', 'loader', 'admin'])
      expect([as, await thumbnailOf(node, as)]).toEqual([as, [`${site.repository.url}${picture.path}`]]);
    expect(await thumbnailOf(node)).toBeUndefined();
  });

  it('shows its representative image at the top of its page, where none of the first can be shown', async () => {
    const archive = await nodeWithMedia(site, 130, TEXT);
    const last = await site.picture(archive, ORIGINAL);
    await site.changeNode(archive, { field_representative_image: [last.id] });
    const ofArchive = `SELECT source_id FROM reference WHERE source_type = 'media' AND field = 'field_media_of'
      AND target_id = ${archive} AND source_id <> ${last.id}`;
    await site.repository.running.services.database.write([
      `UPDATE file SET filemime = 'application/zip' WHERE id IN (SELECT target_id FROM reference
        WHERE source_type = 'media' AND field = 'field_media_image' AND source_id IN (${ofArchive}))`,
      `UPDATE media SET linked = NULL WHERE id IN (${ofArchive})`,
    ]);
    const html = await pageOf(archive, 'reader');
    expect(elementsOf(html, '.downloads .download').map(({ text }) => text)).not.toContain('PNG image');
    expect(elementsOf(html, '.viewer img').map(({ attributes }) => attributes.src)).toEqual([last.path]);
    expect(elementsOf(await pageOf(archive), '.viewer')).toEqual([]);
  });

  it('shows a picture at the top of its page', async () => {
    const many = await nodeWithMedia(site, 130, ORIGINAL);
    for (const id of [node, many]) {
      const html = await pageOf(id, 'reader');
      expect(elementsOf(html, '.viewer img')).toHaveLength(1);
      expect(elementsOf(html, '.downloads li')).toHaveLength(100);
    }
    expect(elementsOf(await pageOf(node), '.viewer, .downloads')).toEqual([]);
  });

  it('leads only callers who may use their list to it', async () => {
    for (const as of ['lister', 'admin']) {
      const html = await pageOf(node, as);
      expect([as, listLinks(html, node).length]).toEqual([as, 1]);
      const list = await site.repository.get(`/node/${node}/media`, as, { Accept: 'text/html' });
      expect([as, list.status]).toEqual([as, 200]);
      await list.body?.cancel();
    }
    const html = await pageOf(node, 'reader');
    expect(html).toContain('These are the first 100 files.');
    expect(listLinks(html, node)).toEqual([]);
    expect((await site.repository.get(`/node/${node}/media`, 'reader')).status).toBe(403);
  });
});

describe('a node with 100 media', () => {
  it('says nothing of more of them', async () => {
    const hundred = await nodeWithMedia(site, 100, ORIGINAL);
    const html = await pageOf(hundred, 'admin');
    expect(elementsOf(html, '.downloads li')).toHaveLength(100);
    expect(html).not.toContain('These are the first');
    expect(listLinks(html, hundred)).toEqual([]);
  });
});

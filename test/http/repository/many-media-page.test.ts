import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { nodeWithMedia } from '../../support/many-media.ts';
import { elementsOf } from '../../support/page.ts';
import type { Picture } from '../../support/site-builder.ts';
import type { As, EntityJson } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const TEXT = 'http://pcdm.org/use#ExtractedText';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const MAX_PAGE_BYTES = 30 * 1024;
const IDENTIFIER = 'http://purl.org/dc/terms/identifier.thumbnail';
/** Anonymous callers may view no media here. */
const MODEL = `
roles:
  anonymous:
    permissions: [access content]
`;

let site: LinkedSite;
let node: number;
let picture: Picture;
beforeAll(async () => {
  site = await createLinkedSite(MODEL);
  node = await nodeWithMedia(site, 130, TEXT);
  // Made last, it comes after all the others.
  picture = await site.picture(node, THUMBNAIL);
  await site.changeNode(node, { field_representative_image: [picture.id] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const pageOf = async (id: number, as?: As, query = '') =>
  (await site.repository.get(`/node/${id}?_format=html${query}`, as, { Accept: 'text/html' })).text();
/** The addresses and texts of the links of a page to a list. */
const linksTo = (html: string, list: string) =>
  elementsOf(html, `a[href$="#${list}"]`).map(({ attributes, text }) => [attributes.href, text]);

async function thumbnailOf(id: number, as?: As): Promise<unknown> {
  const response = await site.repository.get(`/node/${id}?_format=jsonld`, as);
  const { '@graph': resources } = (await response.json()) as { '@graph': [EntityJson] };
  return resources[0][IDENTIFIER]?.map((value: EntityJson) => value['@value']);
}

describe('a node with more than 100 media', () => {
  it('has its representative image as thumbnail in the graph, even if created last', async () => {
    for (const as of ['reader', 'loader', 'admin'])
      expect({ as, thumbnail: await thumbnailOf(node, as) }).toEqual({
        as,
        thumbnail: [`${site.repository.url}${picture.path}`],
      });
    expect(await thumbnailOf(node)).toBeUndefined();
  });

  it('shows its representative image on top if no earlier file can be shown', async () => {
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

  it('shows an image on top of its page and its first 20 files', async () => {
    const many = await nodeWithMedia(site, 130, ORIGINAL);
    for (const id of [node, many]) {
      const html = await pageOf(id, 'reader');
      expect(elementsOf(html, '.viewer img')).toHaveLength(1);
      expect(elementsOf(html, '.downloads li')).toHaveLength(20);
      expect(Buffer.byteLength(html)).toBeLessThan(MAX_PAGE_BYTES);
    }
    expect(elementsOf(await pageOf(node), '.viewer, .downloads')).toEqual([]);
  });

  it('lists every file on further pages with their own addresses', async () => {
    const first = await pageOf(node, 'reader');
    expect(linksTo(first, 'files')).toEqual([[`/node/${node}?files=0#files`, 'All 131 files']]);
    const files: string[] = [];
    for (let page = 0; page < 3; page++) {
      const html = await pageOf(node, 'reader', `&files=${page}`);
      expect(Buffer.byteLength(html)).toBeLessThan(MAX_PAGE_BYTES);
      files.push(...elementsOf(html, '.downloads li bdi').map(({ text }) => text));
      expect(elementsOf(html, '.downloads .pager [aria-current=page]').map(({ text }) => text)).toEqual([
        `Page ${page + 1}`,
      ]);
    }
    expect(files.filter((each) => each.startsWith('page ')).toSorted()).toEqual(
      Array.from({ length: 129 }, (_, at) => `page ${at}`).toSorted(),
    );
    expect(elementsOf(await pageOf(node, 'reader', '&files=9'), '.downloads')[0]?.text).toContain('ends at page 3');
    const refused = await site.repository.get(`/node/${node}?files=x`, 'reader', { Accept: 'text/html' });
    expect(refused.status).toBe(400);
  });

  it('shows an extracted text after the first hundred media', async () => {
    const long = await nodeWithMedia(site, 120, ORIGINAL);
    const text = await site.repository.put(
      `/node/${long}/media/extracted_text/${await site.repository.termId(TEXT)}`,
      'The harbour in winter',
      { 'Content-Type': 'text/plain', 'Content-Location': 'public://winter.txt' },
      'admin',
    );
    expect(text.status).toBe(201);
    const html = await pageOf(long, 'reader');
    expect(elementsOf(html, '.extracted-text .lines').map((each) => each.text)).toEqual(['The harbour in winter']);
    expect(elementsOf(html, '.downloads .facts').map((each) => each.text)).toHaveLength(20);
  });

  it('links to the first 20 files in its head', async () => {
    const html = await pageOf(node, 'reader');
    expect(elementsOf(html, 'head link[rel=item]')).toHaveLength(20);
    expect(elementsOf(html, 'head link[rel=linkset]').length).toBeGreaterThan(0);
  });
});

describe('a node with 20 media', () => {
  it('has no further list of files', async () => {
    const twenty = await nodeWithMedia(site, 20, ORIGINAL);
    const html = await pageOf(twenty, 'admin');
    expect(elementsOf(html, '.downloads li')).toHaveLength(20);
    expect(linksTo(html, 'files')).toEqual([]);
  });
});

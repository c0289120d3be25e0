import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyNode } from '../../support/copied-nodes.ts';
import { addressesIn, elementsOf } from '../../support/page.ts';
import { PNG } from '../../support/repository-routes.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { type As, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const HTML = { Accept: 'text/html' };
/** Of a page with 48 cards. */
const MAX_HTML_BYTES = 64 * 1024;
const SCRIPT = `"><script>alert(1)</script><img src=x onerror="alert(1)">`;

let repository: TestRepository;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** The page of a node. Throws for any answer but 200. */
async function pageOf(node: number, { query = '', as }: { query?: string; as?: As } = {}): Promise<string> {
  const response = await repository.get(`/node/${node}${query}`, as, HTML);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.text();
}

const textOf = (html: string) => elementsOf(html, 'main')[0]?.text.replaceAll(/\s+/g, ' ') ?? '';
const leadsTo = (html: string, node: number) =>
  elementsOf(html, 'a').some(
    ({ attributes }) => new URL(attributes.href ?? '', repository.url).pathname === `/node/${node}`,
  );
const thumbnail = { use: 'thumbnail', media: 'image', mimeType: 'image/png', name: 'a.png', bytes: PNG } as const;

describe('the page of a node', () => {
  it.each([
    ['255 characters', 'x'.repeat(255)],
    ['255 emoji', '👩‍🚀'.repeat(51)],
    ['Hebrew', 'מבט על הנמל'],
    ['markup', SCRIPT],
    ['nothing but a joiner', '\u200d'],
    ['control characters of direction', '\u202egnihton\u202c'],
  ])('shows a title of %s as text', async (_, title) => {
    const html = await pageOf(await build.node('image', title));
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual([title.trim()]);
    expect(elementsOf(html, 'h1')[0]?.attributes.dir).toBe('auto');
    expect(
      elementsOf(html, 'script:not([src])').filter(({ attributes }) => attributes.type !== 'application/ld+json'),
    ).toEqual([]);
    expect(elementsOf(html, '[onerror], [onload], img[src="x"]')).toEqual([]);
  });

  it('keeps stored markup and script in every text field from running', async () => {
    const texts = ['field_alt_title', 'field_extent', 'field_identifier', 'field_place_published', 'field_publisher'];
    const formatted = ['field_abstract', 'field_note', 'field_rights', 'field_table_of_contents'];
    const subject = await build.term('subject', SCRIPT);
    const node = await build.node('image', SCRIPT, {
      ...Object.fromEntries(texts.map((name) => [name, [SCRIPT]])),
      ...Object.fromEntries(formatted.map((name) => [name, [{ value: SCRIPT, format: 'basic_html' }]])),
      field_description: [SCRIPT],
      field_subject: [subject],
    });
    for (const html of [
      await pageOf(node),
      await (await repository.get(`/taxonomy/term/${subject}`, undefined, HTML)).text(),
    ]) {
      const scripts = elementsOf(html, 'script');
      for (const { attributes, text } of scripts)
        if (attributes.type === 'application/ld+json') JSON.parse(text);
        else expect(attributes.src).toStartWith('/assets/');
      expect(elementsOf(html, '[onerror], [onload], [style], style')).toEqual([]);
      expect(addressesIn(html).filter((address) => /^\s*(javascript|data):/i.test(address))).toEqual([]);
    }
  });

  it('omits unpublished neighbours for readers, and marks them for editors', async () => {
    const hidden = await build.node('collection', 'Secret shelf', { status: [false] });
    const parent = await build.node('collection', 'Open shelf', { field_member_of: [hidden] });
    const closed = await build.node('image', 'Secret letter', {
      status: [false],
      field_member_of: [parent],
      field_weight: [1],
    });
    const open = await build.node('image', 'Open letter', { field_member_of: [parent, hidden], field_weight: [2] });
    for (const node of [parent, open]) {
      const html = await pageOf(node);
      expect(html).not.toContain('Secret');
      expect(leadsTo(html, hidden)).toBe(false);
      expect(leadsTo(html, closed)).toBe(false);
    }
    expect(textOf(await pageOf(parent))).toContain(
      'In this collection1 itemSearch in this collectionSearchOpen letter',
    );
    const editors = await pageOf(parent, { as: 'admin' });
    expect(leadsTo(editors, closed)).toBe(true);
  });

  it('links to both collections of a node', async () => {
    const [first, second] = [await build.node('collection', 'First'), await build.node('collection', 'Second')];
    const html = await pageOf(await build.node('image', 'In both', { field_member_of: [first, second] }));
    expect({ first: leadsTo(html, first), second: leadsTo(html, second) }).toEqual({ first: true, second: true });
  });

  it('handles a cycle of members, also in the manifest', async () => {
    const one = await build.node('compound', 'One');
    const two = await build.node('compound', 'Two', { field_member_of: [one] });
    await build.change(`/node/${one}`, { type: 'islandora_object', field_member_of: [two] });
    const self = await build.node('compound', 'Self');
    await build.change(`/node/${self}`, { type: 'islandora_object', field_member_of: [self] });
    for (const node of [one, two, self]) {
      await pageOf(node);
      expect((await repository.get(`/node/${node}/manifest`)).status).toBeLessThan(500);
    }
  });
});

describe('the page of a collection', () => {
  it('shows that there are no members', async () => {
    const html = await pageOf(await build.node('collection', 'Empty shelf'));
    expect(textOf(html)).toMatch(/no items|nothing/i);
  });

  it('shows a card without a picture for a member without a thumbnail', async () => {
    const parent = await build.node('collection', 'Shelf');
    const member = await build.node('image', 'Not digitised', { field_member_of: [parent] });
    const html = await pageOf(parent);
    expect(leadsTo(html, member)).toBe(true);
    expect(elementsOf(html, 'main img[src*="/files/"]')).toEqual([]);
  });
});

describe('the page of an item whose file is lost', () => {
  it('is complete except for the file', async () => {
    const node = await build.node('image', 'Lost');
    await build.upload(node, { ...thumbnail, use: 'original', name: 'lost.png' });
    await rm(join(repository.dataFolder, 'files'), { recursive: true });
    expect(elementsOf(await pageOf(node), 'h1').map(({ text }) => text)).toEqual(['Lost']);
    expect((await repository.get(`/node/${node}/manifest`)).status).toBeLessThan(500);
  });
});

/** Rows are copied: nothing can be added to their repository any more. */
describe('the page of a node with very many members', () => {
  let many: TestRepository;
  let collection: number;
  let book: number;
  beforeAll(async () => {
    many = await createTestRepository();
    const filler = new SiteBuilder(many);
    collection = await filler.node('collection', 'Large shelf');
    book = await filler.node('book', 'A thousand leaves');
    const member = await filler.node('image', 'Copied', { field_member_of: [collection], field_weight: [1] });
    const page = await filler.node('page', 'A leaf', { field_member_of: [book], field_weight: [1] });
    await filler.upload(member, thumbnail);
    await filler.upload(page, { ...thumbnail, use: 'service', name: 'leaf.png' });
    await copyNode(many.running.services.database, member, 4_999, 'many');
    await copyNode(many.running.services.database, page, 999, 'leaf');
  });
  afterAll(() => many.stop());

  const open = async (node: number, query = '') => many.get(`/node/${node}${query}`, undefined, HTML);

  it('has small pages for 5,000 members, and no error after the last', async () => {
    const first = await (await open(collection)).text();
    expect(textOf(first)).toContain('5,000 items');
    expect(Buffer.byteLength(first)).toBeLessThan(MAX_HTML_BYTES);
    const last = await (await open(collection, '?page=104')).text();
    expect(elementsOf(last, 'main img').length).toBeLessThanOrEqual(48);
    for (const query of ['?page=105', '?page=-1', '?page=x', '?page=1e99'])
      expect((await open(collection, query)).status).toBeLessThan(500);
  });

  it('is small for a book of 1,000 pages, whose manifest is complete', async () => {
    expect(Buffer.byteLength(await (await open(book)).text())).toBeLessThan(MAX_HTML_BYTES);
    const manifest = (await (await many.get(`/node/${book}/manifest`)).json()) as { items: unknown[] };
    expect(manifest.items).toHaveLength(1_000);
  });
});

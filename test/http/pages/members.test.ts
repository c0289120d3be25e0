import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { copyNode } from '../../support/copied-nodes.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { addressesIn, elementsOf } from '../../support/page.ts';

const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';

let site: LinkedSite;
let collection: number;

beforeAll(async () => {
  site = await createLinkedSite();
  const response = await site.repository.get('/vocabulary/islandora_models?_format=json', 'admin');
  const models = (await response.json()) as { name: { value: string }[]; tid: { value: number }[] }[];
  collection = models.find(({ name }) => name[0]?.value === 'Collection')?.tid[0]?.value as number;
});
afterAll(() => site.stop());

async function pageOf(path: string, as?: string): Promise<string> {
  const response = await site.repository.get(path, as, { Accept: 'text/html' });
  expect(response.headers.get('content-type')).toStartWith('text/html');
  return response.text();
}

const node = (title: string, parents: number[] = [], fields: object = {}) =>
  site.node({ title: [title], field_member_of: parents, ...fields }, 'admin');

const texts = (html: string, selector: string) =>
  elementsOf(html, selector).map(({ text }) => text.replace(/\s+/g, ' '));
const links = (html: string, selector: string) => elementsOf(html, selector).map(({ attributes }) => attributes.href);

describe('the members of a collection', () => {
  it('are cards with a picture of known size, a title and one line', async () => {
    const parent = await node('Views', [], { field_model: [collection] });
    const photo = await node('Moon & <i>Half</i> Dome', [parent], { field_edtf_date_created: ['1929~'] });
    const { path } = await site.picture(photo, THUMBNAIL);
    await node('Recording', [parent]);
    const html = await pageOf(`/node/${parent}`);
    expect(texts(html, '#members h2')).toEqual(['In this collection']);
    expect(texts(html, '#members header > span')).toEqual(['2 items']);
    expect(texts(html, '.card-title')).toEqual(['Moon & <i>Half</i> Dome', 'Recording']);
    expect(texts(html, '.card-note')).toEqual(['Image · about 1929', 'Image']);
    expect(elementsOf(html, '.card img').map(({ attributes }) => attributes)).toEqual([
      { src: path, alt: '', width: '1', height: '1', decoding: 'async' },
    ]);
    expect(elementsOf(html, '.card svg')).toHaveLength(1);
  });

  it('are replaced by a sentence only in an empty collection', async () => {
    const empty = await node('Empty', [], { field_model: [collection] });
    expect(texts(await pageOf(`/node/${empty}`), '#members .empty')).toEqual(['This collection has no items yet.']);
    expect(elementsOf(await pageOf(`/node/${await node('Photo')}`), '#members')).toEqual([]);
  });

  it('are hidden if the caller may not view them', async () => {
    const parent = await node('Drafts', [], { field_model: [collection] });
    const draft = await node('Secret plan', [parent], { status: [false] });
    const html = await pageOf(`/node/${parent}`);
    expect(texts(html, '#members .empty')).toEqual(['This collection has no items yet.']);
    expect(html).not.toContain('Secret plan');
    expect(addressesIn(html)).not.toContain(`/node/${draft}`);
    expect(texts(await pageOf(`/node/${parent}`, 'admin'), '.card-note')).toEqual(['Image · not published']);
  });

  it('appear once they are published, even on a cached page', async () => {
    const parent = await node('Growing', [], { field_model: [collection] });
    const draft = await node('New', [parent], { status: [false] });
    expect(texts(await pageOf(`/node/${parent}`), '.card-title')).toEqual([]);
    await site.changeNode(draft, { status: [true] });
    expect(texts(await pageOf(`/node/${parent}`), '.card-title')).toEqual(['New']);
    await site.changeNode(draft, { title: ['Newer'] });
    expect(texts(await pageOf(`/node/${parent}`), '.card-title')).toEqual(['Newer']);
  });

  it('may form a cycle', async () => {
    const first = await node('First', [], { field_model: [collection] });
    const second = await node('Second', [first], { field_model: [collection] });
    await site.changeNode(first, { field_member_of: [second, first] });
    expect(texts(await pageOf(`/node/${first}`), '.card-title')).toEqual(['Second']);
    const html = await pageOf(`/node/${second}`);
    expect(texts(html, '.card-title, .way a')).toEqual(['First', 'First']);
  });

  it('keep long titles whole, each in its direction', async () => {
    const parent = await node('Titles', [], { field_model: [collection] });
    const long = 'W'.repeat(255);
    await node(long, [parent]);
    await node('مخطوطة قديمة 📜', [parent]);
    const titles = elementsOf(await pageOf(`/node/${parent}`), '.card-title');
    expect(titles.map(({ text }) => text)).toEqual([long, 'مخطوطة قديمة 📜']);
    for (const { attributes } of titles) expect(attributes).toEqual({ class: 'card-title', dir: 'auto' });
  });
});

describe('a collection of 5,000 members', () => {
  let parent: number;
  beforeAll(async () => {
    parent = await node('Large', [], { field_model: [collection] });
    const first = await node('One of many', [parent]);
    await copyNode(site.repository.running.services.database, first, 4_999, 'large');
  });

  it('has pages with addresses', async () => {
    const html = await pageOf(`/node/${parent}?page=50`);
    expect(texts(html, '#members header > span')).toEqual(['5,000 items']);
    expect(elementsOf(html, '.card')).toHaveLength(48);
    expect(texts(html, '.pager a')).toEqual([
      ...['Previous', 'Page 1', 'Page 49', 'Page 50', 'Page 51', 'Page 52', 'Page 53', 'Page 105', 'Next'],
    ]);
    expect(elementsOf(html, '.pager a[aria-current]').map(({ text }) => text)).toEqual(['Page 51']);
    expect(links(html, '.pager a[rel=prev]')).toEqual([`/node/${parent}?page=49#members`]);
    expect(links(html, '.pager a[rel=next]')).toEqual([`/node/${parent}?page=51#members`]);
    expect(links(html, '.pager a')[1]).toBe(`/node/${parent}#members`);
  });

  it('ends with its last page, and reports the end on later pages', async () => {
    expect(elementsOf(await pageOf(`/node/${parent}?page=104`), '.card')).toHaveLength(8);
    const behind = await pageOf(`/node/${parent}?page=999999`);
    expect(texts(behind, '#members .empty')).toEqual(['This list ends at page 105.']);
    expect(links(behind, '.pager a[rel=prev]')).toEqual([`/node/${parent}?page=104#members`]);
  });

  it('keeps order and layout across pages', async () => {
    const html = await pageOf(`/node/${parent}?sort=title&view=list`);
    expect(elementsOf(html, 'ul.cards-list')).toHaveLength(1);
    expect(links(html, '.pager a[rel=next]')).toEqual([`/node/${parent}?page=1&sort=title&view=list#members`]);
    expect(texts(html, '.choices a[aria-current]')).toEqual(['Title', 'List']);
    expect(links(html, '.choices a')).toContain(`/node/${parent}?view=list#members`);
  });

  it.each(['page=-1', 'page=x', 'page=1.5', 'page=1e9', 'sort=weight', 'view=x', 'in=-3'])(
    'rejects ?%s with an error page',
    async (query) => {
      const response = await site.repository.get(`/node/${parent}?${query}`, undefined, { Accept: 'text/html' });
      expect(response.status).toBe(400);
      expect(texts(await response.text(), 'main').join()).toContain(query.split('=')[0] as string);
    },
  );
});

describe('the navigation of a node', () => {
  it('leads up to its collections and on to its siblings', async () => {
    const top = await node('Top', [], { field_model: [collection] });
    const [one, two] = [await node('One', [top]), await node('Two')];
    const before = await node('Before', [two]);
    const item = await node('Item', [one, two]);
    const html = await pageOf(`/node/${item}`);
    expect(elementsOf(html, '.way').map(({ text }) => text)).toEqual(['TopOne', 'Two']);
    expect(links(html, '.way a')).toEqual([`/node/${top}`, `/node/${one}`, `/node/${two}`]);
    expect(elementsOf(html, '.siblings')).toEqual([]);
    const inTwo = await pageOf(`/node/${item}?in=${two}`);
    expect(links(inTwo, '.siblings a[rel=prev]')).toEqual([`/node/${before}?in=${two}`]);
    // The collection leads to its guest with its own id.
    expect(links(await pageOf(`/node/${two}`), '.card a')).toEqual([`/node/${before}`, `/node/${item}?in=${two}`]);
    expect(links(await pageOf(`/node/${one}`), '.card a')).toEqual([`/node/${item}`]);
  });

  it('omits collections that the caller may not view', async () => {
    const draft = await node('Secret collection', [], { status: [false] });
    const item = await node('Item', [draft]);
    await node('Neighbour', [draft]);
    const html = await pageOf(`/node/${item}`);
    expect(elementsOf(html, '.way, .siblings')).toEqual([]);
    expect(html).not.toContain('Secret collection');
  });
});

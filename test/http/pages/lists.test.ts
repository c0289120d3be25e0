import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { elementsOf } from '../../support/page.ts';

let site: LinkedSite;
beforeAll(async () => {
  site = await createLinkedSite();
});
afterAll(() => site.stop());

async function pageOf(path: string, as?: string): Promise<string> {
  const response = await site.repository.get(path, as, { Accept: 'text/html' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  return response.text();
}

const texts = (html: string, selector: string) => elementsOf(html, selector).map(({ text }) => text);
const links = (html: string, selector: string) => elementsOf(html, selector).map(({ attributes }) => attributes.href);

describe('the page of a term', () => {
  it('lists the items with this term that the caller may view', async () => {
    const term = await site.term('subject', 'Mountains');
    const item = await site.node({ title: ['Half Dome'], field_subject: [term] });
    await site.node({ title: ['Draft'], field_subject: [term], status: [false] }, 'admin');
    const html = await pageOf(`/taxonomy/term/${term}`);
    expect(texts(html, '.card-title')).toEqual(['Half Dome']);
    expect(links(html, '.card a')).toEqual([`/node/${item}`]);
    expect(texts(html, '#items .soft')).toEqual(['1 item']);
    expect(texts(await pageOf(`/taxonomy/term/${term}`, 'admin'), '.card-title')).toEqual(['Draft', 'Half Dome']);
  });

  it('links to the narrower terms that the caller may view', async () => {
    const parent = await site.term('genre', 'Pictures');
    const below = await site.term('genre', 'Photographs', { parent: [parent], weight: [2] });
    const first = await site.term('genre', 'صور', { parent: [parent], weight: [1] });
    await site.term('genre', 'Secret', { parent: [parent], status: [false] });
    const html = await pageOf(`/taxonomy/term/${parent}`);
    expect(texts(html, '.narrower a')).toEqual(['صور', 'Photographs']);
    expect(links(html, '.narrower a')).toEqual([`/taxonomy/term/${first}`, `/taxonomy/term/${below}`]);
    expect(texts(await pageOf(`/taxonomy/term/${parent}`, 'admin'), '.narrower a')).toContain('Secret');
  });

  it('lists a new item immediately, and has pages', async () => {
    const term = await site.term('subject', 'Rivers');
    expect(texts(await pageOf(`/taxonomy/term/${term}`), '.empty')).toEqual(['No item refers to this term yet.']);
    await site.node({ title: ['Danube'], field_subject: [term] });
    expect(texts(await pageOf(`/taxonomy/term/${term}`), '.card-title')).toEqual(['Danube']);
    const behind = await pageOf(`/taxonomy/term/${term}?page=7&sort=title`);
    expect(texts(behind, '.empty')).toEqual(['This list ends at page 1.']);
    expect(links(behind, '.pager a[rel=prev]')).toEqual([`/taxonomy/term/${term}?sort=title#items`]);
  });
});

describe('the page of a user', () => {
  it('shows the name, and the items that the caller may view', async () => {
    const writer = await site.repository.user('<b>Wri & ter</b>', 'workbench_user');
    await site.node({ title: ['Open'], uid: [writer] }, 'admin');
    await site.node({ title: ['Draft'], uid: [writer], status: [false] }, 'admin');
    const html = await pageOf(`/user/${writer}`, 'loader');
    expect(texts(html, 'h1')).toEqual(['<b>Wri & ter</b>']);
    expect(texts(html, '.card-title')).toEqual(['Open']);
    expect(texts(await pageOf(`/user/${writer}`, 'admin'), '.card-title')).toEqual(['Draft', 'Open']);
  });

  it('is complete without a picture or items, and shows outlines for missing pictures', async () => {
    const id = await site.repository.user('newcomer');
    const empty = await pageOf(`/user/${id}`, 'loader');
    expect(texts(empty, 'h1, #items .empty')).toEqual([
      'newcomer',
      'There are no items of this user that you may view.',
    ]);
    expect(elementsOf(empty, 'main img')).toEqual([]);
    await site.node({ title: ['Without a picture'], uid: [id] }, 'admin');
    const filled = await pageOf(`/user/${id}`, 'loader');
    expect(texts(filled, '.card-title')).toEqual(['Without a picture']);
    expect(elementsOf(filled, '.card-picture svg')).toHaveLength(1);
    expect(elementsOf(filled, 'main img')).toEqual([]);
  });

  it('omits what its JSON omits', async () => {
    const { services } = site.repository.running;
    const id = await site.repository.user('quiet');
    await services.database.write([
      { sql: `UPDATE user SET mail = 'quiet@example.org', timezone = 'Asia/Tokyo' WHERE id = ?`, args: [id] },
    ]);
    const html = await pageOf(`/user/${id}`, 'loader');
    for (const secret of ['quiet@example.org', 'Asia/Tokyo', 'workbench_user']) expect(html).not.toContain(secret);
  });

  it('requires the same access as its JSON', async () => {
    const id = await site.repository.user('hidden');
    for (const [path, as] of [
      [`/user/${id}`, undefined],
      [`/user/${id}`, 'reader'],
      ['/user/999999', 'admin'],
    ] as const) {
      const page = await site.repository.get(path, as, { Accept: 'text/html' });
      const json = await site.repository.get(`${path}?_format=json`, as);
      expect(page.status).toBe(json.status);
      const html = await page.text();
      expect(
        elementsOf(html, 'title, main')
          .map(({ text }) => text)
          .join(),
      ).not.toContain('hidden');
    }
  });

  it('returns JSON to programs', async () => {
    const response = await site.repository.get(`/user/${site.loader}`, 'loader');
    expect(response.headers.get('content-type')).toBe('application/json');
    const page = await site.repository.get(`/user/${site.loader}?_format=html`, 'loader');
    expect(page.headers.get('link')).toBe(response.headers.get('link'));
    const etag = page.headers.get('etag') ?? '';
    const again = await site.repository.get(`/user/${site.loader}?_format=html`, 'loader', { 'If-None-Match': etag });
    expect(again.status).toBe(304);
  });
});

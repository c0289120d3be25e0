import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { confirmPage, runBulk } from '../../support/bulk-call.ts';
import { errorsOf, type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let admin: FormBrowser;
let book: number;
let folder: number;

beforeAll(async () => {
  repository = await createTestRepository();
  const build = new SiteBuilder(repository);
  admin = await signedIn(repository, 'admin');
  const collection = await build.node('collection', 'Harbour papers');
  book = await build.node('book', 'The ledger (1901)', { field_member_of: [collection] });
  const folios = Array.from({ length: 60 }, (_, at) => `Folio ${at + 1}`);
  await Promise.all(folios.map((title) => build.node('page', title, { field_member_of: [book] })));
  folder = await build.node('compound', 'A folder', { field_member_of: [collection] });
  await build.node('image', 'A photograph', { field_member_of: [folder] });
  await repository.post('/node?_format=json', { type: 'page', title: ['About us'] }, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const titlesOf = (page: OpenPage) => page.elements('tbody th a').map(({ text }) => text);

describe('the list of content', () => {
  it('shows works, books once, with the number of their members as a link to these', async () => {
    const page = await admin.open('/admin/content?sort=title');
    expect(titlesOf(page)).toEqual(['A folder', 'A photograph', 'About us', 'Harbour papers', 'The ledger (1901)']);
    expect(page.html).toContain('5 items');
    const links = page.elements('td.number a').map(({ text, attributes }) => [text, attributes.href]);
    expect(links).toContainEqual(['60 members of The ledger (1901)', `/admin/content?parent=${book}`]);
    expect(links).toHaveLength(3);
  });

  it('shows pages, too, if asked', async () => {
    const shown = (await admin.open('/admin/content?title=folio')).elements('nav[aria-label="Shown items"] a');
    expect(shown.map(({ text, attributes }) => [text, attributes.href?.replaceAll('&amp;', '&')])).toEqual([
      ['Works', '/admin/content?title=folio'],
      ['All items, with pages', '/admin/content?title=folio&show=all'],
    ]);
    const all = await admin.open('/admin/content?title=folio&show=all');
    expect(titlesOf(all)).toHaveLength(50);
    expect(all.html).toContain('60 items');
  });

  it.each([
    ['the number', () => String(book), 60],
    ['the title with the number', () => `The ledger (1901) (${book})`, 60],
    ['the title', () => 'a folder', 1],
  ])('finds the members of any item by %s', async (_name, text, count) => {
    const page = await admin.open(`/admin/content?parent=${encodeURIComponent(text())}`);
    expect(page.html).toContain(count === 1 ? '1 item' : `${count} items`);
    expect(page.elements('.chips a')[0]?.text).toStartWith('Remove the filter Member of: ');
  });

  it.each([
    ['Nothing of this name', 'Nothing is called "Nothing of this name". Choose a name that exists.'],
    ['999999', 'There is no item 999999.'],
  ])('reports an unknown item: %s', async (text, message) => {
    const page = await admin.open(`/admin/content?parent=${encodeURIComponent(text)}`);
    expect([page.status, errorsOf(page)]).toEqual([422, [message]]);
  });

  it('selects all members across pages, and the works that it shows', async () => {
    const page = await confirmPage(admin, 'node', 'unpublish', `parent=${book}`);
    expect(page.html).toContain('Unpublish 60 items');
    expect((await runBulk(admin, 'node', 'unpublish', `parent=${book}`)).counts).toMatchObject({ done: 60 });
    expect((await confirmPage(admin, 'node', 'unpublish', '')).html).toContain('Unpublish 5 items');
    expect((await confirmPage(admin, 'node', 'unpublish', 'show=all')).html).toContain('Unpublish 65 items');
  });
});

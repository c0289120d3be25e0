import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
let editor: FormBrowser;
let collection: number;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  [admin, editor] = await Promise.all([signedIn(repository, 'admin'), signedIn(repository, 'editor')]);
  collection = await build.node('collection', 'Harbour photographs');
  const lighthouse = await build.node('image', 'The lighthouse at the outer breakwater', {
    field_member_of: [collection],
  });
  await build.node('image', 'Lightning over the bay', {}, 'editor');
  await build.node('image', 'Closed until 2040', { status: [false] });
  const file = { use: 'original', media: 'file', mimeType: 'text/plain', name: '50%_plan.txt', bytes: 'text' } as const;
  await build.upload(lighthouse, file);
  for (let at = 0; at < 55; at++) await build.node('audio', `Recording ${String(at).padStart(2, '0')}`);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const titlesOf = (page: OpenPage) => page.elements('tbody th a').map(({ text }) => text);
const links = (page: OpenPage) =>
  Object.fromEntries(
    page
      .elements('nav.list-links a')
      .map(({ text, attributes }) => [text, (attributes.href ?? '').replaceAll('&amp;', '&')]),
  );

describe('/admin/content', () => {
  it.each([
    ['title=light', ['Lightning over the bay', 'The lighthouse at the outer breakwater']],
    ['title=OUTER+light', ['The lighthouse at the outer breakwater']],
    ['published=no', ['Closed until 2040']],
    ['owner=Editor', ['Lightning over the bay']],
    ['title=light&owner=editor&published=yes', ['Lightning over the bay']],
    ['title=light&changed_until=2001-01-01', []],
    [
      'title=light&changed_since=2001-01-01&sort=title',
      ['Lightning over the bay', 'The lighthouse at the outer breakwater'],
    ],
  ])('filters by %s', async (query, titles) => {
    const page = await admin.open(`/admin/content?${query}`);
    expect({ status: page.status, titles: titlesOf(page).toSorted() }).toEqual({ status: 200, titles });
  });

  it('filters by collection and model, and shows each filter as a link that removes it', async () => {
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    const page = await admin.open(`/admin/content?collection=${collection}&model=${model}`);
    expect(titlesOf(page)).toEqual(['The lighthouse at the outer breakwater']);
    const chips = page.elements('.chips a').map(({ text, attributes }) => [text, attributes.href]);
    expect(chips).toEqual([
      ['Remove the filter Model: Image ×', `/admin/content?collection=${collection}`],
      ['Remove the filter Collection: Harbour photographs ×', `/admin/content?model=${model}`],
      ['Remove all filters', '/admin/content'],
    ]);
  });

  it('pages forwards and backwards, keeping filters, order and total', async () => {
    const first = await admin.open('/admin/content?title=recording&sort=title&type=');
    expect(first.html).toContain('55 items');
    expect(titlesOf(first)).toHaveLength(50);
    const second = await admin.open(links(first).Next ?? '');
    expect(titlesOf(second)).toEqual(['Recording 50', 'Recording 51', 'Recording 52', 'Recording 53', 'Recording 54']);
    expect(second.html).toContain('55 items');
    expect(titlesOf(await admin.open(links(second).Previous ?? ''))).toEqual(titlesOf(first));
    expect(Object.keys(links(second))).toEqual(['First', 'Previous']);
  });

  it('marks the sorted column, and links to the opposite order', async () => {
    const page = await admin.open('/admin/content?title=light&sort=title');
    expect(page.elements('thead th[aria-sort=ascending]').map(({ text }) => text)).toEqual(['Title ↑']);
    expect(page.elements('thead th a').map(({ attributes }) => attributes.href?.replaceAll('&amp;', '&'))).toEqual([
      '/admin/content?title=light&sort=-title',
      '/admin/content?title=light',
    ]);
  });

  it.each([
    ['owner=nobody', 'No user has the name “nobody”.'],
    ['changed_since=soon', 'Enter a day, such as 2026-11-23.'],
    ['type=spaceship', 'Choose one of the types.'],
    ['title=%3F%3F', 'Enter at least one word of the title.'],
  ])('shows the error of %s, and the typed value', async (query, message) => {
    const page = await admin.open(`/admin/content?${query}`);
    expect(page.status).toBe(422);
    expect(page.elements('.error-summary a').map(({ text }) => text)).toEqual([message]);
    expect(titlesOf(page)).toEqual([]);
  });

  it('reports that no item matches', async () => {
    expect((await admin.open('/admin/content?title=submarine')).html).toContain('No items match these filters.');
  });

  it('hides items that the caller may not view', async () => {
    expect(titlesOf(await editor.open('/admin/content?title=closed'))).toEqual(
      (await repository.get('/node?_format=json&published=false', 'editor').then((r) => r.json() as Promise<unknown[]>))
        .length === 0
        ? []
        : ['Closed until 2040'],
    );
  });

  it('requires a permission', async () => {
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open('/admin/content')).status).toBe(403);
    expect((await reader.open('/admin/content/media')).status).toBe(403);
    expect((await repository.get('/admin/content', undefined, { Accept: 'text/html' })).status).toBe(401);
  });

  it('links to the pages that the caller may open', async () => {
    const tabs = async (browser: FormBrowser) =>
      (await browser.open('/admin/content')).elements('.tabs a').map(({ text }) => text);
    expect(await tabs(admin)).toEqual(['Content', 'Media', 'Requests for access', 'Bulk changes', 'Accessibility']);
    expect((await tabs(editor)).includes('Media')).toBe((await editor.open('/admin/content/media')).status === 200);
  });

  it('rejects the page position of another order', async () => {
    const { Next = '' } = links(await admin.open('/admin/content?sort=title'));
    expect((await admin.open(Next.replace('sort=title', 'sort=-title'))).status).toBe(400);
  });
});

describe('/admin/content/media', () => {
  it('finds media by part of the name, and shows their item', async () => {
    const page = await admin.open('/admin/content/media?name=%25_PLAN');
    expect(titlesOf(page)).toEqual(['50%_plan.txt']);
    expect(page.html).toContain('The lighthouse at the outer breakwater');
    expect(titlesOf(await admin.open('/admin/content/media?name=0%25%25p'))).toEqual([]);
  });

  it('filters media by the collection of their item', async () => {
    expect(titlesOf(await admin.open(`/admin/content/media?collection=${collection}`))).toEqual(['50%_plan.txt']);
    expect(titlesOf(await admin.open('/admin/content/media?collection=999999'))).toEqual([]);
  });
});

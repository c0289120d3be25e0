import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf, movedTo, runBulk } from '../../support/bulk-call.ts';
import { errorsOf, type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('loader', 'workbench_user');
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = async (path: string): Promise<EntityJson> =>
  (await (await repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;
const isPublished = async (id: number) => (await read(`/node/${id}`)).status[0].value as boolean;
const exists = async (path: string) => (await repository.get(`${path}?_format=json`, 'admin')).status !== 404;
const TEXT = { use: 'original', media: 'file', mimeType: 'text/plain' } as const;

/** A book with pages, in a collection. Each page has a file. */
async function addBook(title = 'The ledger', pages = 2) {
  const collection = await build.node('collection', `Papers of ${title}`);
  const book = await build.node('book', title, { field_member_of: [collection] });
  const ofBook = [];
  const media = [];
  for (let at = 0; at < pages; at++) {
    const page = await build.node('page', `Page ${at + 1} of ${title}`, { field_member_of: [book] });
    ofBook.push(page);
    media.push(await build.upload(page, { ...TEXT, name: `${book}-${at}.txt`, bytes: 'text' }));
  }
  return { collection, book, pages: ofBook, media };
}

const choicesOf = (page: OpenPage) =>
  page.elements('.member-choices .check').map(({ text }) => text.replace(/\s+/g, ' ').trim());
const chosenOf = (page: OpenPage) => page.elements('[name=members][checked]').map(({ attributes }) => attributes.value);

describe('the page that publishes and unpublishes an item', () => {
  it('hides a book with its pages by default, in one change that can be undone', async () => {
    const { book, pages } = await addBook();
    const page = await admin.open(`/node/${book}/publication`);
    expect(page.html).toContain('Unpublish “The ledger”');
    expect(choicesOf(page)).toEqual(['This item alone', 'With pages (2 pages)']);
    expect(chosenOf(page)).toEqual(['pages']);
    const run = movedTo(await page.submit());
    expect(await isPublished(book)).toBe(false);
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 3, skipped: 0 });
    expect(await Promise.all(pages.map(isPublished))).toEqual([false, false]);
    const undo = movedTo(await (await admin.open(run)).submit({}, { action: `${run}/undo` }));
    await endOf(admin, undo);
    expect(await Promise.all([book, ...pages].map(isPublished))).toEqual([true, true, true]);
  });

  it('leaves the items of a collection alone by default, and offers everything below it', async () => {
    const { collection, book, pages } = await addBook('Letters');
    const page = await admin.open(`/node/${collection}/publication`);
    expect(choicesOf(page)).toEqual(['This item alone', 'With everything below (3 items)']);
    expect(chosenOf(page)).toEqual(['none']);
    expect(movedTo(await page.submit())).toBe(`/node/${collection}`);
    expect(await Promise.all([collection, book].map(isPublished))).toEqual([false, true]);
    await endOf(
      admin,
      movedTo(await (await admin.open(`/node/${collection}/publication?action=unpublish`)).submit({ members: 'all' })),
    );
    expect(await Promise.all([book, ...pages].map(isPublished))).toEqual([false, false, false]);
  });

  it('keeps a page that is also in another published book, and names it', async () => {
    const { book, pages } = await addBook('First edition');
    const other = await build.node('book', 'Second edition');
    const [shared = 0, own = 0] = pages;
    await build.change(`/node/${shared}`, { type: 'islandora_object', field_member_of: [book, other] });
    const page = await admin.open(`/node/${book}/publication`);
    expect(choicesOf(page)[1]).toContain(
      'With pages (1 page)1 page stays as before.Page 1 of First edition: It also belongs',
    );
    const run = movedTo(await page.submit());
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 2, skipped: 1 });
    expect(await Promise.all([shared, own].map(isPublished))).toEqual([true, false]);
    expect((await admin.open(`${run}?show=skipped`)).html).toContain('Page 1 of First edition');
  });

  it('changes nothing if another user has changed the item since', async () => {
    const { book, pages } = await addBook('Diary');
    const page = await admin.open(`/node/${book}/publication`);
    await build.change(`/node/${book}`, { type: 'islandora_object', title: ['A diary'] });
    const answer = await page.submit();
    expect(answer.status).toBe(409);
    expect(errorsOf(answer).join()).toContain('Another user has changed this item');
    expect(await Promise.all([book, ...pages].map(isPublished))).toEqual([true, true, true]);
  });

  it('follows the form of an item whose status was changed', async () => {
    const { book, pages } = await addBook('Chronicle');
    const form = await admin.open(`/node/${book}/edit`);
    const answer = await form.submit({ 'status.0.value': '0' }, { action: `/node/${book}/edit` });
    const question = new URL(answer.headers.get('location') ?? '');
    expect(question.pathname + question.search).toBe(`/node/${book}/publication?action=unpublish`);
    const page = await admin.open(question.pathname + question.search);
    expect(page.html).toContain('The item itself is unpublished.');
    await endOf(admin, movedTo(await page.submit()));
    expect(await Promise.all(pages.map(isPublished))).toEqual([false, false]);
    // Nothing is left to ask.
    const again = await (await admin.open(`/node/${pages[0]}/edit`)).submit(
      { 'status.0.value': '1' },
      { action: `/node/${pages[0]}/edit` },
    );
    expect(movedTo(again)).toBe(`/node/${pages[0]}`);
  });

  it('is only for users who may publish, and linked on the pages of items for them', async () => {
    const { book } = await addBook('Atlas', 1);
    const reader = await signedIn(repository, 'loader');
    expect((await reader.open(`/node/${book}/publication`)).status).toBe(403);
    expect((await admin.open(`/node/${book}`)).elements(`a[href="/node/${book}/publication"]`)).toHaveLength(1);
    expect((await reader.open(`/node/${book}`)).elements(`a[href="/node/${book}/publication"]`)).toHaveLength(0);
  });
});

describe('the form that deletes an item with members', () => {
  it('deletes a book with its pages, media and files by default', async () => {
    const { book, pages, media, collection } = await addBook('Accounts');
    const page = await admin.open(`/node/${book}/delete`);
    expect(chosenOf(page)).toEqual(['pages']);
    expect(page.html).toContain('Delete the media and files, too (2 media)');
    const run = movedTo(await page.submit());
    expect(await exists(`/node/${book}`)).toBe(false);
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 3 });
    const gone = [...pages.map((id) => `/node/${id}`), ...media.map((id) => `/media/${id}`)];
    expect(await Promise.all(gone.map(exists))).toEqual(gone.map(() => false));
    expect((await repository.get(`/sites/default/files/${book}-0.txt`)).status).toBe(404);
    expect(await exists(`/node/${collection}`)).toBe(true);
  });

  it('keeps a page that is in two books', async () => {
    const { book, pages } = await addBook('Songs');
    const other = await build.node('book', 'More songs');
    const [shared = 0, own = 0] = pages;
    await build.change(`/node/${shared}`, { type: 'islandora_object', field_member_of: [book, other] });
    const run = movedTo(await (await admin.open(`/node/${book}/delete`)).submit());
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 2, skipped: 1 });
    expect(await Promise.all([shared, own].map((id) => exists(`/node/${id}`)))).toEqual([true, false]);
  });

  it('deletes a collection with its items only with its title', async () => {
    const { collection, book, pages } = await addBook('Maps', 1);
    const page = await admin.open(`/node/${collection}/delete`);
    expect(chosenOf(page)).toEqual(['none']);
    const refused = await page.submit({ members: 'all', title: 'Maps' });
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual(['To delete everything below it, type “Papers of Maps”.']);
    expect(await exists(`/node/${collection}`)).toBe(true);
    const run = movedTo(await page.submit({ members: 'all', title: 'Papers of Maps' }));
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 3 });
    expect(await Promise.all([collection, book, ...pages].map((id) => exists(`/node/${id}`)))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('the deletion of a large book', () => {
  it('continues after a restart', async () => {
    const book = await build.node('book', 'The great ledger');
    const pages = await Promise.all(
      Array.from({ length: 150 }, (_, at) => build.node('page', `Folio ${at}`, { field_member_of: [book] })),
    );
    const run = movedTo(await (await admin.open(`/node/${book}/delete`)).submit());
    await repository.restart();
    admin = await signedIn(repository, 'admin');
    expect(await exists(`/node/${book}`)).toBe(false);
    expect((await endOf(admin, run)).counts).toMatchObject({ done: 151, waiting: 0 });
    expect((await Promise.all(pages.map((id) => exists(`/node/${id}`)))).some(Boolean)).toBe(false);
  }, 30_000);
});

describe('a bulk change of books', () => {
  it('takes the pages along by default', async () => {
    const [one, other] = [await addBook('Volume 1', 1), await addBook('Volume 2', 1)];
    const { counts } = await runBulk(admin, 'node', 'unpublish', [one.book, other.book]);
    expect(counts).toMatchObject({ done: 4 });
    const alone = await runBulk(admin, 'node', 'publish', [one.book], { members: 'none' });
    expect(alone.counts).toMatchObject({ done: 1 });
    expect(await isPublished(one.pages[0] ?? 0)).toBe(false);
    await runBulk(admin, 'node', 'delete', [one.book, other.book]);
    const gone = [...one.pages, ...other.pages].map((id) => `/node/${id}`);
    expect(await Promise.all([...gone, `/media/${one.media[0]}`].map(exists))).toEqual([false, false, false]);
  });
});

describe('members in REST', () => {
  const noticeOf = (response: Response) => response.headers.get('x-repo-notice') ?? '';
  const runIn = (response: Response) => new URL(/http\S+$/.exec(noticeOf(response))?.[0] ?? '').pathname;

  it('follow a PATCH of the status if it asks for them, and stay without', async () => {
    const { book, pages } = await addBook('Psalter');
    const patch = (query: string, status: boolean, headers?: Record<string, string>) =>
      repository.patch(
        `/node/${book}?_format=json${query}`,
        { type: 'islandora_object', status: [status] },
        'admin',
        headers,
      );
    expect((await patch('', false)).headers.has('x-repo-notice')).toBe(false);
    expect(await isPublished(pages[0] ?? 0)).toBe(true);
    const answer = await patch('&members=pages', false);
    expect(answer.status).toBe(200);
    expect(noticeOf(answer)).toStartWith('2 members follow.');
    await endOf(admin, runIn(answer));
    expect(await Promise.all(pages.map(isPublished))).toEqual([false, false]);
    await endOf(admin, runIn(await patch('&members=all', true)));
    expect(await Promise.all([book, ...pages].map(isPublished))).toEqual([true, true, true]);
  });

  it('stay as they are after a conflict, without a status, and for an unknown choice', async () => {
    const { book, pages } = await addBook('Missal');
    const patch = (query: string, body: object, headers: Record<string, string> = {}) =>
      repository.patch(`/node/${book}?_format=json&${query}`, { type: 'islandora_object', ...body }, 'admin', headers);
    expect((await patch('members=pages', { status: [false] }, { 'If-Match': '"other"' })).status).toBe(412);
    expect((await patch('members=pages', { title: ['Missale'] })).status).toBe(422);
    expect((await patch('members=some', { status: [false] })).status).toBe(400);
    expect(await Promise.all([book, ...pages].map(isPublished))).toEqual([true, true, true]);
    const { rows } = await repository.running.services.database.client.execute(
      "SELECT count(*) FROM run WHERE state = 'preparing'",
    );
    expect(Number(rows[0]?.[0])).toBe(0);
  });

  it('are deleted with a node, with media and files if the request says so', async () => {
    const { book, pages, media } = await addBook('Bestiary');
    const remove = (id: number, query: string, headers: Record<string, string> = {}) =>
      repository.delete(`/node/${id}?_format=json${query}`, 'admin', headers);
    expect((await remove(book, '&members=pages', { 'If-Match': '"other"' })).status).toBe(412);
    expect(await exists(`/node/${book}`)).toBe(true);
    const answer = await remove(book, '&members=pages&files=delete');
    expect(answer.status).toBe(204);
    expect(await exists(`/node/${book}`)).toBe(false);
    await endOf(admin, runIn(answer));
    const gone = [...pages.map((id) => `/node/${id}`), ...media.map((id) => `/media/${id}`)];
    expect(await Promise.all(gone.map(exists))).toEqual(gone.map(() => false));
    const other = await addBook('Herbal', 1);
    expect((await remove(other.collection, '&members=all')).status).toBe(422);
    const all = await remove(other.collection, `&members=all&title=${encodeURIComponent('Papers of Herbal')}`);
    await endOf(admin, runIn(all));
    expect(await exists(`/node/${other.book}`)).toBe(false);
    expect(await exists(`/media/${other.media[0]}`)).toBe(true);
  });
});

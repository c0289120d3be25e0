import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { confirmPage, endOf, movedTo, runBulk } from '../../support/bulk-call.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
let collection: number;
let other: number;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  admin = await signedIn(repository, 'admin');
  collection = await build.node('collection', 'Harbour photographs');
  other = await build.node('collection', 'Other papers');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = async (path: string): Promise<EntityJson> =>
  (await (await repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;
const membersOf = async (id: number) =>
  (await read(`/node/${id}`)).field_member_of.map((item: { target_id: number }) => item.target_id);
const items = (count: number, fields = {}) =>
  Promise.all(Array.from({ length: count }, (_, at) => build.node('image', `Item ${at}`, fields)));

describe('a bulk change', () => {
  it('unpublishes items with a revision and a log message, and can be undone once', async () => {
    const [a = 0, b = 0] = await items(2);
    const before = await read(`/node/${a}`);
    const { path, counts } = await runBulk(admin, 'node', 'unpublish', [a, b]);
    expect(counts).toMatchObject({ done: 2, failed: 0, skipped: 0, unchanged: 0 });
    const after = await read(`/node/${a}`);
    expect(after.status[0].value).toBe(false);
    expect(after.vid[0].value).toBeGreaterThan(before.vid[0].value);
    expect(await (await repository.get(`/node/${a}/revisions`, 'admin', { Accept: 'text/html' })).text()).toContain(
      'Unpublished (bulk change',
    );
    const page = await admin.open(path);
    const undo = movedTo(await page.submit({}, { action: `${path}/undo` }));
    expect((await endOf(admin, undo)).counts).toMatchObject({ done: 2 });
    expect((await read(`/node/${b}`)).status[0].value).toBe(true);
    expect((await admin.open(path)).html).toContain('It has been undone.');
    // The form of a page that was opened before.
    expect((await page.submit({}, { action: `${path}/undo` })).status).toBe(409);
  });

  it('can be undone only by the user who started it', async () => {
    const [a = 0] = await items(1);
    const editor = await signedIn(repository, 'editor');
    const { path } = await runBulk(editor, 'node', 'unpublish', [a]);
    const seen = await admin.open(path);
    expect(seen.status).toBe(200);
    expect(seen.html).not.toContain(`${path}/undo`);
    const token = (await confirmPage(admin, 'node', 'publish', [a])).fields();
    expect((await admin.post(`${path}/undo`, token)).status).toBe(403);
  });

  it('creates no new revision of items that are already published', async () => {
    const [a = 0] = await items(1);
    const { vid } = await read(`/node/${a}`);
    expect((await runBulk(admin, 'node', 'publish', [a])).counts).toMatchObject({ unchanged: 1 });
    expect((await read(`/node/${a}`)).vid).toEqual(vid);
  });

  it('moves items to a collection, replacing or keeping their present ones', async () => {
    const [a = 0, b = 0] = await items(2, { field_member_of: [other] });
    await runBulk(admin, 'node', 'collection', [a], { collection: String(collection), mode: 'replace' });
    await runBulk(admin, 'node', 'collection', [b], { collection: String(collection), mode: 'add' });
    expect(await membersOf(a)).toEqual([collection]);
    expect(await membersOf(b)).toEqual([other, collection]);
  });

  it('skips a collection that would contain itself', async () => {
    const moved = await runBulk(admin, 'node', 'collection', [collection], { collection: String(collection) });
    expect(moved.counts).toMatchObject({ skipped: 1 });
    expect((await admin.open(moved.path)).html).toContain('An item cannot be in itself.');
  });

  it('appends a term to the values of a field', async () => {
    const [first, second] = [await build.term('subject', 'Ports'), await build.term('subject', 'Harbours')];
    const [a = 0] = await items(1, { field_subject: [first] });
    const { counts } = await runBulk(admin, 'node', 'term', [a], { field: 'field_subject', term: 'harbours' });
    expect(counts).toMatchObject({ done: 1 });
    const subjects = (await read(`/node/${a}`)).field_subject.map((item: { target_id: number }) => item.target_id);
    expect(subjects).toEqual([first, second]);
  });

  it('undoes only items that have not changed since', async () => {
    const [a = 0, b = 0] = await items(2, { field_member_of: [other] });
    const { path } = await runBulk(admin, 'node', 'collection', [a, b], { collection: String(collection) });
    await build.change(`/node/${b}`, { type: 'islandora_object', field_member_of: [] });
    const undo = movedTo(await (await admin.open(path)).submit({}, { action: `${path}/undo` }));
    expect((await endOf(admin, undo)).counts).toMatchObject({ done: 1, skipped: 1 });
    expect(await membersOf(a)).toEqual([other]);
    expect(await membersOf(b)).toEqual([]);
  });

  it('deletes items with their media only after confirmation', async () => {
    const [a = 0, b = 0, member = 0] = await items(3);
    await build.change(`/node/${member}`, { type: 'islandora_object', field_member_of: [a] });
    const file = { use: 'original', media: 'file', mimeType: 'text/plain', name: 'a.txt', bytes: 'text' } as const;
    const [mediaOfA, mediaOfB] = [await build.upload(a, file), await build.upload(b, file)];
    const page = await confirmPage(admin, 'node', 'delete', [a]);
    expect(page.html).toContain('1 item is deleted permanently');
    expect(page.html).toContain('1 item in them stays');
    expect(page.elements('[name=with_media][checked]')).toEqual([]);
    const { path, counts } = await runBulk(admin, 'node', 'delete', [a]);
    expect(counts).toMatchObject({ done: 1 });
    await runBulk(admin, 'node', 'delete', [b], { with_media: '1' });
    const status = async (address: string) => (await repository.get(`${address}?_format=json`, 'admin')).status;
    expect(await status(`/node/${a}`)).toBe(404);
    expect(await status(`/node/${b}`)).toBe(404);
    expect(await status(`/node/${member}`)).toBe(200);
    expect(await Promise.all([`/media/${mediaOfA}`, `/media/${mediaOfB}`].map(status))).toEqual([200, 404]);
    const result = await admin.open(path);
    expect(result.html).toContain('Item 0');
    expect(result.html).not.toContain(`${path}/undo`);
  });

  it.each(['node', 'media'] as const)('deletes the files of media with them, if that is chosen (%s)', async (kind) => {
    const [item = 0] = await items(1);
    const upload = { use: 'original', media: 'file', mimeType: 'text/plain', name: 'a.txt', bytes: 'text' } as const;
    const media = await build.upload(item, upload);
    const { field_media_file } = await build.read(`/media/${media}`);
    const page = await confirmPage(admin, kind, 'delete', [kind === 'node' ? item : media]);
    expect(page.elements('[name=with_files]')).toHaveLength(1);
    expect(page.elements('[name=with_files][checked]')).toEqual([]);
    const values = kind === 'node' ? { with_media: '1', with_files: '1' } : { with_files: '1' };
    const { counts } = await runBulk(admin, kind, 'delete', [kind === 'node' ? item : media], values);
    expect(counts).toMatchObject({ done: 1 });
    const file = field_media_file[0].target_id;
    expect((await repository.get(`/entity/file/${file}?_format=json`, 'admin')).status).toBe(404);
  });

  it('makes derivatives again, even existing ones', async () => {
    const a = await build.node('image', 'With a picture');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await build.upload(a, { use: 'original', media: 'image', mimeType: 'image/png', name: 'a.png', bytes: png });
    const empty = await build.node('image', 'Without a picture');
    const { path, counts } = await runBulk(admin, 'node', 'derivatives', [a, empty]);
    expect(counts).toMatchObject({ done: 1, unchanged: 1 });
    expect((await admin.open(`${path}?show=done`)).html).toMatch(/\d queued\./);
  });

  it('unpublishes and deletes media', async () => {
    const [a = 0] = await items(1);
    const file = { use: 'original', media: 'file', mimeType: 'text/plain', name: 'a.txt', bytes: 'text' } as const;
    const media = await build.upload(a, file);
    const unpublished = await runBulk(admin, 'media', 'unpublish', [media]);
    expect((await read(`/media/${media}`)).status[0].value).toBe(false);
    const undo = movedTo(await (await admin.open(unpublished.path)).submit({}, { action: `${unpublished.path}/undo` }));
    await endOf(admin, undo);
    expect((await read(`/media/${media}`)).status[0].value).toBe(true);
    expect((await runBulk(admin, 'media', 'derivatives', [media])).counts).toMatchObject({ failed: 0, skipped: 0 });
    expect((await confirmPage(admin, 'media', 'delete', [media])).html).toContain('1 media is deleted permanently');
    await runBulk(admin, 'media', 'delete', [media]);
    expect((await repository.get(`/media/${media}?_format=json`, 'admin')).status).toBe(404);
    expect((await confirmPage(admin, 'media', 'collection', [media])).status).toBe(400);
  });

  it('leaves out items that were deleted before it starts', async () => {
    const [a = 0, b = 0] = await items(2);
    const editor = await signedIn(repository, 'editor');
    const page = await confirmPage(editor, 'node', 'unpublish', [a, b]);
    await repository.delete(`/node/${a}?_format=json`, 'admin');
    const { counts } = await endOf(editor, movedTo(await page.submit()));
    // The deleted one is no longer found when the change starts.
    expect(counts).toMatchObject({ done: 1, skipped: 0 });
  });

  it('changes all items that match a filter', async () => {
    await Promise.all(Array.from({ length: 3 }, (_, at) => build.node('image', `Zeppelin ${at}`)));
    const page = await confirmPage(admin, 'node', 'unpublish', 'title=zeppelin');
    expect(page.html).toContain('Unpublish 3 items');
    const { counts } = await endOf(admin, movedTo(await page.submit()));
    expect(counts).toMatchObject({ done: 3 });
  });

  it('asks for confirmation again if more items match by now', async () => {
    await build.node('image', 'Balloon 1');
    const page = await confirmPage(admin, 'node', 'delete', 'title=balloon');
    await build.node('image', 'Balloon 2');
    const again = await page.submit();
    expect(again.status).toBe(422);
    expect(again.html).toContain('The number of items is 2 by now.');
    expect((await endOf(admin, movedTo(await again.submit()))).counts).toMatchObject({ done: 2 });
  });
});

describe('the form of a bulk change', () => {
  it('keeps the typed values and names the missing ones', async () => {
    const [a = 0] = await items(1);
    const page = await (await confirmPage(admin, 'node', 'term', [a])).submit({
      field: 'field_subject',
      term: 'Nothing',
    });
    expect(page.status).toBe(422);
    expect(page.html).toContain('No term for');
    expect(page.fields().get('term')).toBe('Nothing');
    const empty = await (await confirmPage(admin, 'node', 'collection', [a])).submit({ collection: '' });
    expect(empty.html).toContain('Choose a collection.');
  });

  it('rejects an invalid filter instead of selecting everything', async () => {
    expect((await confirmPage(admin, 'node', 'delete', 'changed_since=yesterday')).status).toBe(400);
    expect((await confirmPage(admin, 'node', 'explode', [1])).status).toBe(400);
  });

  it('asks the caller to select something if nothing is selected', async () => {
    const page = await confirmPage(admin, 'node', 'delete', []);
    expect(page.html).toContain('No item is selected.');
    expect(page.elements('button.danger')).toEqual([]);
  });

  it('is closed to anonymous callers, readers, and tokens of other sessions', async () => {
    const [a = 0] = await items(1);
    expect((await repository.get(`/admin/content/bulk/confirm?kind=node&action=publish&entry=${a}`)).status).toBe(401);
    const reader = await signedIn(repository, 'reader');
    expect((await confirmPage(reader, 'node', 'delete', [a])).status).toBe(403);
    const fields = (await confirmPage(admin, 'node', 'delete', [a])).fields();
    expect((await reader.post('/admin/content/bulk/confirm', fields)).status).toBe(403);
    const { path } = await runBulk(admin, 'node', 'publish', [a]);
    expect((await reader.open(path)).status).toBe(404);
  });

  it('offers derivatives only to site administrators', async () => {
    const [a = 0] = await items(1);
    const editor = await signedIn(repository, 'editor');
    expect((await confirmPage(editor, 'node', 'derivatives', [a])).status).toBe(403);
    expect((await editor.open('/admin/content')).html).not.toContain('Make derivatives again');
  });

  it('deletes the item in the link from its page', async () => {
    const [a = 0] = await items(1);
    const page = await admin.open(`/admin/content/node/delete?node=${a}`);
    expect(page.html).toContain('Delete 1 item');
    expect((await endOf(admin, movedTo(await page.submit()))).counts).toMatchObject({ done: 1 });
    expect((await repository.get(`/node/${a}?_format=json`, 'admin')).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf, movedTo, runBulk } from '../../support/bulk-call.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { type TableBrowser, tableBrowser } from '../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: TableBrowser;
let editor: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  [admin, editor] = await Promise.all([tableBrowser(repository, 'admin'), signedIn(repository, 'editor')]);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** The number of results that the page of a search names. */
const totalOf = async (path: string) =>
  Number(/\d+/.exec((await admin.open(path)).elements('h1')[0]?.text ?? '')?.[0] ?? 0);

/** Sends the form that chooses a change on a page, and opens the page on which it is confirmed. */
async function chooseOn(browser: FormBrowser, path: string, action: string) {
  const page = await browser.open(path);
  const query = new URLSearchParams();
  for (const { attributes } of page.elements('form.bulk-action input[type=hidden]'))
    query.set(attributes.name ?? '', (attributes.value ?? '').replaceAll('&amp;', '&'));
  query.set('action', action);
  return browser.open(`/admin/content/bulk/confirm?${query}`);
}

async function replaceTitle(browser: FormBrowser, path: string, find: string, replacement: string) {
  const page = await chooseOn(browser, path, 'values');
  const form = await page.submit({ field: 'title', operation: 'find' }, { button: ['do', 'edit'] });
  const preview = await form.submit({ find, replacement }, { button: ['do', 'preview'] });
  return endOf(browser, movedTo(await preview.submit({}, { button: ['do', 'save'] })));
}

describe('a change of many items', () => {
  it('concerns all results of a search with its filters', async () => {
    await Promise.all(Array.from({ length: 25 }, (_, at) => build.node('image', `Barquentine ${at}`)));
    await build.node('collection', 'Barquentine collection');
    await until(async () => (await totalOf('/search?q=barquentine')) === 26);
    const facet = (await admin.open('/search?q=barquentine'))
      .elements('a')
      .find(({ attributes, text }) => attributes.href?.includes('f.model=') && text.includes('Image'));
    const path = (facet?.attributes.href ?? '').replaceAll('&amp;', '&');
    expect(await totalOf(path)).toBe(25);
    const { counts } = await replaceTitle(admin, `${path}&page=1`, 'Barquentine', 'Brigantine');
    expect(counts).toEqual({ waiting: 0, done: 25, unchanged: 0, skipped: 0, failed: 0 });
  }, 30_000);

  it('concerns all items of an imported table, for the user who imported it', async () => {
    const sent = await admin.upload('id,title,field_model\n1,A schooner,Image\n2,B schooner,Image\n');
    await admin.settled(sent.path);
    await admin.press(sent.path, { act: 'start' });
    await admin.settled(sent.path);
    expect((await replaceTitle(admin, sent.path, 'schooner', 'cutter')).counts).toMatchObject({ done: 2 });
    const id = sent.path.split('/').at(-1);
    const query = `kind=node&action=values&all=1&import=${id}`;
    expect((await editor.open(`/admin/content/bulk/confirm?${query}`)).status).toBe(400);
  });

  it('concerns all items of an earlier change, for its user and administrators', async () => {
    const items = await Promise.all(Array.from({ length: 3 }, (_, at) => build.node('image', `Ketch ${at}`)));
    const { path } = await runBulk(admin, 'node', 'unpublish', items);
    expect((await replaceTitle(admin, path, 'Ketch', 'Yawl')).counts).toMatchObject({ done: 3 });
    const query = `kind=node&action=values&all=1&run=${path.split('/').at(-1)}`;
    expect((await editor.open(`/admin/content/bulk/confirm?${query}`)).status).toBe(400);
    expect((await admin.open(`/admin/content/bulk/confirm?${query.replace('node', 'media')}`)).status).toBe(400);
  });

  it('refuses a search that no search page has', async () => {
    const open = async (search: string) => {
      const query = new URLSearchParams({ kind: 'node', action: 'publish', all: '1', search });
      return (await admin.open(`/admin/content/bulk/confirm?${query}`)).status;
    };
    expect(await open('from=soon')).toBe(400);
    expect(await open('f.nothing=1')).toBe(400);
    expect(await open('from=1950&to=1900')).toBe(400);
    expect(await open('q=nothing+at+all')).toBe(200);
  });

  it('is offered on pages of searches to those who may open the list', async () => {
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open('/search')).elements('form.bulk-action')).toEqual([]);
    expect((await editor.open('/search')).elements('form.bulk-action')).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { pngHead } from '../support/binaries.ts';
import { type Visit, visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { signIn } from '../support/repository-routes.ts';
import { shoot } from '../support/screenshot.ts';
import { SiteBuilder } from '../support/site-builder.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

let repository: TestRepository;
let build: SiteBuilder;
let collection: number;
let book: number;
let image: number;
let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  repository = await createTestRepository({ maxUploadBytes: 200_000_000 });
  build = new SiteBuilder(repository);
  await repository.user('librarian', 'repository_editor');
  collection = await build.node('collection', 'Boyle family photographs');
  book = await build.node('book', 'Annual report of the Harbour Commission');
  image = await build.node('image', 'View over the bay from the customs house');
});
afterAll(async () => {
  await repository.stop();
  await rm(folder, { recursive: true });
});

/** Opens a page with the session of a user, at the repository or at a proxy before it. */
async function open(
  path: string,
  { at = repository.url, width = 1280, scheme = 'light' as 'light' | 'dark' } = {},
): Promise<Visit> {
  const seen = await visit(`${at}/user/login`, { width, scheme });
  const { cookie } = await signIn(repository, 'librarian', 'librarian');
  const [name = '', value = ''] = cookie.split('=');
  await seen.page.context().addCookies([{ name, value, url: at }]);
  await seen.page.goto(at + path);
  await seen.page.waitForSelector('form[data-state=ready]');
  return seen;
}

let made = 0;
const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: pngHead(3, 2, `${name} ${made++}`) });
const choose = (page: Page, files: Parameters<Page['setInputFiles']>[1]) =>
  page.setInputFiles('input[type=file]', files);
const send = (page: Page) => page.click('form.upload button[type=submit]');
const states = (page: Page) =>
  page.$$eval('.upload-list > li', (rows) => rows.map((row) => [row.querySelector('bdi')?.textContent, row.className]));
const finished = (page: Page, count: number) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.upload-list > .done').length === wanted, count);
const members = async (node: number): Promise<EntityJson[]> => {
  const response = await repository.get(`/node/${node}/members?_format=json`, 'admin');
  return (await response.json()) as EntityJson[];
};
const shot = (page: Page, name: string) => shoot(page, `upload-${name}`, { fullPage: true });

describe('the upload page', () => {
  it('creates an item from each file in a collection, shows checksums and reports duplicates', async () => {
    const { page, complaints, close } = await open(`/node/${collection}/upload`);
    expect(await page.isChecked('#choice-items')).toBe(true);
    const [one, two] = [picture('bay.png'), picture('crew.png')];
    await choose(page, [two, one, { name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) }]);
    await choose(page, [{ name: 'virus.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') }]);
    expect(await states(page)).toEqual([
      ['bay.png', 'waiting'],
      ['crew.png', 'waiting'],
      ['empty.png', 'refused'],
      ['virus.exe', 'refused'],
    ]);
    await shot(page, 'chosen');
    await send(page);
    await finished(page, 2);
    expect((await members(collection)).map(({ title }) => title[0].value).toSorted()).toEqual(['Bay', 'Crew']);
    const sum = Bun.SHA256.hash(one.buffer, 'hex');
    expect(await page.textContent('.upload-list > li:first-child code')).toBe(sum);
    expect(await accessibilityViolations(page)).toEqual([]);

    await choose(page, [{ ...one, name: 'again.png' }]);
    await send(page);
    await page.waitForSelector('.upload-list > .duplicate');
    expect(await page.textContent('.upload-list > .duplicate .state')).toContain('bay.png in “Bay”');
    await shot(page, 'duplicate');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.click('.upload-list > .duplicate button:has-text("Add anyway")');
    await finished(page, 3);
    expect(await members(collection)).toHaveLength(3);
    expect(complaints).toEqual([]);
    await close();
  }, 30_000);

  it('creates pages in the natural order of their file names', async () => {
    const { page, close } = await open(`/node/${book}/upload`);
    expect(await page.isChecked('#choice-pages')).toBe(true);
    await choose(page, ['page10.png', 'page2.png', 'page1.png'].map(picture));
    await send(page);
    await finished(page, 3);
    expect((await members(book)).map(({ title }) => title[0].value)).toEqual(['Page1', 'Page2', 'Page10']);
    await close();
  }, 30_000);

  it('creates a book with pages in a collection', async () => {
    const { page, close } = await open(`/node/${collection}/upload`);
    await page.check('#choice-book');
    await choose(page, ['p2.png', 'p1.png'].map(picture));
    await send(page);
    expect(await page.textContent('.upload-status')).toBe('Enter the title of the new book.');
    await page.fill('input[name=title]', 'Log of the Annie Laurie');
    await send(page);
    await finished(page, 2);
    const made = (await members(collection)).find(({ title }) => title[0].value === 'Log of the Annie Laurie');
    expect((await members(made?.nid[0].value)).map(({ title }) => title[0].value)).toEqual(['P1', 'P2']);
    expect(await page.getAttribute('.upload-book a', 'href')).toBe(`/node/${made?.nid[0].value}`);
    await shot(page, 'new-book');
    await close();
  }, 30_000);

  it('keeps titles, drafts and the last choice of publication', async () => {
    const { page, close } = await open(`/node/${collection}/upload`);
    await page.check('#published-0');
    await choose(page, ['photo_0017.png', 'photo_0018.png'].map(picture));
    expect(
      await page.$$eval('.upload-list .title', (all) => all.map((each) => (each as HTMLInputElement).value)),
    ).toEqual(['Photo 0017', 'Photo 0018']);
    await page.fill('.upload-list > li:first-child .title', 'The customs house');
    await shot(page, 'titles');
    expect(await accessibilityViolations(page)).toEqual([]);
    await send(page);
    await finished(page, 2);
    const made = (await members(collection)).filter(({ title }) => /customs|0018/.test(title[0].value));
    expect(made.map(({ title, status }) => [title[0].value, status[0].value]).toSorted()).toEqual([
      ['Photo 0018', false],
      ['The customs house', false],
    ]);
    await page.reload();
    await page.waitForSelector('form[data-state=ready]');
    expect(await page.isChecked('#published-0')).toBe(true);
    await close();
  }, 30_000);

  it('decides about all duplicates at once, and leaves no empty book', async () => {
    const { page, close } = await open(`/node/${collection}/upload`);
    const before = (await members(collection)).length;
    const pictures = ['x1.png', 'x2.png'].map(picture);
    await choose(page, pictures);
    await send(page);
    await finished(page, 2);
    await page.reload();
    await page.waitForSelector('form[data-state=ready]');
    await page.check('#choice-book');
    await page.fill('input[name=title]', 'A book of duplicates');
    await choose(page, pictures);
    await send(page);
    await page.waitForSelector('.upload-duplicates:not([hidden])');
    expect(await page.textContent('.upload-duplicates span')).toBe('The repository has 2 of these files already.');
    await shot(page, 'duplicates');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.click('.upload-duplicates [data-all=skip]');
    await until(async () => (await members(collection)).length === before + 2);
    await choose(page, pictures);
    await send(page);
    await page.waitForSelector('.upload-duplicates:not([hidden])');
    await page.click('.upload-duplicates [data-all=add]');
    await finished(page, 2);
    const book = (await members(collection)).find(({ title }) => title[0].value === 'A book of duplicates');
    expect(await members(book?.nid[0].value)).toHaveLength(2);
    await close();
  }, 30_000);

  it('resumes an upload after a lost connection and after a reload', async () => {
    const proxy = await startTcpProxy(repository.url);
    const { page, close } = await open(`/node/${image}/upload`, { at: proxy.url });
    const file = join(folder, 'scan.tif');
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    await writeFile(file, Buffer.alloc(24_000_000, bytes));
    await choose(page, file);
    const isCut = proxy.afterSending(12_000_000, proxy.cut);
    await send(page);
    await isCut;
    await proxy.afterSending(6_000_000, proxy.pause);
    await until(async () => Number((await rowsOf())[0]?.[0]) > 0);
    await page.click('.upload-list button:has-text("Pause")');
    await page.waitForSelector('.upload-list > .paused');
    proxy.resume();

    await page.reload();
    await page.waitForSelector('form[data-state=ready]');
    expect(await page.textContent('.upload-notice')).toContain('Not finished yet: scan.tif.');
    await shot(page, 'unfinished');
    await choose(page, file);
    await send(page);
    await finished(page, 1);
    expect(await page.textContent('.upload-list code')).toBe(Bun.SHA256.hash(await Bun.file(file).bytes(), 'hex'));
    expect(await rowsOf()).toHaveLength(1);
    expect(await members(image)).toEqual([]);
    await close();
    await proxy.stop();

    async function rowsOf() {
      const { rows } = await repository.running.services.database.client.execute(
        "SELECT received FROM upload WHERE filename = 'scan.tif'",
      );
      return rows;
    }
  }, 60_000);

  it('adds captions to a video', async () => {
    const item = await build.node('image', 'Regatta');
    const media = await build.upload(item, {
      media: 'video',
      mimeType: 'video/mp4',
      name: 'regatta.mp4',
      use: 'original',
      bytes: new Uint8Array(pngHead(1, 1, 'video')),
    });
    const { page, close } = await open(`/media/${media}/upload`);
    expect(await page.isChecked('#choice-track')).toBe(true);
    await page.fill('input[name=label]', 'English');
    await choose(page, [{ name: 'en.vtt', mimeType: 'text/vtt', buffer: Buffer.from('WEBVTT\n') }]);
    await shot(page, 'media');
    await send(page);
    await finished(page, 1);
    expect(await accessibilityViolations(page)).toEqual([]);
    const { field_track } = (await (
      await repository.get(`/media/${media}?_format=json`, 'admin')
    ).json()) as EntityJson;
    expect(field_track).toEqual([expect.objectContaining({ label: 'English', srclang: 'en' })]);
    await close();
  }, 30_000);

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'has no accessibility violations and fits, in %s mode at %i pixels',
    async (scheme, width) => {
      const { page, complaints, close } = await open(`/node/${collection}/upload`, { width, scheme });
      await choose(page, [
        picture('a-very-long-name-of-a-scan-from-the-harbour-commission-box-12-folder-3-item-0042.png'),
      ]);
      await shot(page, `${scheme}-${width}`);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      await close();
    },
    30_000,
  );
});

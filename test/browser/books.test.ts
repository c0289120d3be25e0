import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { visitSignedIn } from '../support/browser-session.ts';
import { shoot } from '../support/screenshot.ts';
import { settle } from '../support/settled-page.ts';
import { SiteBuilder } from '../support/site-builder.ts';
import { makeSiteFiles, type SiteFiles } from '../support/site-files.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';

/** The time for which the repository may be filled. */
const FILLING_MS = 120_000;

let repository: TestRepository;
let files: SiteFiles;
let build: SiteBuilder;

beforeAll(async () => {
  [repository, files] = await Promise.all([
    createTestRepository({ siteName: 'Harbour City Archives' }),
    makeSiteFiles(),
  ]);
  build = new SiteBuilder(repository);
  await repository.user('librarian', 'repository_editor');
}, FILLING_MS);
afterAll(() => repository.stop());

async function addBook(title: string): Promise<{ book: number; pages: number[] }> {
  const collection = await build.node('collection', 'Harbour office');
  const book = await build.node('book', title, { field_member_of: [collection] }, 'librarian');
  const pages: number[] = [];
  for (const [at, picture] of files.pictures.slice(0, 2).entries()) {
    const page = await build.node('page', `Page ${at + 1}`, { field_member_of: [book] }, 'librarian');
    await build.picture(
      page,
      picture as SiteFiles['pictures'][number],
      `${title}-${at}`.toLowerCase().replaceAll(' ', '-'),
    );
    pages.push(page);
  }
  return { book, pages };
}

/** A page whose clicks are counted. */
async function counted(path: string) {
  const visit = await visitSignedIn(repository.url, path);
  let clicks = 0;
  const click = async (page: Page, role: 'link' | 'button', name: string) => {
    clicks += 1;
    const address = page.url();
    await Promise.all([
      page.waitForURL((url) => url.href !== address),
      page.getByRole(role, { name, exact: false }).first().click(),
    ]);
    await settle(page);
  };
  return { ...visit, click, clicks: () => clicks };
}

const statusOf = async (path: string) => (await repository.get(`${path}?_format=json`, 'admin')).status;
const isPublished = async (id: number) =>
  ((await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson).status[0].value;

describe('an editor', () => {
  it('hides a book with its pages in 2 clicks', async () => {
    const { book, pages } = await addBook('Harbour register');
    const { page, click, clicks, close } = await counted(`/node/${book}`);
    await click(page, 'link', 'Unpublish');
    expect(await accessibilityViolations(page)).toEqual([]);
    await shoot(page, 'books-unpublish-1280-light');
    await click(page, 'button', 'Unpublish');
    await page.waitForSelector('text=Finished: 3 of 3.');
    await shoot(page, 'books-unpublished-1280-light');
    expect(await Promise.all([book, ...pages].map(isPublished))).toEqual([false, false, false]);
    expect(clicks()).toBe(2);
    await close();
  }, 60_000);

  it('brings a version back in 2 clicks', async () => {
    const { book } = await addBook('Log of the harbour');
    await build.change(`/node/${book}`, { type: 'islandora_object', title: ['A mistake'] });
    const { page, click, clicks, close } = await counted(`/node/${book}`);
    await click(page, 'link', 'History');
    expect(await accessibilityViolations(page)).toEqual([]);
    await shoot(page, 'books-history-1280-light');
    await click(page, 'button', 'Bring back this version');
    expect(await page.locator('article h1').textContent()).toBe('Log of the harbour');
    await shoot(page, 'books-version-1280-light');
    expect(clicks()).toBe(2);
    await close();
  }, 60_000);

  it('deletes a book with its pages and files in at most 3 clicks', async () => {
    const { book, pages } = await addBook('Old accounts');
    const { page, click, clicks, close } = await counted(`/node/${book}`);
    await click(page, 'link', 'Delete');
    expect(await accessibilityViolations(page)).toEqual([]);
    await shoot(page, 'books-delete-1280-light');
    await click(page, 'button', 'Delete permanently');
    await page.waitForSelector('text=Finished: 3 of 3.');
    await shoot(page, 'books-deleted-1280-light');
    expect(await Promise.all([book, ...pages].map((id) => statusOf(`/node/${id}`)))).toEqual([404, 404, 404]);
    expect((await repository.get('/sites/default/files/old-accounts-0.jpg')).status).toBe(404);
    expect(clicks()).toBeLessThanOrEqual(3);
    await close();
  }, 60_000);

  it('has pages that fit a phone in dark colours', async () => {
    const { book, pages } = await addBook('Pocket book');
    await build.change(`/node/${book}`, { type: 'islandora_object', title: ['Pocketbook'] });
    const { page, close } = await visitSignedIn(repository.url, `/node/${book}`, { width: 390, scheme: 'dark' });
    const forms = ['publication', 'delete', 'revisions', 'files'].map((name) => [name, book] as const);
    for (const [name, node] of [...forms, ['files', pages[0]] as const]) {
      const answer = await page.goto(`${repository.url}/node/${node}/${name}`);
      expect(answer?.status()).toBe(200);
      await settle(page);
      await shoot(page, `books-${name}-${node === book ? '' : 'page-'}390-dark`);
      expect({ name, violations: await accessibilityViolations(page) }).toEqual({ name, violations: [] });
      const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect({ name, isWider: await page.evaluate<boolean>(isWider) }).toEqual({ name, isWider: false });
    }
    await close();
  }, 60_000);
});

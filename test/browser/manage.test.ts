import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { visitSignedIn } from '../support/browser-session.ts';
import { shoot } from '../support/screenshot.ts';
import { settle } from '../support/settled-page.ts';
import { SiteBuilder } from '../support/site-builder.ts';
import { makeSiteFiles, type SiteFiles } from '../support/site-files.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

/** The time for which the repository may be filled. */
const FILLING_MS = 120_000;

let repository: TestRepository;
let node: number;

beforeAll(async () => {
  const [made, files] = await Promise.all([
    createTestRepository({ siteName: 'Harbour City Archives' }),
    makeSiteFiles(),
  ]);
  repository = made;
  const build = new SiteBuilder(repository);
  await repository.user('librarian', 'repository_editor');
  await build.term('subject', 'Lighthouses');
  const collection = await build.node('collection', 'Boyle family photographs');
  const titles = ['View over the bay from the customs house', 'Crew of the Annie Laurie', 'Ice in the inner basin'];
  for (const [at, title] of titles.entries()) {
    node = await build.node('image', title, { field_member_of: [collection], status: [at !== 2] }, 'librarian');
    await build.picture(node, files.pictures[at] as SiteFiles['pictures'][number], `picture-${at}`);
  }
  for (let at = 0; at < 60; at++) await build.node('image', `Regatta day, looking towards the island, sheet ${at + 1}`);
}, FILLING_MS);
afterAll(() => repository.stop());

const pages = () =>
  [
    ['list', '/admin/content?title=regatta&published=yes'],
    ['media-list', '/admin/content/media'],
    ['confirm-delete', `/admin/content/bulk/confirm?kind=node&action=delete&entry=${node}`],
    ['confirm-move', `/admin/content/bulk/confirm?kind=node&action=collection&entry=${node}`],
    ['confirm-term', `/admin/content/bulk/confirm?kind=node&action=term&entry=${node}`],
    ['confirm-values', `/admin/content/bulk/confirm?kind=node&action=values&entry=${node}`],
    ['search', '/search?q=regatta'],
    ['runs', '/admin/content/bulk'],
    ['report', '/admin/reports/accessibility'],
    ['report-language', '/admin/reports/accessibility?show=language'],
  ] as const;

/** A page that is left aborts what it still loads. */
const withoutAborted = (complaints: readonly string[]) =>
  complaints.filter((each) => !each.endsWith('net::ERR_ABORTED'));

const LOOKS = [
  [1280, 'light'],
  [390, 'dark'],
] as const;

describe('the content management pages', () => {
  for (const [width, scheme] of LOOKS)
    it(`have no accessibility violations and fit ${width} pixels in ${scheme} mode`, async () => {
      const visit = await visitSignedIn(repository.url, '/admin/content', { width, scheme });
      const { page, complaints } = visit;
      for (const [name, path] of pages()) {
        await page.goto(repository.url + path);
        await settle(page);
        if (name === 'list') await page.locator('tbody input').first().check();
        await shoot(page, `manage-${name}-${width}-${scheme}`);
        expect({ name, violations: await accessibilityViolations(page) }).toEqual({ name, violations: [] });
        const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
        expect({ name, isWider: await page.evaluate<boolean>(isWider) }).toEqual({ name, isWider: false });
      }
      expect(withoutAborted(complaints)).toEqual([]);
      await visit.close();
    }, 60_000);

  it('unpublish all matching items and undo it, with the keyboard', async () => {
    const { page, complaints, close } = await visitSignedIn(repository.url, '/admin/content?title=regatta');
    expect(await page.locator('.bulk-bar').isVisible()).toBe(false);
    await page.locator('tbody input').first().focus();
    await page.keyboard.press('Space');
    expect(await page.locator('.bulk-bar').isVisible()).toBe(true);
    expect(await page.locator('[data-count]').textContent()).toBe('1 selected');
    await page.locator('input[data-all]').focus();
    await page.keyboard.press('Space');
    expect(await page.locator('[data-count]').textContent()).toBe('50 selected');
    await page.locator('input[name=all]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('action');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await Promise.all([page.waitForURL(/confirm/), page.keyboard.press('Enter')]);
    expect(await page.locator('h1').textContent()).toBe('Unpublish 60 items');
    await page.locator('form[method=post] .button').focus();
    await Promise.all([page.waitForURL(/bulk\/\d+/), page.keyboard.press('Enter')]);
    await shoot(page, 'manage-progress-1280-light');
    await page.waitForSelector('text=Finished: 60 of 60.');
    expect(await accessibilityViolations(page)).toEqual([]);
    await shoot(page, 'manage-result-1280-light');
    await Promise.all([page.waitForURL(/bulk\/\d+$/), page.locator('text=Undo').first().click()]);
    await page.waitForSelector('text=Finished: 60 of 60.');
    expect(withoutAborted(complaints)).toEqual([]);
    await close();
  }, 60_000);

  for (const [width, scheme] of LOOKS)
    it(`show the preview of a change of values, confirm and undo it, with the keyboard (${width} pixels, ${scheme})`, async () => {
      const path = '/admin/content/bulk/confirm?kind=node&action=values&all=1&filter=title%3Dregatta';
      const { page, complaints, close } = await visitSignedIn(repository.url, path, { width, scheme });
      const look = async (name: string) => {
        await shoot(page, `values-${name}-${width}-${scheme}`, { fullPage: name === 'preview' });
        expect({ name, violations: await accessibilityViolations(page) }).toEqual({ name, violations: [] });
        const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
        expect({ name, isWider: await page.evaluate<boolean>(isWider) }).toEqual({ name, isWider: false });
      };
      const press = async (name: string) => {
        await page.getByRole('button', { name, exact: true }).last().focus();
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      };
      await page.locator('#field').selectOption({ label: 'Topics' });
      await page.locator('#operation').selectOption('set');
      await press('Continue');
      await page.locator('[id="value.0.target_id"]').waitFor();
      await look('form');
      await page.locator('#field').selectOption({ label: 'Title' });
      await page.locator('#operation').selectOption('find');
      await press('Show the changes');
      await page.locator('#find').fill('Regatta (\\w+), (.*)$');
      await page.locator('#replacement').fill('Regatta of the $1');
      await page.locator('#pattern').focus();
      await page.keyboard.press('Space');
      await page.locator('#reason').fill('Shorter titles');
      await press('Show the changes');
      expect(await page.locator('.preview tbody tr').count()).toBe(50);
      await look('preview');
      await page.locator('.entries summary').focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('#reason').inputValue()).toBe('Shorter titles');
      await press('Change 60 items');
      await page.waitForSelector('text=Finished: 60 of 60.');
      await look('result');
      await press('Undo');
      await page.waitForSelector('text=Finished: 60 of 60.');
      expect(withoutAborted(complaints)).toEqual([]);
      await close();
    }, 60_000);

  it('complete a term name for the chosen field with the keyboard alone', async () => {
    const path = `/admin/content/bulk/confirm?kind=node&action=term&entry=${node}`;
    const { page, complaints, close } = await visitSignedIn(repository.url, path);
    const options = page.locator('.suggestions:visible [role=option]');
    await page.locator('#term').focus();
    await page.keyboard.type('light');
    await page.locator('#field').selectOption({ label: 'Topics' });
    await page.locator('#term').focus();
    await page.keyboard.type('h');
    await options.first().waitFor();
    expect(await options.allTextContents()).toEqual([expect.stringMatching(/^LighthousesTopic · 0 items · \(\d+\)$/)]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await shoot(page, 'manage-term-open-1280-light');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.locator('#term').inputValue()).toMatch(/^Lighthouses \(\d+\)$/);
    await page.locator('form[method=post] .button').focus();
    await Promise.all([page.waitForURL(/bulk\/\d+/), page.keyboard.press('Enter')]);
    await page.waitForSelector('text=Finished: 1 of 1.');
    expect(withoutAborted(complaints)).toEqual([]);
    await close();
  }, 60_000);

  it.each([true, false])(
    'offer similar terms for an unknown name (JavaScript: %p)',
    async (hasScript) => {
      const path = `/admin/content/bulk/confirm?kind=node&action=term&entry=${node}`;
      const { page, close } = await visitSignedIn(repository.url, path, { hasScript, width: 390 });
      await page.locator('#field').selectOption({ label: 'Topics' });
      await page.locator('#term').fill('Lihgthouses');
      await page.locator('form[method=post] .button').click();
      await page.locator('.error-summary').waitFor();
      if (hasScript) {
        expect(await accessibilityViolations(page)).toEqual([]);
        await shoot(page, 'manage-term-near-390-light', { fullPage: true });
      }
      await page.getByLabel(/^Lighthouses \(\d+\), Subject$/).check();
      await page.locator('form[method=post] .button').click();
      await page.waitForURL(/bulk\/\d+/);
      await close();
    },
    60_000,
  );

  it('save an alternative text in the accessibility report', async () => {
    const { page, complaints, close } = await visitSignedIn(repository.url, '/admin/reports/accessibility');
    const fields = page.locator('.texts textarea');
    const before = await fields.count();
    await fields.first().focus();
    await page.keyboard.type('A crew of nine on the deck of a schooner');
    expect(await page.locator('.action-bar .state').textContent()).toBe('Unsaved changes');
    await Promise.all([page.waitForResponse((answer) => answer.status() === 303), page.click('text=Save texts')]);
    await page.waitForSelector('text=One text is saved.');
    expect(await fields.count()).toBe(before - 1);
    expect(withoutAborted(complaints)).toEqual([]);
    await close();
  }, 60_000);

  it('unpublish an item without JavaScript', async () => {
    const { page, close } = await visitSignedIn(repository.url, '/admin/content?title=annie', { hasScript: false });
    await page.locator('tbody input').first().check();
    await page.selectOption('#action', 'unpublish');
    await page.locator('.bulk-bar .button').first().click();
    await page.waitForURL(/confirm/);
    await page.locator('form[method=post] .button').click();
    await page.waitForURL(/bulk\/\d+/);
    expect(await page.locator('h1').textContent()).toBe('Unpublish 1 item');
    await close();
  }, 60_000);
});

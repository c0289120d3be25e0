import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import type { Visit, VisitOptions } from '../support/browser.ts';
import { type FormBrowser, signedIn } from '../support/form-call.ts';
import { onQuietPage } from '../support/quiet-page.ts';
import { settle } from '../support/settled-page.ts';
import { sized } from '../support/size.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';

const ADD = '/node/add/islandora_object';
let repository: TestRepository;
let jane: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  jane = await signedIn(repository, 'jane');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const onForm = (
  use: (page: Page, visited: Visit) => Promise<void>,
  { path = ADD, ...options }: VisitOptions & { readonly path?: string } = {},
) => onQuietPage(repository.url + path, { cookie: jane.session?.cookie, ...options }, use);

const title = (page: Page) => page.locator('[id="title.0.value"]');
const bar = (page: Page) => page.locator('.preview-bar');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Fills in the form of a new item, and presses "Preview". */
async function preview(page: Page, hasScript = true): Promise<void> {
  await page.locator('[id="field_subject.0.target_id"]').fill('Lighthouses');
  // A request for names that is still open would fail.
  if (hasScript) await page.getByRole('option', { name: 'Create “Lighthouses” as a topic' }).waitFor();
  await title(page).fill('The harbour at night');
  await page.locator('[id="field_model.0.target_id"]').selectOption({ label: 'Image' });
  await page.locator('[id="field_description.0.value"]').fill(`${'A long text.\n'.repeat(60)}The end.`);
  await button(page, 'Preview').click();
  await bar(page).waitFor();
}

const inView = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector('.preview-bar').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);

describe('the preview of a new item', () => {
  const looks = [
    { width: 1280, scheme: 'light' },
    { width: 320, scheme: 'dark' },
    { width: 1280, scheme: 'dark' },
    { width: 390, scheme: 'light' },
  ] as const;

  it.each(sized(looks.slice(0, 2), [...looks]))(
    'is accessible and keeps its bar visible at $width pixels in $scheme mode',
    async (look) => {
      await onForm(async (page) => {
        await preview(page);
        expect(await page.locator('h1').textContent()).toBe('The harbour at night');
        expect(await page.getByText('Lighthouses (new term)').count()).toBe(1);
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.width);
        await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
        expect(await page.evaluate<boolean>('window.scrollY > 0')).toBe(true);
        expect(await inView(page)).toBe(true);
      }, look);
    },
  );

  it('can be opened, left and saved with the keyboard alone', async () => {
    await onForm(async (page) => {
      await title(page).focus();
      await page.keyboard.type('Quays');
      await page.locator('[id="field_model.0.target_id"]').focus();
      await page.keyboard.type('Image');
      await button(page, 'Preview').focus();
      await page.keyboard.press('Enter');
      await bar(page).waitFor();
      // A screen reader begins with the sentence that nothing is saved.
      expect(await page.evaluate<string>('document.activeElement.className')).toBe('preview-bar');
      await page.keyboard.press('Tab');
      expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Back to editing');
      await page.keyboard.press('Enter');
      await page.locator('.action-bar .state', { hasText: 'Unsaved changes' }).waitFor();
      expect(await title(page).inputValue()).toBe('Quays');
      await button(page, 'Preview').focus();
      await page.keyboard.press('Enter');
      await bar(page).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/node\/\d+$/);
      expect(await page.locator('h1').textContent()).toBe('Quays');
    });
  });

  it('warns before unsaved values are lost', async () => {
    await onForm(async (page) => {
      await preview(page);
      const asked = new Promise<string>((resolve) => {
        page.once('dialog', (dialog) => {
          resolve(dialog.type());
          void dialog.dismiss();
        });
      });
      await page.locator('.brand').click();
      expect(await asked).toBe('beforeunload');
      expect(await bar(page).count()).toBe(1);
    });
  });

  it('shows form errors before anything is sent', async () => {
    await onForm(async (page, { requests }) => {
      const before = requests.length;
      await button(page, 'Preview').click();
      await page.locator('.error-summary').waitFor();
      expect(requests.slice(before).filter((each) => each.method() === 'POST')).toEqual([]);
    });
  });

  it('works without JavaScript', async () => {
    await onForm(
      async (page) => {
        await preview(page, false);
        expect(await page.locator('h1').textContent()).toBe('The harbour at night');
        await button(page, 'Back to editing').click();
        expect(await page.locator('[id="field_description.0.value"]').inputValue()).toEndWith('.\nThe end.');
        await page.locator('button[value="create field_subject 0 subject"]').click();
        await button(page, 'Preview').click();
        await button(page, 'Save').click();
        await page.waitForURL(/\/node\/\d+$/);
        expect(await page.getByText('Lighthouses').count()).toBe(1);
      },
      { hasScript: false },
    );
  });
});

describe('the preview of a stored item', () => {
  it('opens its viewer without errors and runs no script typed into a field', async () => {
    const model = await repository.termId('https://schema.org/Book');
    const book = await repository.node({ title: [{ value: 'A book' }], field_model: [{ target_id: model }] });
    const id = book.nid[0].value as number;
    const leaf = await repository.node({ title: [{ value: 'Page 1' }], field_member_of: [{ target_id: id }] });
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const bytes = await Bun.file('test/fixtures/images/red.jpg').bytes();
    const headers = { 'Content-Type': 'image/jpeg', 'Content-Location': 'public://leaf.jpg' };
    const put = await repository.put(`/node/${leaf.nid[0].value}/media/image/${use}`, bytes, headers, 'admin');
    expect(put.status).toBe(201);
    await onForm(
      async (page, { complaints }) => {
        await title(page).fill(`"><script>document.title = 'ran'</script>`);
        await button(page, 'Preview').click();
        await bar(page).waitFor();
        await settle(page);
        expect(await page.locator('.stage').count()).toBe(1);
        expect(await page.title()).toStartWith('Preview: "><script>');
        expect(complaints).toEqual([]);
        await button(page, 'Save').click();
        await page.waitForURL(/\/node\/\d+$/);
        const stored = (await (await repository.get(`/node/${id}?_format=json`, 'jane')).json()) as EntityJson;
        expect(stored.title[0].value).toStartWith('"><script>');
      },
      { path: `/node/${id}/edit` },
    );
  });
});

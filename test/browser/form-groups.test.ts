import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { addField } from '../support/added-field.ts';
import type { VisitOptions } from '../support/browser.ts';
import { ADD_ITEM, type FormBrowser, signedIn } from '../support/form-call.ts';
import { onQuietPage } from '../support/quiet-page.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

const MAX_CONTROLS = 25;
const MAX_PIXELS = 2_000;

let repository: TestRepository;
let jane: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  jane = await signedIn(repository, 'jane');
});
afterAll(() => repository.stop());

const onForm = (
  use: (page: Page) => Promise<void>,
  { path = ADD_ITEM, ...options }: VisitOptions & { path?: string } = {},
) => onQuietPage(repository.url + path, { cookie: jane.session?.cookie, ...options }, use);
const field = (page: Page, name: string) => page.locator(`.form-field[data-name=${name}]`);
const focusedName = (page: Page) => page.evaluate<string>('document.activeElement.name || document.activeElement.id');
const summary = (page: Page) => page.locator('.add-field > summary');
const offer = (page: Page, name: string) => page.locator(`.add-field button[value="open ${name}"]`);

/** The controls for values, as a cataloguer sees them: those in closed parts and beyond the edge do not count. */
const VISIBLE_CONTROLS = `[...document.querySelectorAll('form[data-keep] :is(input, select, textarea, [role=textbox])')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches('.unseen, [type=hidden]')).length`;

describe('the form of a new item', () => {
  it('has at most 25 controls and 2,000 pixels at first sight', async () => {
    await onForm(async (page) => {
      expect(await page.evaluate<number>(VISIBLE_CONTROLS)).toBeLessThanOrEqual(MAX_CONTROLS);
      expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(MAX_PIXELS);
    });
  });

  it('has two columns where there is room, and one on a phone', async () => {
    const isBeside = async (page: Page) => {
      const [topics, places] = [
        await field(page, 'field_subject').boundingBox(),
        await field(page, 'field_geographic_subject').boundingBox(),
      ];
      return topics?.y === places?.y;
    };
    await onForm(async (page) => expect(await isBeside(page)).toBe(true));
    await onForm(
      async (page) => {
        expect(await isBeside(page)).toBe(false);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      },
      { width: 390 },
    );
  });

  it('has no entries until something is typed', async () => {
    await onForm(async (page) => {
      await page.locator('.rich-text').first().waitFor();
      // As extensions of browsers do.
      await page.evaluate(`(async () => {
        document.querySelector('.rich-text p').setAttribute('data-checked', 'true');
        await new Promise((resolve) => setTimeout(resolve));
      })()`);
      expect(await page.locator('.action-bar .state').textContent()).toBe('');
    });
  });

  it('finds a field by its name, and adds it in its place, with the keyboard', async () => {
    await onForm(async (page) => {
      await page.fill('[name="title.0.value"]', 'Typed');
      await summary(page).focus();
      await page.keyboard.press('Enter');
      await page.waitForFunction('document.activeElement.id === "find-field"');
      await page.keyboard.insertText('physical ext');
      await page
        .locator('main > [role=status]')
        .getByText('1 field found.', { exact: true })
        .waitFor({ state: 'attached' });
      expect(await page.locator('.add-field li:visible button').allTextContents()).toEqual(['Extent']);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await field(page, 'field_extent').waitFor();
      expect(await focusedName(page)).toBe('field_extent.0.value');
      expect(await page.inputValue('[name="title.0.value"]')).toBe('Typed');
      const headings = await page.locator('.group h2').allTextContents();
      expect(headings.indexOf('Physical form')).toBe(headings.indexOf('Identifiers') - 1);
      expect(await offer(page, 'field_extent').count()).toBe(0);
      expect(await page.evaluate('document.querySelector(".add-field").open')).toBe(false);
      // Its rows work as those of other fields.
      await page.keyboard.type('1 print');
      await page.locator('button[value="add field_extent"]').click();
      expect(await focusedName(page)).toBe('field_extent.1.value');
      // A search that is left is no entry, and the next one begins again.
      await summary(page).click();
      expect(await page.locator('.add-field li:visible').count()).toBeGreaterThan(20);
    });
  });

  it('completes names, explains dates and edits texts in an added field', async () => {
    await repository.build.term('genre', 'Glass negatives');
    await onForm(async (page) => {
      await addField(page, 'field_genre');
      await page.keyboard.insertText('glass');
      await page.locator('.suggestions:visible [role=option]').first().waitFor();
      await page.keyboard.press('Escape');
      await addField(page, 'field_date_captured');
      await page.keyboard.type('1929~');
      await field(page, 'field_date_captured').getByText('Shown as “about 1929”').waitFor();
      await addField(page, 'field_abstract');
      await field(page, 'field_abstract').locator('.rich-text').waitFor();
      await addField(page, 'field_date_valid');
      await page.keyboard.type('May');
      await page.keyboard.press('Tab');
      await page.locator('[id="field_date_valid.0.value-error"]').waitFor();
    });
  });

  it('has no accessibility violations with all fields', async () => {
    await onForm(async (page) => {
      const names = await page
        .locator('.add-field button')
        .evaluateAll((all) => all.map((each) => (each as { value?: string }).value?.slice('open '.length) ?? ''));
      for (const name of names) await addField(page, name);
      expect(await page.locator('.add-field').isVisible()).toBe(false);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 900 });
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    });
  });

  it('offers the fields that suit the chosen model, and keeps those with a value', async () => {
    await onForm(async (page) => {
      const model = page.locator('[name="field_model.0.target_id"]');
      await addField(page, 'field_volume');
      await addField(page, 'field_issue');
      await page.fill('[name="field_issue.0.value"]', '3');
      await model.selectOption({ label: 'Collection' });
      expect(await field(page, 'field_volume').isVisible()).toBe(false);
      expect(await field(page, 'field_issue').isVisible()).toBe(true);
      await summary(page).click();
      expect(await offer(page, 'field_isbn').isVisible()).toBe(false);
      await model.selectOption({ label: 'Image' });
      expect(await field(page, 'field_volume').isVisible()).toBe(true);
      expect(await offer(page, 'field_isbn').isVisible()).toBe(true);
    });
  });

  it('adds a field without script, and leads to it', async () => {
    await onForm(
      async (page) => {
        await page.fill('[name="title.0.value"]', 'Typed');
        await summary(page).click();
        await Promise.all([page.waitForEvent('load'), offer(page, 'field_extent').click()]);
        expect(await page.inputValue('[name="title.0.value"]')).toBe('Typed');
        await page.keyboard.type('1 print');
        expect(await page.inputValue('[name="field_extent.0.value"]')).toBe('1 print');
      },
      { hasScript: false },
    );
  });

  it('asks to sign in again if the session has ended, and keeps the entries', async () => {
    const other = await signedIn(repository, 'jane');
    const options = { cookie: other.session?.cookie };
    const use = async (page: Page) => {
      await page.fill('[name="title.0.value"]', 'Typed before');
      await (await other.open('/user/logout')).submit();
      await summary(page).click();
      await Promise.all([page.waitForURL(() => true, { waitUntil: 'load' }), offer(page, 'field_extent').click()]);
      await page.locator('#pass').waitFor();
      await page.fill('#name', 'jane');
      await page.fill('#pass', 'jane');
      await Promise.all([page.waitForEvent('load'), page.press('#pass', 'Enter')]);
      await Promise.all([page.waitForEvent('load'), page.click('main form button[type=submit]')]);
      expect(await page.inputValue('[name="title.0.value"]')).toBe('Typed before');
      expect(await field(page, 'field_extent').isVisible()).toBe(true);
    };
    await onQuietPage(repository.url + ADD_ITEM, options, async (page, { complaints }) => {
      await use(page);
      expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
      (complaints as string[]).length = 0;
    });
  });
});

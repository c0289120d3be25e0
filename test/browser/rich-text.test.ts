import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { addField } from '../support/added-field.ts';
import type { VisitOptions } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type FormBrowser, signedIn } from '../support/form-call.ts';
import { onQuietPage } from '../support/quiet-page.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
let jane: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  jane = await signedIn(repository, 'jane');
});
afterAll(() => repository.stop());

const onForm = (use: (page: Page) => Promise<void>, { path, ...options }: VisitOptions & { readonly path: string }) =>
  onQuietPage(repository.url + path, { cookie: jane.session?.cookie, ...options }, use);
const abstract = (page: Page) => page.locator('fieldset[data-field=field_abstract]');

describe('the editor of a long text', () => {
  const KEPT =
    '<p>One <strong>bold</strong> and <em>two</em> <a href="https://a.example/">link</a></p>\n<ul><li>a</li></ul>';
  const area = (page: Page) => page.locator('[id="field_abstract.0.value"]');
  const editor = (page: Page) => abstract(page).getByRole('textbox').first();
  const stored = async (value: string) => {
    const abstract = [{ value, format: 'basic_html' }];
    const created = await repository.node({ title: [{ value: 'x' }], field_abstract: abstract });
    return `/node/${created.nid[0].value}/edit`;
  };

  it('formats text and keeps the other markup', async () => {
    await onForm(
      async (page) => {
        await editor(page).and(page.locator('.rich-text')).waitFor();
        expect(await area(page).inputValue()).toBe(KEPT);
        await editor(page).locator('li').click();
        await page.keyboard.press('End');
        await page.keyboard.press('Control+b');
        await page.keyboard.type('c');
        expect(await area(page).inputValue()).toBe(KEPT.replace('a</li>', 'a<strong>c</strong></li>'));
        expect(await accessibilityViolations(page)).toEqual([]);
        const tools = abstract(page);
        await page.keyboard.press('Shift+ArrowLeft');
        await tools.getByRole('button', { name: 'Link' }).click();
        await page.keyboard.type('https://b.example/');
        await page.keyboard.press('Enter');
        expect(await area(page).inputValue()).toContain('<a href="https://b.example/">');
        await tools.getByRole('button', { name: 'Source' }).click();
        expect(await page.evaluate<string>('document.activeElement.id')).toBe('field_abstract.0.value');
      },
      { path: await stored(KEPT) },
    );
  });

  it('sets the level of headings and keeps their ids', async () => {
    await onForm(
      async (page) => {
        const [tools, pressed] = [
          abstract(page).getByRole('group', { name: 'Formatting' }),
          (name: string) => abstract(page).getByRole('button', { name, pressed: true, exact: true }).waitFor(),
        ];
        await editor(page).locator('h2').click();
        await pressed('Heading 2');
        await tools.getByRole('button', { name: 'Heading 4' }).click();
        await pressed('Heading 4');
        expect(await area(page).inputValue()).toBe('<h4 id="a">A</h4>\n<p>b</p>\n<h5>c</h5>');
        await editor(page).locator('h5').click();
        await tools.getByRole('button', { name: 'Heading 3' }).click();
        await editor(page).locator('h4').click();
        await tools.getByRole('button', { name: 'Heading 4' }).click();
        expect(await area(page).inputValue()).toBe('<p>A</p>\n<p>b</p>\n<h3>c</h3>');
        expect(await accessibilityViolations(page)).toEqual([]);
        // Nothing of the bar is out of sight.
        const [shown, all] = await page
          .locator('.text-bar')
          .first()
          .evaluate((bar: { clientWidth: number; scrollWidth: number }) => [bar.clientWidth, bar.scrollWidth]);
        expect(all).toBe(shown as number);
      },
      { path: await stored('<h2 id="a">A</h2>\n<p>b</p>\n<h5>c</h5>') },
    );
  });

  it('offers only the elements that its text format allows', async () => {
    const folder = await emptyFolder();
    const modelFile = join(folder, 'model.yaml');
    await Bun.write(
      modelFile,
      'text_formats: { basic_html: { label: Basic, allowed_html: { p: [], h3: [], em: [] } } }',
    );
    const own = await createTestRepository({ modelFile });
    await own.user('jane', 'repository_editor');
    const browser = await signedIn(own, 'jane');
    await onQuietPage(`${own.url}/node/add/islandora_object`, { cookie: browser.session?.cookie }, async (page) => {
      await addField(page, 'field_abstract');
      const tools = abstract(page).getByRole('group', { name: 'Formatting' }).getByRole('button');
      await tools.first().waitFor();
      expect(await tools.allTextContents()).toEqual(['Italic', 'Heading 3']);
    });
    await own.stop();
    await rm(folder, { recursive: true });
  });

  it('keeps all markup of a text while it is edited or shown as source', async () => {
    const texts = [
      ['Words &amp; <em>more</em> words', true],
      ['<h2 id="a">A</h2>\n<p>b<br>c</p>\n<blockquote cite="https://a.example/"><p>d</p></blockquote>', true],
      ['<ol start="3"><li>a<ul><li>b</li></ul></li></ol>', true],
      ['<p><span>a</span> <code>b</code> <cite>c</cite></p>', true],
      ['<p><a href="/node/1" hreflang="de">a</a></p>', true],
      ['<p class="own" data-x="1">a</p>', false],
      ['<p>a</p><style>p { color: red }</style>', false],
      ['<!-- a --><p onclick="alert(1)">b</p>', false],
      ['<p><u>a</u> <b>b</b> <i>c</i></p>', false],
    ] as const;
    const values = texts.map(([value]) => ({ value, format: 'basic_html' }));
    const created = await repository.node({ title: [{ value: 'x' }], field_note: values });
    await onForm(
      async (page) => {
        const rows = page.locator('fieldset[data-field=field_note] .value-row');
        for (const [at, [value, isRich]] of texts.entries()) {
          const source = rows.nth(at).locator('textarea');
          expect(await source.inputValue()).toBe(value);
          expect({ value, editors: await rows.nth(at).locator('.rich-text').count() }).toEqual({
            value,
            editors: isRich ? 1 : 0,
          });
          if (!isRich) continue;
          await source.focus();
          await page.keyboard.press('Control+End');
          await page.keyboard.type('z');
          expect(await source.inputValue()).toContain('z');
          await page.keyboard.press('Backspace');
          const plain = (html: string) => html.replace(/\n|^<p>|<\/p>$/g, '');
          expect(plain(await source.inputValue())).toBe(plain(value));
        }
      },
      { path: `/node/${created.nid[0].value}/edit` },
    );
  });

  it('opens unsupported markup as source', async () => {
    const other = '<p>One</p><!-- two --><dl><dt>a</dt><dd>b</dd></dl><table><tr><td>c</td></tr></table>';
    await onForm(
      async (page) => {
        await abstract(page).getByRole('button', { name: 'Formatted text' }).waitFor();
        expect(await area(page).inputValue()).toBe(other);
        expect(await area(page).isVisible()).toBe(true);
      },
      { path: await stored(other) },
    );
  });
});

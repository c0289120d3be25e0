import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import type { VisitOptions } from '../support/browser.ts';
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

describe('a long text', () => {
  const KEPT =
    '<p>One <strong>bold</strong> and <em>two</em> <a href="https://a.example/">link</a></p>\n<ul><li>a</li></ul>';
  const area = (page: Page) => page.locator('[id="field_abstract.0.value"]');
  const editor = (page: Page) => abstract(page).getByRole('textbox').first();
  const stored = async (value: string) => {
    const abstract = [{ value, format: 'basic_html' }];
    const created = await repository.node({ title: [{ value: 'x' }], field_abstract: abstract });
    return `/node/${created.nid[0].value}/edit`;
  };

  it('is formatted in an editor, and keeps the rest of its markup', async () => {
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

  it('loses none of its markup, in the editor or in its source', async () => {
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
          expect([value, await source.inputValue()]).toEqual([value, value]);
          expect([value, await rows.nth(at).locator('.rich-text').count()]).toEqual([value, isRich ? 1 : 0]);
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

  it('with other markup stays in its source', async () => {
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

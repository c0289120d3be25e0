import { describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, visit } from '../support/browser.ts';
import { openSite, useSite } from '../support/site.ts';
import { SCHEMES, WIDTHS } from '../support/site-pages.ts';
import { sized } from '../support/size.ts';

useSite();

const BOX = 'header.site input[type=search]';
const OPTION = '.suggestions [role=option]';

async function open(path: string, options: Parameters<typeof visit>[1] = {}): Promise<Visit> {
  const { repository } = await openSite();
  return visit(repository.url + path, options);
}

/** Types into the search box, without a pause between letters, and waits for suggestions. */
async function complete({ page }: Visit, text: string, box = BOX): Promise<string[]> {
  await page.locator(box).focus();
  await page.keyboard.insertText(text);
  await page.locator(OPTION).first().waitFor();
  return page.locator(`${OPTION} > :first-child`).allTextContents();
}

const attribute = ({ page }: Visit, name: string, box = BOX) => page.locator(box).getAttribute(name);

describe('the suggestions of the search box', () => {
  it('can be selected and opened with the keyboard', async () => {
    const seen = await open('/collections');
    const { page } = seen;
    expect(await attribute(seen, 'role')).toBe('combobox');
    expect(await attribute(seen, 'aria-expanded')).toBe('false');
    const texts = await complete(seen, 'harb');
    expect(texts).toContain('Harbour Commission');
    expect(await attribute(seen, 'aria-expanded')).toBe('true');
    expect(await attribute(seen, 'aria-activedescendant')).toBeNull();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(BOX).inputValue()).toBe(texts[0] as string);
    const active = await attribute(seen, 'aria-activedescendant');
    expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator(BOX).inputValue()).toBe('harb');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator(BOX).inputValue()).toBe(texts.at(-1) as string);
    await page.keyboard.press('Escape');
    expect(await page.locator(BOX).inputValue()).toBe('harb');
    expect(await page.locator(OPTION).first().isVisible()).toBe(false);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/(node|taxonomy\/term)\/\d+$/);
    expect(await page.locator('h1').textContent()).toBe(texts[0] as string);
    expect(seen.complaints).toEqual([]);
    await seen.close();
  });

  it('let Enter search for the typed words and Tab move to the next control', async () => {
    const seen = await open('/collections');
    const { page } = seen;
    await complete(seen, 'harb');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Search');
    expect(await page.locator(OPTION).first().isVisible()).toBe(false);
    await page.locator(BOX).press('Enter');
    await page.waitForURL('**/search?q=harb');
    await seen.close();
  });

  it('can be opened with the mouse, and close when the box loses the focus', async () => {
    const seen = await open('/');
    const { page } = seen;
    const box = '.hero input[type=search]';
    await complete(seen, 'harb', box);
    await page.locator('h1').click();
    expect(await page.locator(OPTION).first().isVisible()).toBe(false);
    await page.locator(box).fill('');
    await complete(seen, 'annual', box);
    await page.locator(OPTION).first().click();
    await page.waitForURL(/\/node\/\d+$/);
    await seen.close();
  });

  it('are announced, and close for text without a match', async () => {
    const seen = await open('/collections');
    const { page } = seen;
    const texts = await complete(seen, 'harb');
    expect(await page.locator('search [role=status]').textContent()).toBe(
      texts.length === 1 ? '1 suggestion' : `${texts.length} suggestions`,
    );
    await page.locator(BOX).pressSequentially('qqq');
    await page.locator(OPTION).first().waitFor({ state: 'hidden' });
    expect(await attribute(seen, 'aria-expanded')).toBe('false');
    await seen.close();
  });

  it.each(Object.entries(WIDTHS))('have no accessibility violations on a %s', async (_, width) => {
    const [light, dark] = SCHEMES;
    for (const scheme of sized<readonly (typeof light | typeof dark)[]>(
      [width === WIDTHS.phone ? dark : light],
      SCHEMES,
    )) {
      const seen = await open('/collections', { width, scheme });
      await complete(seen, 'harb');
      await seen.page.keyboard.press('ArrowDown');
      expect(await accessibilityViolations(seen.page)).toEqual([]);
      await seen.close();
    }
  });

  it('do not block the search when they cannot be fetched', async () => {
    const seen = await open('/collections');
    const { page } = seen;
    await page.route('**/search/suggest*', (route) => route.fulfill({ status: 503, body: 'no' }));
    await page.locator(BOX).fill('ferry');
    await page.locator(BOX).press('Enter');
    await page.waitForURL('**/search?q=ferry');
    await seen.close();
  });
});

describe.each([true, false])('the results page (JavaScript: %s)', (hasScript) => {
  it('can be opened, filtered and paged with the keyboard', async () => {
    const seen = await open('/collections', { hasScript });
    const { page } = seen;
    await page.locator(BOX).fill('harbour OR ferry OR crew OR plan');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=*');
    const total = await page.locator('h1').textContent();
    await page.getByRole('link', { name: 'Image', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/f\.model=/);
    expect(await page.locator('.chip').textContent()).toContain('Model: Image');
    expect(await page.locator('h1').textContent()).not.toBe(total);
    await page.locator('.pager a[rel=next]').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/page=1/);
    expect(await page.locator('.hit').count()).toBeGreaterThan(0);
    await page.locator('.chip').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.search.includes('f.model'));
    expect(await page.locator('h1').textContent()).toBe(total);
    expect(await page.locator(BOX).inputValue()).toBe('harbour OR ferry OR crew OR plan');
    // Pictures that a page was still loading when it was left.
    expect(seen.complaints.filter((complaint) => !complaint.endsWith('net::ERR_ABORTED'))).toEqual([]);
    await seen.close();
  });

  it('filters by the years of a bar of the chart and by those of the form', async () => {
    const seen = await open('/search', { hasScript });
    const { page } = seen;
    const bar = page.locator('.decades a').first();
    const words = await bar.locator('title').textContent();
    await bar.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=\d+&to=\d+/);
    expect(words).toEndWith(`: ${await page.locator('h1').textContent()}`);
    await page.locator('.years [name=from]').fill('1909');
    await page.locator('.years [name=to]').fill('1912');
    await page.locator('.years button').click();
    await page.waitForURL(/from=1909&to=1912/);
    expect(await page.locator('.chip').textContent()).toContain('Years: 1909 to 1912');
    await seen.close();
  });

  it('collapses the facets on a phone, and shows them on a desktop', async () => {
    const phone = await open('/search?q=harbour', { width: WIDTHS.phone, hasScript });
    const facet = phone.page.locator('.facet li a').first();
    expect(await facet.isVisible()).toBe(false);
    await phone.page.locator('.narrow > summary').click();
    expect(await facet.isVisible()).toBe(true);
    await phone.close();
    const desk = await open('/search?q=harbour', { width: WIDTHS.desk, hasScript });
    expect(await desk.page.locator('.facet li a').first().isVisible()).toBe(true);
    expect(await desk.page.locator('.narrow > summary').isVisible()).toBe(false);
    await desk.close();
  });
});

describe('the picture of a result', () => {
  it('links to the item', async () => {
    const seen = await open('/search?q=customs+house');
    const { page } = seen;
    const box = await page.locator('.hit .card-picture').first().boundingBox();
    if (box === null) throw new Error('the picture is not shown');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForURL(/\/node\/\d+$/);
    await seen.close();
  });
});

describe('results with right-to-left and long titles', () => {
  it('keep the direction of each title and fit on a narrow phone', async () => {
    const { build } = await openSite();
    await build.node('image', 'تصوير الميناء القديم mirsal');
    await build.node('image', `mirsal ${'W'.repeat(240)}`);
    const seen = await open('/search?q=mirsal', { width: 320 });
    const { page } = seen;
    expect(await page.locator('.hit').count()).toBe(2);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    const title = page.locator('.hit h2 a', { hasText: 'الميناء' });
    expect(await title.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    expect(await accessibilityViolations(page)).toEqual([]);
    await seen.close();
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import type { Visit } from '../support/browser.ts';
import { visitSignedIn } from '../support/browser-session.ts';
import { copyMembers } from '../support/copied-nodes.ts';
import { shoot } from '../support/screenshot.ts';
import { SiteBuilder } from '../support/site-builder.ts';
import { makeSiteFiles, type SiteFiles } from '../support/site-files.ts';
import { sized } from '../support/size.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

/** Neither has a divisor in common with 7. */
const MEMBERS = sized(1_000, 5_000);
const LOOKS = [
  [1280, 'light'],
  [390, 'dark'],
  [1280, 'dark'],
  [390, 'light'],
] as const;

let repository: TestRepository;
let build: SiteBuilder;
let files: SiteFiles;
let book: number;
let visited: Visit | undefined;

beforeAll(async () => {
  [repository, files] = await Promise.all([createTestRepository(), makeSiteFiles()]);
  build = new SiteBuilder(repository);
});
beforeEach(async () => {
  book = await build.node('book', 'The ledger');
  for (const [at, number] of [10, 2, 1, 11, 3].entries())
    await build.node('page', `Page ${number}`, { field_member_of: [book], field_weight: [at + 1] });
});
afterEach(async () => {
  await visited?.close();
  visited = undefined;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function open(options: Parameters<typeof visitSignedIn>[2] = {}, node = book): Promise<Page> {
  visited = await visitSignedIn(repository.url, `/node/${node}/order`, options);
  return visited.page;
}

/** A page that is left aborts what it still loads. */
const complaints = () => visited?.complaints.filter((each) => !each.endsWith('net::ERR_ABORTED'));
/** The numbers of the pages in the order of the list. */
const numbers = (page: Page) =>
  page.evaluate<number[]>(`[...document.querySelectorAll('.order-rows a')].map((a) => Number(a.textContent.slice(5)))`);
/** True if the fields show the positions of the list. */
const isNumbered = (page: Page) =>
  page.evaluate<boolean>(
    `[...document.querySelectorAll('.order-rows input[name]')].every((input, at) => input.value === String(at + 1))`,
  );
const said = (page: Page) => page.locator('main > [role=status]').last().textContent();
const input = (page: Page, title: string) => page.getByRole('textbox', { name: `Position of ${title}`, exact: true });
const box = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select ${title}`, exact: true });

/** Saves the order and waits until all members have their places. */
async function save(page: Page): Promise<void> {
  await Promise.all([page.waitForURL(/bulk\/\d+/), page.getByRole('button', { name: 'Save the order' }).click()]);
  await page.getByText(/Finished: /).waitFor({ timeout: 60_000 });
}

describe('the order of members', () => {
  it('changes by dragging, and Escape cancels the drag', async () => {
    const page = await open();
    const handle = (at: number) => page.locator('.row-handle').nth(at);
    const drag = async (from: number, to: number) => {
      const [start, end] = [await handle(from).boundingBox(), await handle(to).boundingBox()];
      if (start === null || end === null) throw new Error('a handle is not shown');
      await page.mouse.move(start.x + 10, start.y + start.height / 2);
      await page.mouse.down();
      await page.mouse.move(end.x + 10, end.y + end.height / 2 + (to > from ? 10 : -10), { steps: 8 });
    };
    await drag(0, 3);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await numbers(page)).toEqual([10, 2, 1, 11, 3]);
    await drag(0, 3);
    await page.mouse.up();
    expect(await numbers(page)).toEqual([2, 1, 11, 10, 3]);
    expect(await isNumbered(page)).toBe(true);
    expect(await said(page)).toBe('Page 10: moved to position 4 of 5.');
    expect(await page.locator('.action-bar .state').textContent()).toBe('Unsaved changes');
    // Selected members are dragged together.
    await box(page, 'Page 2').check();
    await box(page, 'Page 11').check();
    await drag(2, 4);
    await page.mouse.up();
    expect(await numbers(page)).toEqual([1, 10, 3, 2, 11]);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await numbers(page)).toEqual([2, 1, 11, 10, 3]);
    await save(page);
    await page.goto(`${repository.url}/node/${book}/order`);
    expect(await numbers(page)).toEqual([2, 1, 11, 10, 3]);
    expect(complaints()).toEqual([]);
  }, 60_000);

  it('changes with the keyboard alone, for one or several members', async () => {
    const page = await open();
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label")');
    await page.getByRole('button', { name: 'Down: Page 10' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    expect(await numbers(page)).toEqual([2, 1, 10, 11, 3]);
    expect(await focused()).toBe('Down: Page 10');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await numbers(page)).toEqual([2, 10, 1, 11, 3]);
    await page.getByRole('button', { name: 'Up: Page 2' }).focus();
    await page.keyboard.press('Enter');
    expect(await said(page)).toBe('It is the first one already.');
    // A position moves the member, and does not send the form.
    await input(page, 'Page 3').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    expect(await numbers(page)).toEqual([3, 2, 10, 1, 11]);
    expect(await focused()).toBe('Position of Page 3');
    await box(page, 'Page 10').focus();
    await page.keyboard.press('Space');
    await box(page, 'Page 11').focus();
    await page.keyboard.press('Space');
    expect(await page.locator('[data-count]').textContent()).toBe('2 selected');
    await page.getByLabel('Move to position').focus();
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    expect(await numbers(page)).toEqual([3, 10, 11, 2, 1]);
    expect(await said(page)).toBe('2 members moved to position 2 of 5.');
    await page.getByRole('button', { name: 'Down', exact: true }).focus();
    await page.keyboard.press('Enter');
    expect(await numbers(page)).toEqual([3, 2, 10, 11, 1]);
    await page.getByRole('button', { name: 'Save the order' }).focus();
    await Promise.all([page.waitForURL(/bulk\/\d+/), page.keyboard.press('Enter')]);
    await page.getByText(/Finished: /).waitFor();
    await page.goto(`${repository.url}/node/${book}/order`);
    expect(await numbers(page)).toEqual([3, 2, 10, 11, 1]);
  }, 60_000);

  it('reports an invalid position, and keeps it in its field', async () => {
    const page = await open();
    await input(page, 'Page 1').fill('9');
    await page.keyboard.press('Enter');
    expect(await page.locator('.order-rows .error').textContent()).toBe('Enter a number from 1 to 5.');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Reverse' }).click();
    expect(await input(page, 'Page 1').inputValue()).toBe('9');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    expect(await page.locator('[data-problem]').textContent()).toBe('Select members first, or a range of positions.');
    await page.getByLabel('Positions').fill('0');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    expect(await page.locator('[data-problem]').textContent()).toBe('Enter a number from 1 to 5.');
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Save the order' }).click()]);
    expect(await page.evaluate<string>('document.activeElement.className')).toBe('error-summary');
    expect(await numbers(page)).toEqual([3, 11, 1, 2, 10]);
    expect(await input(page, 'Page 1').inputValue()).toBe('9');
    await input(page, 'Page 1').fill('1');
    await page.keyboard.press('Enter');
    expect(await page.locator('.order-rows .error').count()).toBe(0);
    await save(page);
    await page.goto(`${repository.url}/node/${book}/order`);
    expect(await numbers(page)).toEqual([1, 3, 11, 2, 10]);
  }, 60_000);

  it('is sorted by title in natural order, and the sorting can be undone', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Sort by title' }).click();
    expect(await numbers(page)).toEqual([1, 2, 3, 10, 11]);
    expect(await isNumbered(page)).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await numbers(page)).toEqual([10, 2, 1, 11, 3]);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await said(page)).toBe('There is nothing to undo.');
  }, 60_000);

  it('changes without JavaScript', async () => {
    const page = await open({ hasScript: false });
    expect(await page.locator('.order-tools').isVisible()).toBe(false);
    await input(page, 'Page 3').fill('2');
    await Promise.all([page.waitForURL(/bulk\/\d+/), page.getByRole('button', { name: 'Save the order' }).click()]);
    await page.goto(`${repository.url}/node/${book}/order`);
    while ((await page.locator('.order-rows').count()) === 0) await page.reload();
    expect(await page.locator('.order-rows a').allTextContents()).toEqual([
      'Page 10',
      'Page 3',
      'Page 2',
      'Page 1',
      'Page 11',
    ]);
  }, 60_000);

  for (const [width, scheme] of sized(LOOKS.slice(0, 2), [...LOOKS]))
    it(`is shown without accessibility violations or layout shift at ${width} pixels in ${scheme} mode`, async () => {
      const collection = await build.node('collection', 'Photographs');
      for (const [at, title] of [
        'Bay',
        'A very long title of a photograph of the harbour, taken from the customs house',
      ].entries()) {
        const node = await build.node('image', title, { field_member_of: [collection], status: [at === 0] });
        await build.picture(node, files.pictures[at] as SiteFiles['pictures'][number], `${width}-${scheme}-${at}`);
      }
      const page = await open({ width, scheme }, collection);
      expect(await visited?.shift()).toBe(0);
      await box(page, 'Bay').check();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.locator('.order-rows img').count()).toBe(2);
      await shoot(page, `order-${width}-${scheme}`, { fullPage: true });
      expect(complaints()).toEqual([]);
    }, 60_000);
});

describe(`a book of ${MEMBERS} pages`, () => {
  let large: number;
  beforeAll(async () => {
    large = await build.node('book', 'The great ledger');
    const first = await build.node('page', `Page ${MEMBERS}`, { field_member_of: [large] });
    await build.picture(first, files.pages[0] as SiteFiles['pages'][number], 'leaf');
    // Neither the titles nor the weights are in order.
    await copyMembers(repository.running.services.database, first, MEMBERS - 1, {
      titleOf: `'Page ' || (n * 7 % ${MEMBERS})`,
    });
  }, 60_000);

  it('is sorted, reordered and saved', async () => {
    const times: [string, number][] = [];
    const timed = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
      const startedAt = performance.now();
      const result = await work();
      times.push([name, Math.round(performance.now() - startedAt)]);
      return result;
    };
    const total = MEMBERS.toLocaleString('en');
    const page = await open({}, book);
    await timed('open', () => page.goto(`${repository.url}/node/${large}/order`));
    await page.locator('.row-handle').first().waitFor();
    expect(await page.locator('.order-rows > li').count()).toBe(MEMBERS);
    await shoot(page, 'order-large');
    await timed('sort', () => page.locator('[data-tool=sort]').click());
    const sorted = Array.from({ length: MEMBERS }, (_, at) => at + 1);
    expect(await numbers(page)).toEqual(sorted);
    await timed('up', () => page.locator('[data-step=up]').nth(2).click());
    // Ten pages before the last one belong behind page 3.
    await page.locator('#range-from').fill(String(MEMBERS - 10));
    await page.locator('#range-to').fill(String(MEMBERS - 1));
    await page.locator('[data-tool=select]').click();
    expect(await page.locator('[data-count]').textContent()).toBe('10 selected');
    await page.locator('#range-target').fill('4');
    await timed('move 10', () => page.locator('[data-tool=move]').click());
    const moved = sorted.slice(-11, -1);
    const wanted = [1, 3, 2, ...moved, ...sorted.slice(3, -11), MEMBERS];
    expect(await numbers(page)).toEqual(wanted);
    expect(await isNumbered(page)).toBe(true);
    await timed('send', async () => {
      await Promise.all([page.waitForURL(/bulk\/\d+/), page.locator('.action-bar button').click()]);
    });
    await timed('save', () => page.getByText(`Finished: ${total} of ${total}.`).waitFor({ timeout: 240_000 }));
    await page.goto(`${repository.url}/node/${large}/order`);
    expect(await numbers(page)).toEqual(wanted);
    console.log(times.map(([name, milliseconds]) => `${name}: ${milliseconds} ms`).join(', '));
    expect(complaints()).toEqual([]);
  }, 400_000);
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, type VisitOptions, visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createIiifSite, type IiifSite, idOf } from '../support/iiif-site.ts';
import type { EntityJson } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const TEXTS = [
  'Printed by order of the Commissioners in the year nineteen hundred and eight.',
  'The customs house was fitted with electric light. Four hundred vessels entered the harbour & left it.',
];

let site: IiifSite;
let book: EntityJson;
let pages: EntityJson[];
let visited: Visit | undefined;
beforeAll(async () => {
  site = await createIiifSite();
  book = await site.item('book', [], { title: ['Annual report'] });
  pages = [];
  for (const [at, text] of TEXTS.entries()) {
    const page = await site.item('page', [book], { field_weight: [at + 1], title: [`Leaf ${at + 1}`] });
    const { jpeg, hocr } = await printed(text);
    await site.put(page, 'jpg', jpeg);
    await site.put(page, 'hocr', hocr, 'hocr');
    pages.push(page);
  }
}, 120_000);
afterEach(async () => {
  await visited?.close();
  visited = undefined;
});
afterAll(async () => {
  await site.repository.stop();
});

/** Draws a page and recognizes its text, as the derivatives of a page do. */
async function printed(text: string): Promise<{ jpeg: Uint8Array<ArrayBuffer>; hocr: string }> {
  const name = join(await emptyFolder(), 'page');
  const look = ['-size', '820x', '-background', 'white', '-fill', 'black', '-font', 'DejaVu-Serif', '-pointsize', '34'];
  await run(['convert', ...look, `caption:${text}`, '-gravity', 'North', '-extent', '1000x1500-0-140', `${name}.jpg`]);
  await run(['tesseract', `${name}.jpg`, name, '-c', 'tessedit_create_hocr=1']);
  return { jpeg: await Bun.file(`${name}.jpg`).bytes(), hocr: await Bun.file(`${name}.hocr`).text() };
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stderr: 'pipe' });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}

async function open(path: string, options?: VisitOptions): Promise<Page> {
  visited = await visit(`${site.repository.url}${path}`, options);
  return visited.page;
}

const searchPath = (q: string) => `/node/${idOf(book)}/search?${new URLSearchParams({ q })}`;

/** The rectangle of the marks that Mirador draws, in pixels of its canvas. Null without marks, or before there is a canvas. */
const MARKED = `(() => {
  const found = { left: Infinity, top: Infinity, right: -1, bottom: -1 };
  const canvas = document.querySelector('.openseadragon-canvas > div > canvas');
  if (canvas === null) return null;
  // Chromium complains about a canvas that is read again and again, but not about a copy for that purpose.
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data, width, height } = copy.getImageData(0, 0, canvas.width, canvas.height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (data[(y * width + x) * 4 + 3] > 0) {
        Object.assign(found, { left: Math.min(found.left, x), right: Math.max(found.right, x + 1) });
        Object.assign(found, { top: Math.min(found.top, y), bottom: Math.max(found.bottom, y + 1) });
      }
  return found.right < 0 ? null : found;
})()`;

interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

describe('the search within a book', () => {
  it('lists the matching pages without JavaScript', async () => {
    const page = await open(`/node/${idOf(book)}`, { hasScript: false });
    await page.getByRole('searchbox', { name: 'Search in this item' }).fill('harbour');
    await page.locator('#page-content').getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/\/search\?q=harbour$/);
    const link = page.getByRole('link', { name: 'Leaf 2' }).last();
    expect(await link.getAttribute('href')).toBe(`/node/${idOf(pages[1] ?? {})}`);
    expect(await page.locator('.found-pages mark').allTextContents()).toEqual(['harbour']);
    expect(await page.locator('.found-pages > li').count()).toBe(1);
    expect(await page.getByRole('searchbox', { name: 'Search in this item' }).inputValue()).toBe('harbour');
  });

  it('highlights the words on the matching page in Mirador', async () => {
    const page = await open(searchPath('electric'));
    const marked = await until(() => page.evaluate<Rectangle | null>(MARKED));
    const answer = await site.repository.get(`/paged-content-search/${idOf(book)}?q=electric`);
    const [{ on }] = ((await answer.json()) as EntityJson).resources;
    const [, , width, height] = /xywh=(\d+),(\d+),(\d+),(\d+)$/.exec(on)?.slice(1).map(Number) ?? [];
    expect(on).toContain(`/node/${idOf(pages[1] ?? {})}/canvas/`);
    const shape = (marked.right - marked.left) / (marked.bottom - marked.top);
    expect(Math.abs(shape / ((width ?? 0) / (height ?? 1)) - 1)).toBeLessThan(0.2);
    expect(visited?.complaints).toEqual([]);
  });

  it('searches for several words with one request, and lists the matches in the panel of Mirador', async () => {
    const page = await open(searchPath('four & harbour'));
    await until(() => page.evaluate<Rectangle | null>(MARKED));
    const panel = page.getByRole('complementary', { name: 'Search' });
    expect(await panel.getByRole('listitem').count()).toBeGreaterThanOrEqual(0);
    expect(await page.locator('[aria-label="Search"] strong').allTextContents()).toEqual(['Four', 'harbour']);
    const asked = visited?.requests.filter((request) => request.url().includes('/paged-content-search/'));
    expect(new Set(asked?.map((request) => request.url())).size).toBe(1);
    expect(visited?.complaints).toEqual([]);
  });

  it('opens at the page that a result of the search links to, with its words marked', async () => {
    const page = await open('/search?q=in+OR+electric');
    await page.locator('.hit-pages').getByRole('link', { name: 'Leaf 2' }).click();
    await page.waitForURL(/\/search\?q=electric&at=\d+$/);
    await page.getByText('2 of 2', { exact: false }).first().waitFor();
    await until(() => page.evaluate<Rectangle | null>(MARKED));
    expect(visited?.complaints).toEqual([]);
  });

  it('stays at the page that was asked for if an earlier one has the words, too', async () => {
    const page = await open(`${searchPath('the')}&at=${idOf(pages[1] ?? {})}`);
    await until(() => page.evaluate<Rectangle | null>(MARKED));
    await page.getByText('2 of 2', { exact: false }).first().waitFor();
    expect(visited?.complaints).toEqual([]);
  });

  it('shows a message and no highlights without a match', async () => {
    const page = await open(searchPath('submarine'));
    await page.getByText('No page has all of these words.').waitFor();
    await page.waitForSelector('.openseadragon-canvas > div > canvas', { state: 'attached' });
    expect(await page.evaluate<Rectangle | null>(MARKED)).toBeNull();
    expect(visited?.complaints).toEqual([]);
  });

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('is accessible, fits and has no layout shift at %d pixels in %s mode', async (width, scheme) => {
    const page = await open(searchPath('the'), { width, scheme });
    await page.waitForSelector('.viewer-pages[data-state="open"]');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await visited?.shift()).toBe(0);
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

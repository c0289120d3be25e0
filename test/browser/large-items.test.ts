import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Response } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, visit } from '../support/browser.ts';
import { copyNode } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { pdfWithPictures } from '../support/hand-written-pdf.ts';
import { createLinkedSite, type LinkedSite } from '../support/linked-site.ts';
import { nodeWithMedia } from '../support/many-media.ts';
import { shoot } from '../support/screenshot.ts';
import { settle } from '../support/settled-page.ts';
import { SiteBuilder } from '../support/site-builder.ts';
import { makeSiteFiles } from '../support/site-files.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
/** Mirador shows the pages around the reader alone. */
const MAX_REQUESTS = 150;

let site: LinkedSite;
let build: SiteBuilder;
let visited: Visit | undefined;
beforeAll(async () => {
  site = await createLinkedSite();
  build = new SiteBuilder(site.repository);
}, 120_000);
afterEach(async () => {
  await visited?.close();
  visited = undefined;
});
afterAll(() => site.stop());

async function open(path: string, width = 1280): Promise<Visit> {
  visited = await visit(site.repository.url + path, { width });
  return visited;
}

describe('a book of 1,000 pages', () => {
  /** Rows are copied: nothing can be added to this repository. */
  let large: TestRepository;
  let book: number;
  beforeAll(async () => {
    large = await createTestRepository();
    const filler = new SiteBuilder(large);
    const { pages } = await makeSiteFiles();
    book = await filler.node('book', 'The great ledger');
    const leaf = await filler.node('page', 'A leaf', { field_member_of: [book], field_weight: [1] });
    await filler.picture(leaf, pages[0] as (typeof pages)[0], 'leaf');
    await copyNode(large.running.services.database, leaf, 999, 'leaf');
  }, 120_000);
  afterAll(() => large.stop());

  it('opens in Mirador and can be turned to its second and last page', async () => {
    const { page, complaints, requests, shift, close } = await visit(`${large.url}/node/${book}`);
    const place = page.locator('.mirador-canvas-count');
    await place.getByText('1 of 1000').waitFor();
    await page.waitForSelector('.mirador-viewer canvas');
    await page.getByRole('button', { name: 'Next item' }).click();
    await place.getByText('2 of 1000').waitFor();
    await shoot(page, 'book-of-1000-pages');
    await page.getByRole('button', { name: 'Toggle sidebar' }).click();
    const list = page.locator('.mirador-companion-window-left');
    await list.waitFor();
    await page.evaluate(`(() => {
      const scrolled = [...document.querySelectorAll('.mirador-companion-window-left *')].find((each) => each.scrollHeight > each.clientHeight + 500);
      scrolled.scrollTop = scrolled.scrollHeight;
    })()`);
    await list.getByRole('menuitem').last().click();
    await place.getByText(/(999|1000) of 1000/).waitFor();
    expect(complaints).toEqual([]);
    expect(requests.length).toBeLessThan(MAX_REQUESTS);
    expect(await shift()).toBe(0);
    await close();
  }, 60_000);
});

describe('a large PDF', () => {
  it('is fetched in byte ranges, less than half of it for the first and last page', async () => {
    const bytes = await largePdf();
    const node = await build.node('document', 'A volume of maps');
    const document = { use: 'original', media: 'document', mimeType: 'application/pdf', name: 'maps.pdf' } as const;
    await build.upload(node, { ...document, bytes });
    const opened = await open('/');
    const answers: Response[] = [];
    opened.page.on('response', (response) => {
      if (response.url().endsWith('/maps.pdf')) answers.push(response);
    });
    await opened.page.goto(`${site.repository.url}/node/${node}`);
    await opened.page.waitForSelector('.viewer-pdf .page[data-page-number="1"] canvas');
    await opened.page.getByRole('spinbutton', { name: 'Page' }).fill('60');
    await opened.page.keyboard.press('Enter');
    await opened.page.waitForSelector('.viewer-pdf .page[data-page-number="60"] canvas');
    await settle(opened.page);
    const ranges = answers.filter((answer) => answer.status() === 206);
    const read = ranges.reduce((sum, answer) => sum + Number(answer.headers()['content-length']), 0);
    expect(ranges.length).toBeGreaterThan(1);
    expect(read).toBeLessThan(bytes.length / 2);
    // The first request learns that ranges are served, and is aborted.
    expect(answers.length - ranges.length).toBeLessThanOrEqual(1);
    expect(opened.complaints).toEqual([]);
  }, 60_000);
});

describe('an item with 131 files', () => {
  it.each([390, 1280])('lists files without accessibility violations or layout shift at %d pixels', async (width) => {
    const node = await nodeWithMedia(site, 131, ORIGINAL);
    for (const query of ['', '?files=1#files']) {
      const { page, complaints, shift, close } = await visit(`${site.repository.url}/node/${node}${query}`, { width });
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(complaints.filter((each) => !each.includes('info.json'))).toEqual([]);
      expect(await shift()).toBe(0);
      const name = `many-files${query && '-all'}-${width === 390 ? 'phone' : 'desk'}`;
      await shoot(page, name, { fullPage: true, clip: { x: 0, y: 0, width, height: 2600 } });
      await close();
    }
    await open(`/node/${node}`, width);
    await visited?.page.getByRole('link', { name: 'All 131 files' }).click();
    await visited?.page.getByText('131 files', { exact: true }).waitFor();
  });
});

/** A PDF of 60 pages, each with a picture of noise, of about 400 KB. */
async function largePdf(): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(await emptyFolder(), 'noise.jpg');
  await run([
    'convert',
    '-size',
    '600x800',
    'xc:gray',
    '+noise',
    'Random',
    '-colorspace',
    'Gray',
    '-quality',
    '95',
    file,
  ]);
  const jpeg = await Bun.file(file).bytes();
  return pdfWithPictures(Array.from({ length: 60 }, () => ({ jpeg, width: 600, height: 800 })));
}

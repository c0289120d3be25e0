import { afterEach, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visit, type VisitOptions, visit } from '../support/browser.ts';
import { settle } from '../support/settled-page.ts';
import { openSite, type Site, type SiteContent, useSite } from '../support/site.ts';
import { until } from '../support/until.ts';

let site: Site;
let visited: Visit | undefined;
useSite();
beforeAll(async () => {
  site = await openSite();
}, 120_000);
afterEach(async () => {
  await visited?.close();
  visited = undefined;
});

async function open(name: SiteContent, options?: VisitOptions): Promise<Visit> {
  const folder = name === 'imageMedia' ? 'media' : 'node';
  visited = await visit(`${site.repository.url}/${folder}/${site.ids[name]}`, options);
  return visited;
}

/** The pixels of the first canvas of the stage. */
const PIXELS = `document.querySelector('.viewer canvas').toDataURL()`;

/** The number of equal readings from which the pixels count as still. */
const STILL_LOOKS = 10;

/** Waits until the stage has other pixels than before, which no longer change, and returns them. */
async function stillPixels(page: Page, before = ''): Promise<string> {
  let [last, looks] = ['', 0];
  return until(async () => {
    const now = await page.evaluate<string>(PIXELS);
    looks = now === last ? looks + 1 : 0;
    last = now;
    return now !== before && looks >= STILL_LOOKS && now;
  });
}

/** The scripts of viewers: all but those for citations and the search box. */
const scripts = ({ requests }: Visit) =>
  requests.flatMap(
    (request) => /\/assets\/\w+\/((?!copy\.js|find\.js|combobox\.js).+\.js)$/.exec(request.url())?.[1] ?? [],
  );

describe('the image viewer', () => {
  it.each(['image', 'imageMedia'] as const)('opens tiles without errors or layout shift: %s', async (name) => {
    const opened = await open(name);
    await opened.page.waitForSelector('.viewer-image[data-state="open"]');
    expect(opened.complaints).toEqual([]);
    expect(scripts(opened)).toEqual(['image-viewer.js', 'openseadragon.js']);
    expect(opened.requests.some((request) => /\/iiif\/3\/[\w-]+\/info\.json$/.test(request.url()))).toBe(true);
    expect(await opened.shift()).toBe(0);
  });

  it('zooms, rotates and pans with buttons and keys', async () => {
    const { page, complaints } = await open('image');
    await page.waitForSelector('.viewer-image[data-state="open"]');
    const whole = await stillPixels(page);
    const tools = page.getByRole('group', { name: 'Picture controls' });
    expect(await tools.getByRole('button').allTextContents()).toHaveLength(5);
    await tools.getByRole('button', { name: 'Zoom in' }).click();
    const zoomed = await stillPixels(page, whole);
    await tools.getByRole('button', { name: 'Rotate' }).click();
    await stillPixels(page, zoomed);
    await tools.getByRole('button', { name: 'Whole picture' }).click();
    await page.getByRole('application').focus();
    await page.keyboard.press('+');
    const again = await stillPixels(page, whole);
    await page.keyboard.press('ArrowRight');
    await stillPixels(page, again);
    expect(complaints).toEqual([]);
  });

  it('lets the mouse wheel scroll the page while it has no focus', async () => {
    const { page } = await open('image');
    await page.waitForSelector('.viewer-image[data-state="open"]');
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, 200);
    await until(() => page.evaluate<boolean>('scrollY > 0'));
  });

  it('shows the picture without controls if there is no JavaScript', async () => {
    const { page } = await open('image', { hasScript: false });
    const picture = page.locator('.viewer img');
    expect(await picture.getAttribute('alt')).toBe('View over the bay from the customs house');
    expect(await page.locator('.viewer-tools').isVisible()).toBe(false);
  });
});

describe('the book viewer', () => {
  it.each(['book', 'compound'] as const)('opens Mirador without errors or layout shift: %s', async (name) => {
    const opened = await open(name);
    await opened.page.waitForSelector('.viewer-pages .openseadragon-canvas');
    await settle(opened.page);
    expect(opened.complaints).toEqual([]);
    expect(scripts(opened)).toEqual(['pages-viewer.js', 'mirador.js']);
    expect(await opened.shift()).toBe(0);
  });

  it('turns pages with the keyboard', async () => {
    const { page } = await open('book');
    const next = page.getByRole('button', { name: 'Next item' });
    await next.waitFor();
    await next.focus();
    await page.keyboard.press('Enter');
    await page
      .getByText(/^[23] of 6/)
      .first()
      .waitFor();
  });

  it('lists the pages without JavaScript', async () => {
    const { page } = await open('book', { hasScript: false });
    const links = page.locator('.viewer-strip a');
    expect(await links.count()).toBe(6);
    expect(await links.nth(1).getAttribute('href')).toBe(`/node/${site.ids.page}`);
  });
});

describe('the page of an item without a file', () => {
  it('has no viewer and loads no viewer scripts', async () => {
    const opened = await open('bare');
    expect(await opened.page.locator('.viewer').count()).toBe(0);
    expect(scripts(opened)).toEqual([]);
  });
});

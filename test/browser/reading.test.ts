import { describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { openSite } from '../support/site.ts';
import { SITE_PAGES } from '../support/site-pages.ts';

/** A window of 1280 pixels at 200 %. */
const ZOOMED_PIXELS = 640;
/** Pages have to fit without horizontal scrolling (WCAG 2.2, 1.4.10). */
const NARROWEST_PIXELS = 320;

/** The elements that are wider than the window, or undefined. Regions that scroll on their own are allowed. */
const TOO_WIDE = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    .slice(0, 5).map((element) => element.outerHTML.slice(0, 120));
})()`;

/** Animations and transitions that still move something. */
const MOVING = `[...document.querySelectorAll('*')].flatMap((element) => {
  const { transitionDuration, animationName, animationDuration, scrollBehavior } = getComputedStyle(element);
  const seconds = Math.max(...transitionDuration.split(',').map(parseFloat));
  const isAnimated = animationName !== 'none' && parseFloat(animationDuration) > 0.01;
  return seconds > 0.01 || isAnimated || scrollBehavior === 'smooth' ? [element.outerHTML.slice(0, 100)] : [];
})`;

describe.each(SITE_PAGES)('the page $name', ({ path, as, press, status }) => {
  it('fits at 200 % and on the narrowest screen, and moves nothing for readers who ask for less motion', async () => {
    const site = await openSite();
    const { page, close } = await visit(site.repository.url + path(site), {
      width: ZOOMED_PIXELS,
      height: 450,
      as,
      press,
      isRefused: status === 401,
    });
    expect(await page.evaluate<string[]>(TOO_WIDE)).toEqual([]);
    await page.setViewportSize({ width: NARROWEST_PIXELS, height: 450 });
    expect(await page.evaluate<string[]>(TOO_WIDE)).toEqual([]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await page.evaluate<string[]>(MOVING)).toEqual([]);
    await close();
  });
});

describe('the printed page of an item', () => {
  it('has its title, address and citation, and no navigation', async () => {
    const site = await openSite();
    const address = `${site.repository.url}/node/${site.ids.image}`;
    const { page, close } = await visit(address);
    const folder = await emptyFolder();
    const file = join(folder, 'page.pdf');
    await page.pdf({ path: file, format: 'A4' });
    await close();
    const text = (await run(['pdftotext', '-layout', file, '-'])).replaceAll(/\s+/g, ' ');
    await rm(folder, { recursive: true });
    expect(text).toContain('View over the bay from the customs house');
    expect(text.replaceAll(' ', '')).toContain(address);
    expect(text).toContain('Boyle, M');
    for (const navigation of ['Skip to', 'Next', 'Download', 'Embed', 'For programs'])
      expect(text).not.toContain(navigation);
  });
});

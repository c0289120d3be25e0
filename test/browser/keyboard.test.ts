import { describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { openSite } from '../support/site.ts';
import { SITE_PAGES } from '../support/site-pages.ts';

/** More stops than any page of the site has. */
const MAX_STOPS = 400;

/** What is focused: its place in the document, its name, and whether a reader sees it and its focus. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  return {
    index: [...document.querySelectorAll('*')].indexOf(element),
    name: element.outerHTML.slice(0, 100),
    isVisible: width > 1 && height > 1 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
    hasMark: (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none',
  };
})()`;

/** The elements that a keyboard should reach, by their place in the document. */
const REACHABLE = `(() => {
  const all = [...document.querySelectorAll('*')];
  const selector = 'a[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex]';
  return all.flatMap((element, index) => {
    const isOff = element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true });
    return element.matches(selector) && !isOff ? [index] : [];
  });
})()`;

interface Stop {
  readonly index: number;
  readonly name: string;
  readonly isVisible: boolean;
  readonly hasMark: boolean;
}

describe.each(SITE_PAGES)('the keyboard on the page $name', ({ path, as, status }) => {
  it('reaches everything that can be used, in the order of the page, and shows where it is', async () => {
    const site = await openSite();
    const { page, close } = await visit(site.repository.url + path(site), { as, isRefused: status === 401 });
    const reachable = await page.evaluate<number[]>(REACHABLE);
    const stops: Stop[] = [];
    while (stops.length < MAX_STOPS) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate<Stop | null>(FOCUSED);
      if (stop === null || stop.index === stops[0]?.index) break;
      // The controls of a player are stops within one element.
      if (stop.index !== stops.at(-1)?.index) stops.push(stop);
    }
    const reached = new Set(stops.map(({ index }) => index));
    const missed = reachable.filter((index) => !reached.has(index));
    const names = await page.evaluate<string[]>(
      `${JSON.stringify(missed)}.map((index) => document.querySelectorAll('*')[index].outerHTML.slice(0, 100))`,
    );
    expect(names).toEqual([]);
    expect(stops.filter(({ isVisible, hasMark }) => !isVisible || !hasMark)).toEqual([]);
    expect(stops.map(({ index }) => index)).toEqual(stops.map(({ index }) => index).toSorted((a, b) => a - b));
    await close();
  });
});

describe('the skip link', () => {
  it('is the first stop, and leads past the navigation', async () => {
    const site = await openSite();
    const { page, close } = await visit(`${site.repository.url}/node/${site.ids.image}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toContain('Skip');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.querySelector('main').contains(document.activeElement)`)).toBe(true);
    await close();
  });
});

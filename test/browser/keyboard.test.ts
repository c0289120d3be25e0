import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { VIEWERS_BY_OTHERS } from '../support/accessibility.ts';
import { type Visit, visit } from '../support/browser.ts';
import { openSite, useSite } from '../support/site.ts';
import { SITE_PAGES } from '../support/site-pages.ts';

/** More stops than any page of the site has. */
const MAX_STOPS = 400;

/** Moves nothing, and finds what a keyboard should reach. Viewers by others only have to let it through. */
const PREPARE = `(() => {
  const selector = 'a[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex]';
  const theirs = ${JSON.stringify(VIEWERS_BY_OTHERS.join())};
  // A group of choices is one stop.
  const isOff = (element) =>
    (element.type === 'radio' && !element.checked) || element.disabled || element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true });
  window.isTheirs = (element) => element.closest(theirs) !== null;
  window.reachable = [...document.querySelectorAll(selector)].filter((element) => !isOff(element) && !isTheirs(element));
  window.reached = new Set();
  window.last = undefined;
  // A page may begin with the focus on a message.
  const start = document.createElement('span');
  start.tabIndex = -1;
  document.body.prepend(start);
  start.focus();
})()`;

/** The focused element: whether a reader sees it and its focus, and whether it follows what was focused before. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  // The controls of a player are several stops of one element.
  if (reached.has(element) && element !== last) return null;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const follows = !last?.isConnected || last === element || (last.compareDocumentPosition(element) & 4) !== 0;
  reached.add(element);
  last = element;
  return {
    name: element.outerHTML.slice(0, 100),
    // The browser marks the control within its player.
    isTheirs: isTheirs(element) || element.matches('audio, video'),
    isVisible: width > 1 && height > 1 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
    hasMark: (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none',
    follows,
  };
})()`;

const MISSED = `reachable.filter((element) => element.isConnected && !reached.has(element))
  .map((element) => element.outerHTML.slice(0, 100))`;

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

interface Stop {
  readonly name: string;
  readonly isTheirs: boolean;
  readonly isVisible: boolean;
  readonly hasMark: boolean;
  readonly follows: boolean;
}

useSite();

describe.each(SITE_PAGES)('the page $name', ({ path, as, press, status }) => {
  let seen: Visit;
  beforeAll(async () => {
    const site = await openSite();
    seen = await visit(site.repository.url + path(site), { as, press, isRefused: status === 401, isShared: true });
  });
  afterAll(() => seen?.close());

  it('lets the Tab key reach all controls in document order, with a visible focus', async () => {
    const { page } = seen;
    // The place of an element is asked for at once.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.evaluate(PREPARE);
    const stops: Stop[] = [];
    while (stops.length < MAX_STOPS) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate<Stop | null>(FOCUSED);
      if (stop === null) break;
      if (!stop.isTheirs) stops.push(stop);
    }
    expect(await page.evaluate<string[]>(MISSED)).toEqual([]);
    expect(stops.filter(({ isVisible, hasMark, follows }) => !isVisible || !hasMark || !follows)).toEqual([]);
  });

  it('fits at 200 % zoom and at 320 pixels, and has no animations with reduced motion', async () => {
    const { page } = seen;
    for (const width of [ZOOMED_PIXELS, NARROWEST_PIXELS]) {
      await page.setViewportSize({ width, height: 450 });
      expect(await page.evaluate<string[]>(TOO_WIDE)).toEqual([]);
    }
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await page.evaluate<string[]>(MOVING)).toEqual([]);
  });
});

describe('the skip link', () => {
  it('is the first Tab stop and leads to the main content', async () => {
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

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, visit } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshot.ts';
import { settled } from '../support/settled-page.ts';
import { openSite, useSite } from '../support/site.ts';
import { SCHEMES, SITE_PAGES, WIDTHS } from '../support/site-pages.ts';
import { IS_FULL_SIZE } from '../support/size.ts';

/** The files of viewers. The modules of the site that open one count as part of the page. */
const VIEWERS = /\/(mirador|openseadragon|pdf|pdf-components|pdf-worker)\.js$/;
const MAX_HTML_BYTES = 30 * 1024;
/** The form of all fields of a type. */
const MAX_FORM_BYTES = 120 * 1024;
const MAX_ASSET_BYTES = 60 * 1024;
/** The height of the longest screenshot in CSS pixels. */
const MAX_SHOT_PIXELS = 4_000;

/** Pages with all that other pages consist of: seen in dark colours at any size of the tests. */
const TELLING = new Set(['home', 'image', 'book', 'search', 'form-new', 'status', 'comparison', 'error-404']);

const weights: string[] = [];
useSite();
afterAll(() => {
  const titles = ['HTML', 'compressed', 'CSS and JS', 'requests', 'all'].map((title) => title.padStart(11));
  console.log(`\nBytes of pages${' '.repeat(12)}${titles.join('')}\n${weights.join('\n')}`);
});

describe.each(SITE_PAGES)('the page $name', ({ name, path, as, press, status = 200, isForm = false }) => {
  describe.each(Object.entries(WIDTHS))('on a %s', (device, width) => {
    let seen: Visit;
    beforeAll(async () => {
      const site = await openSite();
      seen = await visit(site.repository.url + path(site), { width, as, press, isRefused: status === 401 });
      await scrollThrough(seen);
    });
    afterAll(() => seen?.close());

    it('loads without a console message, a violated policy, a failed request or one to another host', () => {
      expect({ status: seen.status, complaints: seen.complaints }).toEqual({ status, complaints: [] });
    });

    it('does not shift while it loads', async () => {
      expect(await seen.shifts()).toEqual([]);
    });

    it('has at most 30 KB of HTML (a form 120 KB), and 60 KB of CSS and JS before a viewer opens', async () => {
      const { html, compressed, assets, all } = await weighed(seen);
      const figures = [html, compressed, assets, seen.requests.length, all].map((figure) =>
        String(figure).padStart(11),
      );
      if (device === 'desk') weights.push(`${name.padEnd(26)}${figures.join('')}`);
      expect(html).toBeLessThanOrEqual(isForm ? MAX_FORM_BYTES : MAX_HTML_BYTES);
      expect(assets).toBeLessThanOrEqual(MAX_ASSET_BYTES);
    });

    it('says its language and title, and has one heading of the first level', async () => {
      const facts = await seen.page.evaluate(`({
        language: /^[a-z]{2,3}(-|$)/.test(document.documentElement.lang),
        title: document.title.length > 3,
        headings: document.querySelectorAll('h1:not([aria-level])').length,
      })`);
      expect(facts).toEqual({ language: true, title: true, headings: 1 });
    });

    it.each(IS_FULL_SIZE || TELLING.has(name) ? [...SCHEMES] : [SCHEMES[0]])(
      'has no accessibility violation in %s mode',
      async (scheme) => {
        await seen.page.emulateMedia({ colorScheme: scheme });
        await seen.page.evaluate('window.scrollTo(0, 0)');
        const { height } = (await seen.page.evaluate(
          `({ height: Math.min(document.documentElement.scrollHeight, ${MAX_SHOT_PIXELS}) })`,
        )) as { height: number };
        const clip = { x: 0, y: 0, width, height };
        await keepScreenshot(seen.page, `${name}-${device}-${scheme}`, { fullPage: true, clip });
        expect(await accessibilityViolations(seen.page)).toEqual([]);
      },
    );
  });
});

/** Bytes as they were sent, and of the page itself also as they are read. */
async function weighed({ requests }: Visit) {
  const bytes = { html: 0, compressed: 0, assets: 0, all: 0 };
  for (const request of requests) {
    const { responseBodySize } = await request.sizes();
    const type = request.resourceType();
    bytes.all += responseBodySize;
    const isAsset = type === 'stylesheet' || type === 'script';
    if (isAsset && !VIEWERS.test(request.url())) bytes.assets += responseBodySize;
    if (type === 'document' && request.frame().parentFrame() === null) {
      bytes.compressed = responseBodySize;
      bytes.html = (await (await request.response())?.body())?.byteLength ?? 0;
    }
  }
  return bytes;
}

/** Scrolls to the end, so that everything that loads when it comes into view does, and back. */
async function scrollThrough({ page }: Visit): Promise<void> {
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      window.scrollTo(0, y);
      await frame();
    }
  })()`);
  await settled(page);
  await page.evaluate('window.scrollTo(0, 0)');
}

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, visit } from '../support/browser.ts';
import { shoot } from '../support/screenshot.ts';
import { settle } from '../support/settled-page.ts';
import { openSite, useSite } from '../support/site.ts';
import { SCHEMES, SITE_PAGES, WIDTHS } from '../support/site-pages.ts';
import { sized } from '../support/size.ts';

/** The files of viewers. The modules of the site that open one count as part of the page. */
const VIEWERS = /\/(mirador|openseadragon|pdf|pdf-components|pdf-worker)\.js$/;
/** The stage of each viewer, and what it has when the viewer has opened. */
const OPENED = [
  ['.viewer-image[data-library]', '.viewer-image[data-state="open"]'],
  ['.viewer-pages[data-manifest]', '.viewer-pages .openseadragon-canvas'],
  ['.viewer-pdf[data-file]', '.viewer-pdf .page canvas'],
] as const;
const MAX_HTML_BYTES = 30 * 1024;
/** The form of an item with contributors, each of which has the list of roles. */
const MAX_FORM_BYTES = 80 * 1024;
const MAX_ASSET_BYTES = 60 * 1024;
/** The height of the longest screenshot in CSS pixels. */
const MAX_SHOT_PIXELS = 4_000;

const weights: string[] = [];
useSite();
afterAll(() => {
  const titles = ['HTML', 'compressed', 'CSS and JS', 'requests', 'all'].map((title) => title.padStart(11));
  console.log(`\nBytes of pages${' '.repeat(12)}${titles.join('')}\n${weights.join('\n')}`);
});

describe.each(SITE_PAGES)(
  'the page $name',
  ({ name, path, as, press, status = 200, isForm = false, isRepresentative }) => {
    const schemes = sized(isRepresentative ? SCHEMES : (['light'] as const), SCHEMES);
    describe.each(Object.entries(WIDTHS))('on a %s', (device, width) => {
      let seen: Visit;
      beforeAll(async () => {
        const site = await openSite();
        seen = await visit(site.repository.url + path(site), {
          width,
          as,
          press,
          isRefused: status === 401,
          isShared: true,
        });
        await scrollThrough(seen);
      });
      afterAll(() => seen?.close());

      it('loads without console messages, policy violations, failed requests or requests to other hosts', () => {
        expect({ status: seen.status, complaints: seen.complaints }).toEqual({ status, complaints: [] });
      });

      it('has no layout shift while it loads', async () => {
        expect(await seen.shifts()).toEqual([]);
      });

      it('has at most 30 KB of HTML (a form 80 KB), and 60 KB of CSS and JS without viewers', async () => {
        const { html, compressed, assets, all } = await weighed(seen);
        const figures = [html, compressed, assets, seen.requests.length, all].map((figure) =>
          String(figure).padStart(11),
        );
        if (device === 'desk') weights.push(`${name.padEnd(26)}${figures.join('')}`);
        expect(html).toBeLessThanOrEqual(isForm ? MAX_FORM_BYTES : MAX_HTML_BYTES);
        expect(assets).toBeLessThanOrEqual(MAX_ASSET_BYTES);
      });

      it('declares its language and title, and has one h1', async () => {
        const facts = await seen.page.evaluate(`({
        language: /^[a-z]{2,3}(-|$)/.test(document.documentElement.lang),
        title: document.title.length > 3,
        headings: document.querySelectorAll('h1:not([aria-level])').length,
      })`);
        expect(facts).toEqual({ language: true, title: true, headings: 1 });
      });

      it.each(schemes)('has no accessibility violations in %s mode', async (scheme) => {
        await seen.page.emulateMedia({ colorScheme: scheme });
        await seen.page.evaluate('window.scrollTo(0, 0)');
        const height = Math.min(
          await seen.page.evaluate<number>('document.documentElement.scrollHeight'),
          MAX_SHOT_PIXELS,
        );
        await shoot(seen.page, `${name}-${device}-${scheme}`, { fullPage: true, clip: { x: 0, y: 0, width, height } });
        expect(await accessibilityViolations(seen.page)).toEqual([]);
      });
    });
  },
);

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

/** Waits for the viewer. Scrolls to the end, so that everything that loads when it comes into view does, and back. */
async function scrollThrough({ page }: Visit): Promise<void> {
  for (const [stage, opened] of OPENED) if ((await page.locator(stage).count()) > 0) await page.waitForSelector(opened);
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
      window.scrollTo(0, y);
      await frame();
    }
  })()`);
  await settle(page);
  await page.evaluate('window.scrollTo(0, 0)');
}

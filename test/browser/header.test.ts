import { afterAll, beforeAll, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

/** The time for which the rest of a page is held back. Without the rule that is tested, the page is painted before. */
const HELD_MS = 500;
/** Notes the parts of the header that the first frame shows. */
const FIRST_FRAME = `requestAnimationFrame(() => {
  window.firstFrame = ['header.site .brand', 'header.site nav', 'main'].filter((part) => document.querySelector(part) !== null);
})`;

let repository: TestRepository;
let slow: Bun.Server<undefined>;
beforeAll(async () => {
  repository = await createTestRepository();
  slow = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const response = await fetch(`${repository.url}${pathname}${search}`, {
        headers: { Accept: request.headers.get('accept') ?? '*/*' },
      });
      const isPage = response.headers.get('content-type')?.startsWith('text/html');
      return new Response(isPage ? heldWithinHeader(await response.text()) : response.body, {
        headers: { 'Content-Type': response.headers.get('content-type') ?? '' },
      });
    },
  });
});
afterAll(async () => {
  await slow.stop(true);
  await repository.stop();
});

/** Sends a page up to its site name, and the rest later. */
function heldWithinHeader(html: string): ReadableStream<string> {
  const cut = html.indexOf('<nav');
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(html.slice(0, cut));
      await Bun.sleep(HELD_MS);
      controller.enqueue(html.slice(cut));
      controller.close();
    },
  });
}

it('the header is painted as a whole when a page arrives in parts', async () => {
  const seen = await visit(`${slow.url.origin}/`, { initScript: FIRST_FRAME });
  expect(await seen.page.evaluate<string[]>('window.firstFrame')).toContain('header.site nav');
  expect(await seen.shifts()).toEqual([]);
  await seen.close();
});

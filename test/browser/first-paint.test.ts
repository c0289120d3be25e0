import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

/** The last part of the header. */
const LAST_PART = '<nav class="account"';
const SHEET = /<link rel="stylesheet"/g;
const EXPECTATION = /<link rel="expect"[^>]*>/;
const REPORT = `<script>new PerformanceObserver(() => fetch('/painted')).observe({ type: 'paint', buffered: true })</script>`;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

/**
 * Serves the sign-in page up to the last part of its header, and the rest when the page at `/eager` has been painted. That
 * page expects nothing, and reports its first paint.
 */
function serveSlowly() {
  const [painted, styled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let sheets = 0;
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/painted') {
        painted.resolve();
        return new Response(null, { status: 204 });
      }
      const isEager = pathname === '/eager';
      const response = await fetch(repository.url + (isEager ? '/user/login' : pathname));
      const headers = { 'Content-Type': response.headers.get('content-type') ?? '' };
      if (pathname.endsWith('.css')) {
        sheets -= 1;
        if (sheets === 0) styled.resolve();
      }
      if (!headers['Content-Type'].startsWith('text/html')) return new Response(response.body, { headers });
      const html = await response.text();
      sheets = [...html.matchAll(SHEET)].length;
      const [first = '', last = ''] = html.split(LAST_PART);
      return new Response(
        new ReadableStream({
          async start(controller) {
            const encoder = new TextEncoder();
            controller.enqueue(
              encoder.encode(isEager ? first.replace(EXPECTATION, '').replace('<head>', `<head>${REPORT}`) : first),
            );
            await painted.promise;
            controller.enqueue(encoder.encode(LAST_PART + last));
            controller.close();
          },
        }),
        { headers },
      );
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, styled: styled.promise, stop: () => server.stop(true) };
}

describe('the first paint of a page', () => {
  it('includes the whole header, even if its last part arrives late', async () => {
    const { url, styled, stop } = serveSlowly();
    const opening = visit(`${url}/user/login`);
    await styled;
    // By the time of its first paint the other page could have been painted, too.
    const eager = await visit(`${url}/eager`);
    const patient = await opening;
    expect(await eager.shift()).toBeGreaterThan(0);
    expect(await patient.shifts()).toEqual([]);
    expect(patient.complaints).toEqual([]);
    await Promise.all([eager.close(), patient.close(), stop()]);
  });
});

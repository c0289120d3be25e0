import type { Page, Request } from 'playwright-core';
import { until } from './until.ts';

/** A player reads a part of its file and leaves the connection open; events stay open as long as the page. */
const OPEN_ENDED = ['media', 'eventsource', 'websocket'];
/** What the page does with the last response follows within two frames and the next time that it is idle. */
const IDLE = `new Promise((resolve) => {
  const idle = () => requestIdleCallback(() => resolve());
  requestAnimationFrame(() => requestAnimationFrame(idle));
})`;

interface Traffic {
  readonly hasScript: boolean;
  readonly pending: Set<Request>;
  count: number;
}

const traffic = new WeakMap<Page, Traffic>();

/** Observes the requests of a new page, in which scripts run or are off, for `settled`. */
export function observeRequests(page: Page, hasScript: boolean): void {
  const observed: Traffic = { hasScript, pending: new Set(), count: 0 };
  traffic.set(page, observed);
  page.on('request', (request) => {
    if (OPEN_ENDED.includes(request.resourceType())) return;
    // What the page before this one asked for need not end.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) observed.pending.clear();
    observed.count += 1;
    observed.pending.add(request);
  });
  const end = (request: Request) => void observed.pending.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
}

/**
 * Waits until a page is loaded, every request has ended, and the scripts that follow have run without asking for more.
 * Where scripts are off, the end of all requests is all there is to wait for.
 */
export async function settled(page: Page): Promise<void> {
  const observed = traffic.get(page);
  if (observed === undefined) throw new Error('the requests of this page are not observed: open it with visit');
  const tell = () => [...observed.pending].map((request) => request.url());
  for (;;) {
    await page.waitForLoadState('load');
    await until(() => observed.pending.size === 0, { what: 'every request has ended', tell });
    if (!observed.hasScript) return;
    const { count } = observed;
    await page.evaluate(IDLE);
    if (observed.count === count && observed.pending.size === 0) return;
  }
}

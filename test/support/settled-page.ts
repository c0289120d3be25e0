import type { Page, Request } from 'playwright-core';

/** The requests of a page that have neither finished nor failed, and whether its scripts run. */
interface Loading {
  /** Each with the number of navigations before it: those of a page that was left may never end. */
  readonly open: Map<Request, number>;
  readonly hasScript: boolean;
  /** Called when no request is open. */
  readonly waiting: Set<() => void>;
}

const loadings = new WeakMap<Page, Loading>();

/** Counts the requests of a page from now on, for `settle`. */
export function watchRequests(page: Page, hasScript: boolean): void {
  const open = new Map<Request, number>();
  const waiting = new Set<() => void>();
  loadings.set(page, { open, waiting, hasScript });
  let navigations = 0;
  const end = (isEnded: (request: Request) => boolean) => {
    for (const request of open.keys()) if (isEnded(request)) open.delete(request);
    if (open.size > 0) return;
    for (const resume of waiting) resume();
    waiting.clear();
  };
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) navigations += 1;
    // Events go on, and players leave their requests open.
    if (!['eventsource', 'media'].includes(request.resourceType())) open.set(request, navigations);
  });
  page.on('requestfinished', (ended) => end((request) => request === ended));
  page.on('requestfailed', (ended) => end((request) => request === ended));
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) end((request) => (open.get(request) ?? 0) < navigations);
  });
}

/**
 * Waits for the modules of a page, also for what they await, then for two frames and until nothing is left to do: what
 * follows from a response has then begun. Players wait for the beginning of their file.
 */
const SETTLED = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const idle = () => new Promise((resolve) => requestIdleCallback(resolve));
  const modules = [...document.querySelectorAll('script[type=module][src]')];
  await Promise.allSettled(modules.map(({ src }) => import(src)));
  await document.fonts.ready;
  const isLoading = ({ networkState }) => networkState === HTMLMediaElement.NETWORK_LOADING;
  do {
    await frame();
    await frame();
    await idle();
  } while ([...document.querySelectorAll('audio, video')].some(isLoading));
})()`;

/** Waits until a page is loaded, its scripts have run, and no request is open. */
export async function settle(page: Page): Promise<void> {
  const loading = loadings.get(page);
  if (loading === undefined) throw new Error('The requests of this page are not watched.');
  const { open, waiting, hasScript } = loading;
  await page.waitForLoadState('load');
  do {
    if (open.size > 0) await new Promise<void>((resume) => waiting.add(resume));
    // Without scripts, browsers load all pictures before the end of `load`.
    if (hasScript) await page.evaluate(SETTLED);
  } while (open.size > 0);
}

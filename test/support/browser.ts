import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
  type Response,
} from 'playwright-core';
import { settle, watchRequests } from './settled-page.ts';
import { type As, basic } from './test-repository.ts';

/** A page in a real Chromium, with what happened since it was opened. */
export interface Visit {
  readonly page: Page;
  readonly status: number;
  /** Messages of the console, violations of the policy, failed requests and requests to other hosts. */
  readonly complaints: readonly string[];
  readonly requests: readonly Request[];
  /** The sum of all layout shifts that no input caused. */
  shift(): Promise<number>;
  /** All layout shifts that no input caused: the value and the moved elements. */
  shifts(): Promise<string[]>;
  close(): Promise<void>;
}

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Signs in with a password that is the name. */
  readonly as?: As;
  /** The cookie of a session, such as `SESS=…`. */
  readonly cookie?: string | undefined;
  readonly hasScript?: boolean;
  /**
   * True for a window that visits before may have used, which opens in half the time: its scripts are compiled. Only for
   * tests that leave nothing in it. Nothing is read from its cache.
   */
  readonly isShared?: boolean;
  /** True for a page with status 401. */
  readonly isRefused?: boolean;
  /** The button that leads to the page from the one at the address. */
  readonly press?: string | undefined;
}

const EXECUTABLE = '/usr/bin/chromium-headless-shell';
/** As in containers, without a GPU or a sandbox. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'];
const TIMEOUT_MS = 20_000;
/** Windows up to this width are phones, with touch. */
const PHONE_PIXELS = 480;

/** Observes shifts and violations from the start of every page. */
const OBSERVER = `
window.observed = { shifts: [], violations: [] };
// The player of the browser moves its own labels when it knows the duration: its parts have no node.
const isOfPlayer = ({ node }) => node === null && document.querySelector('audio, video') !== null;
const nameOf = ({ node }) => (node === null ? 'a removed node' : (node.outerHTML ?? node.nodeName).slice(0, 80));
new PerformanceObserver((list) => {
  for (const { hadRecentInput, value, sources } of list.getEntries())
    if (!hadRecentInput && !sources.every(isOfPlayer)) window.observed.shifts.push(value.toFixed(4) + ' ' + sources.map(nameOf).join(', '));
}).observe({ type: 'layout-shift', buffered: true });
document.addEventListener('securitypolicyviolation', (event) => {
  window.observed.violations.push(event.violatedDirective + ' ' + event.blockedURI);
});
`;

let started: Promise<Browser> | undefined;

/** Starts Chromium once for all test files of a process, or again after a failed start. It ends with the process. */
function openBrowser(): Promise<Browser> {
  started ??= chromium
    .launch({
      executablePath: EXECUTABLE,
      args: ARGUMENTS,
      // As readers have them: they take a part of the width.
      ignoreDefaultArgs: ['--hide-scrollbars'],
      timeout: TIMEOUT_MS,
    })
    .catch((error: unknown) => {
      started = undefined;
      throw error;
    });
  return started;
}

/** Opens an address in a window of its own and waits until nothing more is loaded. */
export async function visit(address: string, options: VisitOptions = {}): Promise<Visit> {
  const {
    width = 1280,
    height = 900,
    scheme = 'light',
    as,
    cookie,
    hasScript = true,
    isShared = false,
    isRefused = false,
    press,
  } = options;
  const { origin } = new URL(address);
  const { page, close } = await openWindow(
    {
      viewport: { width, height },
      isMobile: width <= PHONE_PIXELS,
      hasTouch: width <= PHONE_PIXELS,
      colorScheme: scheme,
      javaScriptEnabled: hasScript,
      ...(as !== undefined && { extraHTTPHeaders: { Authorization: basic(as) } }),
    },
    isShared && !isRefused,
  );
  const [name, ...value] = cookie?.split('=') ?? [];
  if (name !== undefined) await page.context().addCookies([{ name, value: value.join('='), url: origin }]);
  const { complaints, requests } = observe(page, origin);
  watchRequests(page, hasScript);
  if (isRefused) await askNoPassword(page, address);
  const response = await page.goto(address);
  if (response === null) throw new Error(`${address} has no response`);
  await settle(page);
  const pressed = press === undefined ? response : await pressButton(page, press, requests);
  if (hasScript) complaints.push(...(await page.evaluate<string[]>('window.observed?.violations ?? []')));
  return {
    ...{ page, complaints, requests, status: pressed.status() },
    shift: () => page.evaluate<number>('window.observed.shifts.reduce((sum, shift) => sum + parseFloat(shift), 0)'),
    shifts: () => page.evaluate<string[]>('window.observed.shifts'),
    close,
  };
}

interface Window {
  readonly page: Page;
  close(): Promise<void>;
}

/** The windows that no visit uses at present, by their options. */
const idle = new Map<string, Page[]>();

async function openWindow(options: BrowserContextOptions, isShared: boolean): Promise<Window> {
  const key = JSON.stringify(options);
  const page = (isShared && idle.get(key)?.pop()) || (await newWindow(options));
  if (!isShared) return { page, close: () => page.context().close() };
  const client = await page.context().newCDPSession(page);
  // Without it the next command has no effect.
  await client.send('Network.enable');
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  const close = async () => {
    await page.goto('about:blank');
    page.removeAllListeners();
    await page.setViewportSize(options.viewport ?? page.viewportSize() ?? { width: 0, height: 0 });
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    await client.detach();
    idle.set(key, [...(idle.get(key) ?? []), page]);
  };
  return { page, close };
}

async function newWindow(options: BrowserContextOptions): Promise<Page> {
  const browser = await openBrowser();
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.addInitScript(OBSERVER);
  return page;
}

/** Presses a button that leads to another page, and returns the response. The requests are then those of that page. */
async function pressButton(page: Page, name: string, requests: Request[]): Promise<Response> {
  requests.length = 0;
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.request().isNavigationRequest() && each.frame() === page.mainFrame()),
    page.waitForEvent('load'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  await settle(page);
  return response;
}

/** A headless browser has no dialog for a password and shows no page behind it: leaves out what asks for one. */
async function askNoPassword(page: Page, address: string): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    delete headers['www-authenticate'];
    await route.fulfill({ response, headers });
  });
}

function observe(page: Page, origin: string) {
  const complaints: string[] = [];
  const requests: Request[] = [];
  page.on('console', (message) => {
    const isOwnStatus = message.location().url === page.url() && message.text().startsWith('Failed to load resource');
    if (!isOwnStatus) complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A page closes its events when it has seen the last one.
    if (request.resourceType() === 'eventsource') return;
    const { errorText } = request.failure() ?? {};
    // A player, and pdf.js, reads a part of a file, then aborts and asks for another.
    const isInParts = request.resourceType() === 'media' || request.url().endsWith('.pdf');
    const isNextPart = isInParts && errorText === 'net::ERR_ABORTED';
    if (!isNextPart) complaints.push(`failed: ${request.url()} ${errorText}`);
  });
  page.on('request', (request) => {
    requests.push(request);
    const { protocol, origin: other } = new URL(request.url());
    if (other !== origin && protocol.startsWith('http')) complaints.push(`other host: ${request.url()}`);
  });
  return { complaints, requests };
}

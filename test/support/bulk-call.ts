import type { ItemState } from '../../src/bulk/bulk-action.ts';
import type { FormBrowser, OpenPage } from './form-call.ts';
import { until } from './until.ts';

/** A change of 2,000 items takes a while on a busy machine. */
const WAIT = { what: 'the end of a bulk change', seconds: 60 };

/** The progress of a change of many items. */
export interface BulkProgress {
  readonly state: string;
  readonly counts: Readonly<Record<ItemState, number>>;
}

/** Selects items of a list, as its form does, and opens the page on which the change is confirmed. */
export function confirmPage(
  browser: FormBrowser,
  kind: 'node' | 'media',
  action: string,
  entries: readonly number[] | string,
): Promise<OpenPage> {
  const query = new URLSearchParams({ kind, action });
  if (typeof entries === 'string') {
    query.set('all', '1');
    query.set('filter', entries);
  } else for (const id of entries) query.append('entry', String(id));
  return browser.open(`/admin/content/bulk/confirm?${query}`);
}

/** Returns the progress of a change. */
export async function progressOf(browser: FormBrowser, path: string): Promise<BulkProgress> {
  const page = await browser.open(`${path}?_format=json`);
  return JSON.parse(page.html) as BulkProgress;
}

/** Waits until a change has ended. */
export async function endOf(browser: FormBrowser, path: string): Promise<BulkProgress> {
  let progress = await progressOf(browser, path);
  await until(async () => {
    progress = await progressOf(browser, path);
    return progress.state !== 'running' && progress.state !== 'preparing';
  }, WAIT);
  return progress;
}

/** The path to which an answer leads. */
export function movedTo(page: OpenPage): string {
  if (page.status !== 303) throw new Error(`${page.status} ${page.html.slice(0, 2_000)}`);
  return new URL(page.headers.get('location') ?? '').pathname;
}

/** Confirms a change and waits for its end. Returns the path of its page. */
export async function runBulk(
  browser: FormBrowser,
  kind: 'node' | 'media',
  action: string,
  entries: readonly number[] | string,
  values: Record<string, string> = {},
): Promise<{ readonly path: string } & BulkProgress> {
  const path = movedTo(await (await confirmPage(browser, kind, action, entries)).submit(values));
  return { path, ...(await endOf(browser, path)) };
}

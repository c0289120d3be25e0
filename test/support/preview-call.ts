import { expect } from 'bun:test';
import type { FormBrowser, OpenPage } from './form-call.ts';
import type { TestRepository } from './test-repository.ts';

/** The buttons of a form and of its preview. */
export const PREVIEW = { button: ['do', 'preview'] } as const;
export const EDIT = { button: ['do', 'edit'] } as const;
export const SAVE = { button: ['do', 'view'] } as const;
export const NOTHING_SAVED = 'This is a preview; nothing has been saved.';

/** Returns the sentences in the bar of a preview. */
export const barOf = (page: OpenPage) => page.elements('.preview-bar p').map(({ text }) => text);

/** Fills in the form of a page, presses "Preview", and expects that no row of the database has changed. */
export async function previewed(
  repository: TestRepository,
  browser: FormBrowser,
  path: string,
  values: Record<string, string>,
): Promise<OpenPage> {
  const form = await browser.open(path);
  const before = await databaseRows(repository);
  const preview = await form.submit(values, PREVIEW);
  expect(await databaseRows(repository)).toEqual(before);
  return preview;
}

/** The tables that a request with a session writes by itself. */
const OF_REQUESTS: ReadonlySet<unknown> = new Set(['session', 'flood_event']);

/** Returns all rows of all tables as JSON, by table. */
async function databaseRows({ running }: TestRepository): Promise<Record<string, string>> {
  const { database } = running.services;
  const [tables] = await database.read(["SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"]);
  const names = (tables?.rows ?? []).map((row) => row[0]).filter((name) => !OF_REQUESTS.has(name));
  const results = await database.read(names.map((name) => `SELECT * FROM "${name}"`));
  const textOf = (rows: unknown) =>
    JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  return Object.fromEntries(names.map((name, at) => [name, textOf(results[at]?.rows)]));
}

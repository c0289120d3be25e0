import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { resolve as absolute, join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Visit, visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD, basic } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

/** More stops than any page here has. */
const MAX_STOPS = 400;

const IMAGE = absolute(import.meta.dir, '../fixtures/images/red.jpg');

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await emptyFolder();
  // The whole program without any setting, which makes derivatives, too.
  server = await startServer({ data: join(folder, 'data') });
});
afterAll(async () => {
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Presses Tab until an element with a selector and text has the focus, as a user of the keyboard does. */
async function tabTo(page: Page, selector: string, text = ''): Promise<void> {
  const wanted = `(() => {
    const element = document.activeElement;
    return element !== null && element.matches(${JSON.stringify(selector)}) && element.textContent.includes(${JSON.stringify(text)});
  })()`;
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate<boolean>(wanted)) return;
  }
  throw new Error(`no Tab leads to ${selector} "${text}" on ${page.url()}`);
}

/** Presses the return key, and waits for the page that it opens. */
async function enter(page: Page): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await loaded;
}

async function follow(page: Page, selector: string, text = ''): Promise<void> {
  await tabTo(page, selector, text);
  await enter(page);
}

describe('a cataloguer using only the keyboard', () => {
  let seen: Visit;
  beforeAll(async () => {
    seen = await visit(server.url);
  });
  afterAll(() => seen?.close());

  it('signs in, creates an item, uploads a file, edits, compares, finds and deletes the item, and signs out', async () => {
    const { page } = seen;
    const heading = () => page.locator('h1').textContent();
    // From the start: Playwright begins to watch for file dialogs some time after it is asked to.
    const chosen = new Promise<void>((resolve, reject) => {
      page.on('filechooser', (chooser) => void chooser.setFiles(IMAGE).then(resolve, reject));
    });
    await follow(page, 'a', 'Sign in');
    await tabTo(page, '#name');
    await page.keyboard.type('admin');
    await tabTo(page, '#pass');
    await page.keyboard.type(ADMIN_PASSWORD);
    await enter(page);

    await follow(page, 'a', 'Add');
    await follow(page, 'main a', 'Repository Item');
    expect(await heading()).toBe('Add Repository Item');
    await tabTo(page, '[name="title.0.value"]');
    await page.keyboard.type('The harbor at night');
    await page.keyboard.press('Enter');
    // The model is missing: the focus is on the summary, whose first link leads to its field.
    await until(async () => (await page.evaluate<string>('document.activeElement.className')) === 'error-summary');
    await tabTo(page, '.error-summary a');
    await page.keyboard.press('Enter');
    // A later frame moves the focus.
    await until(async () => (await page.evaluate<string>('document.activeElement.name')) === 'field_model.0.target_id');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('field_model.0.target_id');
    await page.keyboard.type('Image');
    await tabTo(page, '.action-bar button', 'Save and view');
    await enter(page);
    expect(await heading()).toBe('The harbor at night');
    await page.getByRole('status').filter({ hasText: 'Created Repository Item.' }).waitFor();
    const address = page.url();

    await follow(page, '.upload-link a', 'Add files');
    await page.waitForSelector('form.upload[data-state=ready]');
    await tabTo(page, 'input[type=file]');
    await page.keyboard.press('Space');
    await chosen;
    await tabTo(page, 'form.upload button[type=submit]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.upload-list > .done');
    await page.locator('.derivative-list li.done').filter({ hasText: 'thumbnail' }).waitFor();
    await page.locator('.derivative-list').getByRole('status').filter({ hasText: /\w/ }).waitFor();
    await follow(page, 'main nav a', 'The harbor at night');
    expect(await page.locator('main').textContent()).toContain('Thumbnail Image');
    expect(await page.locator('.stage img, .stage canvas').count()).toBeGreaterThan(0);

    await follow(page, '.edit-links a', 'Edit');
    await tabTo(page, '[name="title.0.value"]');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('The harbour at night');
    expect(await page.locator('.action-bar .state').textContent()).toBe('Unsaved changes');
    await tabTo(page, '[name="revision_log.0.value"]');
    await page.keyboard.type('Spelling');
    await follow(page, '.action-bar button', 'Save and view');
    expect(await heading()).toBe('The harbour at night');

    await follow(page, 'a', 'History');
    expect(await page.locator('main').textContent()).toContain('Spelling');
    await tabTo(page, 'main form button', 'Compare the selected revisions');
    await enter(page);
    expect(await page.locator('main').textContent()).toContain('harbor');

    await until(async () => {
      await page.goto(server.url);
      await tabTo(page, 'input[type=search]');
      await page.keyboard.type('harbour');
      await enter(page);
      return (await page.locator('main').textContent())?.includes('The harbour at night');
    });

    await page.goto(address);
    await follow(page, '.edit-links a', 'Delete');
    expect(await page.locator('main').textContent()).toContain('This cannot be undone.');
    await follow(page, 'main button', 'Delete permanently');
    await page.getByRole('status').filter({ hasText: 'Deleted “The harbour at night”.' }).waitFor();
    const gone = await fetch(address, { headers: { Authorization: basic('admin') } });
    expect(gone.status).toBe(410);

    await follow(page, 'a', 'Sign out');
    await follow(page, 'main button', 'Sign out');
    expect(await page.locator('header .account').textContent()).toContain('Sign in');
    // A page that is left may still ask for suggestions.
    expect(seen.complaints.filter((text) => !text.endsWith('net::ERR_ABORTED'))).toEqual([]);
  }, 60_000);
});

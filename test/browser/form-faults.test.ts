import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { addField } from '../support/added-field.ts';
import type { Visit } from '../support/browser.ts';
import { visitSignedIn } from '../support/browser-session.ts';
import { copyTerm } from '../support/copied-terms.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { ADMIN_PASSWORD, copyFirstStart, type EntityJson } from '../support/test-repository.ts';

const MIB = 1024 ** 2;
const ADD = '/node/add/islandora_object';

let folder: string;
let data: string;
let server: ServerProcess;
let model: number;
beforeAll(async () => {
  folder = await emptyFolder();
  data = join(folder, 'data');
  await copyFirstStart(data);
  server = await startServer({ from: 'source', data });
  const found = await server.fetch('/term_from_uri?_format=json&uri=http://purl.org/coar/resource_type/c_c513');
  model = ((await found.json()) as EntityJson[])[0]?.tid[0].value;
}, 60_000);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true });
});

/** Ends the server without warning, and starts it again at the same address. */
async function restart(overrides: Partial<RepositoryConfig> = {}): Promise<void> {
  const { port } = server;
  await server.kill();
  server = await startServer({ data, settings: overrides, port });
}

async function node(title: string): Promise<number> {
  const body = { type: 'islandora_object', title: [{ value: title }], field_model: [{ target_id: model }] };
  const headers = { 'Content-Type': 'application/json' };
  const made = await server.fetch('/node?_format=json', { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await made.json()) as EntityJson).nid[0].value;
}

async function titleOf(id: number): Promise<string> {
  return ((await (await server.fetch(`/node/${id}?_format=json`)).json()) as EntityJson).title[0].value;
}

async function onPage(path: string, use: (page: Page, seen: Visit) => Promise<void>): Promise<void> {
  const seen = await visitSignedIn(server.url, path);
  try {
    await use(seen.page, seen);
  } finally {
    await seen.close();
  }
}

const fillTitle = (page: Page, text: string) => page.fill('[name="title.0.value"]', text);
const heading = (page: Page) => page.textContent('h1');

/** Presses "Save and view", and waits for the next page. */
async function save(page: Page): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click('.action-bar button:has-text("Save and view")')]);
}

describe('unsaved form input', () => {
  it('is saved after the server is killed and restarted', async () => {
    await onPage(ADD, async (page) => {
      await fillTitle(page, 'Typed before the restart');
      await page.selectOption('[name="field_model.0.target_id"]', { label: 'Image' });
      await restart();
      await save(page);
      expect(await heading(page)).toBe('Typed before the restart');
    });
  }, 30_000);

  it('is shown beside a concurrent edit, and overwrites it only on a second save', async () => {
    const id = await node('The pier');
    await onPage(`/node/${id}/edit`, async (mine) => {
      await onPage(`/node/${id}/edit`, async (theirs) => {
        await fillTitle(theirs, 'The pier, by another');
        await save(theirs);
      });
      await fillTitle(mine, 'The pier, by me');
      await save(mine);
      expect(await mine.textContent('#conflict-title')).toBe('admin has saved this meanwhile');
      expect(await mine.locator('.warning tbody tr').allTextContents()).toEqual([
        'TitleThe pier, by anotherThe pier, by me',
      ]);
      expect(await mine.evaluate<string>('document.activeElement.querySelector("h2").id')).toBe('conflict-title');
      expect(await titleOf(id)).toBe('The pier, by another');
      await save(mine);
      expect(await heading(mine)).toBe('The pier, by me');
    });
  }, 30_000);

  it('is restored after the session ends and the user signs in again', async () => {
    const id = await node('The harbour');
    await onPage(`/node/${id}/edit`, async (page) => {
      await fillTitle(page, 'The harbour at dawn');
      const other = await page.context().newPage();
      await other.goto(`${server.url}/user/logout`);
      await Promise.all([other.waitForEvent('load'), other.click('main form button[type=submit]')]);
      await save(page);
      expect(await heading(page)).toBe('Sign in');
      await page.fill('#name', 'admin');
      await page.fill('#pass', ADMIN_PASSWORD);
      await Promise.all([page.waitForEvent('load'), page.press('#pass', 'Enter')]);
      expect(await heading(page)).toBe('Your entries are still here');
      expect(await titleOf(id)).toBe('The harbour');
      await Promise.all([page.waitForEvent('load'), page.click('main form button[type=submit]')]);
      expect(await titleOf(id)).toBe('The harbour at dawn');
    });
  }, 30_000);

  it('is reported if its field is removed from the model, and the rest is saved', async () => {
    const own = join(folder, 'model.yaml');
    await writeFile(own, 'node_types: { islandora_object: { fields: { field_alt_title: null } } }\n');
    await onPage(ADD, async (page) => {
      await fillTitle(page, 'Typed before the change');
      await page.selectOption('[name="field_model.0.target_id"]', { label: 'Image' });
      await addField(page, 'field_alt_title');
      await page.fill('[name="field_alt_title.0.value"]', 'A precious second title');
      await restart({ modelFile: own });
      await save(page);
      expect(await page.textContent('.error-summary')).toContain(
        'The field "field_alt_title" has been removed from this form. Its value was: A precious second title',
      );
      await save(page);
      expect(await heading(page)).toBe('Typed before the change');
    });
    await restart();
  }, 30_000);
});

describe('a vocabulary of 100,000 terms', () => {
  it('completes a typed name', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ vid: 'subject', name: [{ value: 'Archive' }] });
    const made = await server.fetch('/taxonomy/term?_format=json', { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    copyTerm(join(data, 'repository.db'), ((await made.json()) as EntityJson).tid[0].value, 100_000, 'Archive');
    await onPage(ADD, async (page) => {
      await page.locator('[id="field_subject.0.target_id"]').focus();
      await page.keyboard.type('archive 7777', { delay: 30 });
      const option = page.locator('.suggestions:visible [role=option]').filter({ hasText: /^Archive 77777T/ });
      await option.click();
      expect(await page.inputValue('[id="field_subject.0.target_id"]')).toMatch(/^Archive 77777 \(\d+\)$/);
    });
  }, 60_000);
});

describe('a file on the upload page', () => {
  const send = async (page: Page, file: Parameters<Page['setInputFiles']>[1]) => {
    await page.waitForSelector('form[data-state=ready]');
    await page.setInputFiles('input[type=file]', file);
    await page.click('form.upload button[type=submit]');
  };
  const failure = async (page: Page) => {
    await page.waitForSelector('.upload-list > :is(.failed, .refused)');
    return page.textContent('.upload-list .state');
  };

  it.each([
    ['of 0 bytes', 'empty.png', '', /^The file is empty \(0 bytes\): it cannot be uploaded\.$/],
    [
      'of an unaccepted type',
      'letter.exe',
      'MZ',
      /^Files of this type are not accepted here\. The accepted ones are aac, avi, .+, zip\.$/,
    ],
  ])(
    '%s is rejected with a reason, and nothing is stored',
    async (_, name, text, reason) => {
      const id = await node('A picture');
      await onPage(`/node/${id}/upload`, async (page) => {
        await send(page, { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
        expect(await failure(page)).toMatch(reason);
      });
      expect(await (await server.fetch(`/node/${id}/media?_format=json`)).json()).toEqual([]);
    },
    30_000,
  );

  it.if(CAN_MOUNT)(
    'stops when the disk is full, and resumes when there is free space',
    async () => {
      const id = await node('A picture');
      const store = join(data, 'files/fedora');
      await mkdir(store, { recursive: true });
      await server.stop();
      const disk = mountSmallDisk(store, '8m');
      try {
        server = await startServer({ from: 'source', data, port: server.port });
        const filler = join(store, 'filler');
        await onPage(`/node/${id}/upload`, async (page) => {
          const bytes = Buffer.alloc(3 * MIB, crypto.getRandomValues(new Uint8Array(60_000)));
          // The disk fills up between the check of the free space and the bytes.
          await page.route('**/uploads/*', async (route) => {
            if (route.request().method() === 'PATCH' && !(await Bun.file(filler).exists()))
              await Bun.write(filler, new Uint8Array(6 * MIB));
            await route.continue();
          });
          await send(page, { name: 'scan.tif', mimeType: 'image/tiff', buffer: bytes });
          expect(await failure(page)).toBe('There is no room left for this file.');
          await page.unroute('**/uploads/*');
          await rm(filler);
          await page.click('.upload-list button:has-text("Try again")');
          await page.waitForSelector('.upload-list > .done');
          expect(await page.textContent('.upload-list code')).toBe(Bun.SHA256.hash(bytes, 'hex'));
        });
      } finally {
        await server.stop();
        disk.unmount();
        server = await startServer({ from: 'source', data, port: server.port });
      }
    },
    60_000,
  );
});

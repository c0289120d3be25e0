import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { findSettings } from '../../../src/repository/settings/find-settings.ts';
import { recordBackup } from '../../../src/upkeep/backup/backup-record.ts';
import type { Manifest } from '../../../src/upkeep/backup/manifest.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { addJob } from '../../support/job-rows.ts';
import { elementsOf } from '../../support/page.ts';
import { addCheck } from '../../support/run-rows.ts';
import { damage, storeFiles } from '../../support/stored-objects.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const PERMISSIONS = '/admin/people/permissions';
const STATUS = '/admin/reports/status';
const FIXITY = '/admin/reports/fixity';
const DERIVATIVES = '/admin/reports/derivatives';
const SETTINGS = '/admin/config/islandora/core';
const USAGE = '/admin/reports/usage';
const ALL = [PERMISSIONS, STATUS, USAGE, FIXITY, DERIVATIVES, SETTINGS];
const FORMS = [FIXITY, DERIVATIVES, SETTINGS];

let repository: TestRepository;
let admin: FormBrowser;
let reader: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  [admin, reader] = await Promise.all([signedIn(repository, 'admin'), signedIn(repository, 'reader')]);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** The token of the forms of the administrator's session. */
const formToken = async () => (await admin.open(SETTINGS)).fields(SETTINGS).get('form_token') ?? '';
const database = () => repository.running.services.database;

describe('an administration page', () => {
  it.each(ALL)('%s requires a permission', async (path) => {
    expect((await reader.open(path)).status).toBe(403);
    expect((await repository.fetch(path, { headers: { Accept: 'text/html' } })).status).toBe(401);
    expect((await admin.open(path)).status).toBe(200);
  });

  it('is linked from /admin with a description', async () => {
    const { html } = await admin.open('/admin');
    const listed = elementsOf(html, 'dt a').map(({ attributes }) => attributes.href);
    for (const path of ALL) expect(listed.some((href) => href?.endsWith(path))).toBe(true);
  });

  it.each(FORMS)('%s rejects a form without the token of the session', async (path) => {
    expect((await admin.post(path, new URLSearchParams({ act: 'start' }))).status).toBe(403);
    expect((await admin.post(path, new URLSearchParams({ act: 'start', form_token: 'of-another' }))).status).toBe(403);
  });
});

describe('the page of permissions', () => {
  it('shows every permission in words, with the roles that have it', async () => {
    const { html } = await admin.open(PERMISSIONS);
    const rows = elementsOf(html, 'tbody tr:not(.group)').map(({ text }) => text.replace(/\s+/g, ' '));
    const media = rows.find((text) => text.includes('view any unpublished content'));
    expect(media).toMatch(/^View all unpublished items/);
    expect(media?.match(/Yes|No/g)).toEqual(['No', 'No', 'No', 'Yes', 'Yes', 'No', 'No']);
  });
});

describe('the status page', () => {
  it('reports each part, and what to do about problems', async () => {
    const { html } = await admin.open(STATUS);
    const lines = elementsOf(html, '.facts-table tbody tr').map(({ text }) => text.replace(/\s+/g, ' '));
    expect(lines).toContainEqual(expect.stringMatching(/^Last backup ?none is recorded.*repo backup/));
    expect(lines).toContainEqual(expect.stringMatching(/^SQLite ?3\.\d+.*, libSQL 0\.\d+/));
    expect(lines).toContainEqual(expect.stringMatching(/^public:\/\/ ?folder, \d+ files? of/));
    expect(html).not.toContain(repository.dataFolder);
  });

  it('shows the last backup', async () => {
    await recordBackup(database(), {
      backup: '2026-11-22T010203Z',
      finished: new Date().toISOString(),
      files: { count: 3, bytes: 4_200_000 },
      damaged: [],
    } as unknown as Manifest);
    const { html } = await admin.open(STATUS);
    const [line] = elementsOf(html, '.facts-table tbody tr').filter(({ text }) => text.startsWith('Last backup'));
    expect(line?.text).toMatch(/UTC, 3 files of 4\.2 MB\s*Fine$/);
  });

  it('shows the other parts if one cannot be read', async () => {
    await database().write(["UPDATE setting SET value = 'no JSON' WHERE name = 'backup.last'"]);
    const { status, html } = await admin.open(STATUS);
    await database().write(["DELETE FROM setting WHERE name = 'backup.last'"]);
    expect(status).toBe(200);
    expect(html).toContain('cannot be read');
    expect(html).toContain('libSQL');
  });
});

describe('the page of fixity checks', () => {
  it('starts a check in the background, and shows a damaged file with its item', async () => {
    const [object] = await storeFiles(repository, 1, { prefix: 'torn' });
    if (object === undefined) throw new Error('no file was stored');
    await damage(object);
    const answer = await (await admin.open(FIXITY)).submit();
    expect(answer.status).toBe(303);
    await until(async () => (await admin.open(FIXITY)).html.includes(object.uri));
    const { html } = await admin.open(FIXITY);
    const [row] = elementsOf(html, 'tbody tr').filter(({ text }) => text.includes(object.uri));
    expect(row?.text).toContain('Damaged');
    expect(elementsOf(html, 'tbody td a[href*="/node/"]').length).toBe(1);
    expect(elementsOf(html, 'h2').map(({ text }) => text)).toContain('Last checks');
  });

  it('rejects a second check, and can stop a running one', async () => {
    await addCheck(database(), { total: 9 }, { lease: 'elsewhere-1-2-3/1' });
    const page = await admin.open(FIXITY);
    const token = await formToken();
    const second = await admin.post(FIXITY, new URLSearchParams({ form_token: token, act: 'start' }));
    expect(second.status).toBe(409);
    const run = page.fields(FIXITY).get('run');
    expect(run).toMatch(/^\d+$/);
    expect((await page.submit()).status).toBe(303);
    const [row] = elementsOf((await admin.open(FIXITY)).html, 'tbody tr').filter(({ text }) =>
      text.includes('of 9 files'),
    );
    expect(row?.text).toContain('Interrupted');
    await database().write(["DELETE FROM run WHERE kind = 'fixity'"]);
  });

  it('rejects an unknown action', async () => {
    const token = await formToken();
    const answer = await admin.post(FIXITY, new URLSearchParams({ form_token: token, act: 'erase' }));
    expect(answer.status).toBe(400);
  });
});

describe('the page of derivatives', () => {
  beforeEach(() => database().write(['DELETE FROM derivative_job']));

  it('returns JSON to programs', async () => {
    const response = await repository.get(DERIVATIVES, 'admin');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('vary')).toContain('Accept');
  });

  it('shows the reason of a failed job, and retries it', async () => {
    const id = await addJob(repository, { state: 'failed', status: 422, message: 'convert: no pixels', attempts: 3 });
    const page = await admin.open(`${DERIVATIVES}?state=failed`);
    const [row] = elementsOf(page.html, 'tbody tr');
    expect(row?.text).toContain('The command failed on this file');
    expect(row?.text).toContain('convert: no pixels');
    const token = await formToken();
    const retried = await admin.post(DERIVATIVES, new URLSearchParams({ form_token: token, retry: `${id}` }));
    expect(retried.status).toBe(303);
    expect((await admin.open(`${DERIVATIVES}?state=failed`)).html).toContain('No job matches.');
  });

  it('retries only the failed jobs of one action, and cancels a job', async () => {
    const [own, other] = [
      await addJob(repository, { state: 'failed', action: 'image_generate_a_thumbnail_from_an_original_file' }),
      await addJob(repository, { state: 'failed', action: 'an_action' }),
    ];
    const token = await formToken();
    const send = (fields: Record<string, string>) =>
      admin.post(DERIVATIVES, new URLSearchParams({ form_token: token, ...fields }));
    expect((await send({ retry_failed: 'image_generate_a_thumbnail_from_an_original_file' })).status).toBe(303);
    const states = async () => {
      const { jobs } = (await (await repository.get(DERIVATIVES, 'admin')).json()) as {
        jobs: { id: number; state: string }[];
      };
      return Object.fromEntries(jobs.map(({ id, state }) => [id, state]));
    };
    expect(await states()).toEqual({ [own]: 'queued', [other]: 'failed' });
    expect((await send({ cancel: `${other}` })).status).toBe(303);
    expect((await states())[other]).toBe('cancelled');
    expect((await send({ cancel: `${other}` })).status).toBe(409);
    expect((await send({ cancel: '987654' })).status).toBe(404);
    expect((await send({})).status).toBe(400);
  });

  it('shows no buttons to a caller who may only read reports', async () => {
    await addJob(repository, { state: 'failed' });
    const { html } = await reader.open(DERIVATIVES);
    expect(elementsOf(html, 'form[method=post]')).toEqual([]);
  });
});

describe('the page of settings', () => {
  it('saves an unticked box as off', async () => {
    const page = await admin.open(SETTINGS);
    expect(elementsOf(page.html, 'input[type=checkbox]')[0]?.attributes.checked).toBeDefined();
    expect((await page.submit({ allow_header_links: undefined })).status).toBe(303);
    expect((await findSettings(database())).allow_header_links).toBe(false);
    const changed = await admin.open(SETTINGS);
    expect(elementsOf(changed.html, 'input[type=checkbox]')[0]?.attributes.checked).toBeUndefined();
    expect((await changed.submit({ allow_header_links: '1' })).status).toBe(303);
    expect((await findSettings(database())).allow_header_links).toBe(true);
  });

  it('rejects an unknown setting and an invalid value, and saves nothing', async () => {
    const page = await admin.open(SETTINGS);
    expect((await page.submit({ colour: 'red' })).status).toBe(422);
    expect((await page.submit({ allow_header_links: 'perhaps' })).status).toBe(422);
    expect((await findSettings(database())).allow_header_links).toBe(true);
  });
});

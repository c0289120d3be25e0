import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, formBrowser, signedIn } from '../../support/form-call.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { PNG } from '../../support/repository-routes.ts';
import { MODEL } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const SITE = 'https://repository.example.org';
const QUEUE = '/admin/content/access-requests';
const DAY_MS = 86_400_000;
const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const REQUEST = { name: 'Ada Reader', mail: 'ada@example.org', purpose: 'I compare <b>prints</b>.' };

let site: { repository: TestRepository; editor: FormBrowser; mails: MailServer };
let silent: { repository: TestRepository; editor: FormBrowser };
beforeAll(async () => {
  const mails = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('refused') ? new Error('no such mailbox') : undefined),
  });
  const mail = { server: `smtp://127.0.0.1:${mails.port}`, from: 'repo@example.org', requireTls: false };
  const sending = { baseUrl: SITE, mail: { ...mail, user: undefined, password: undefined } };
  const trustedProxies = ['127.0.0.1'];
  const repository = await createTestRepository({ ...sending, trustedProxies });
  site = { ...(await withEditor(repository)), mails };
  silent = await withEditor(await createTestRepository({ trustedProxies }));
});
afterAll(async () => {
  for (const { repository } of [site, silent]) {
    expect(repository.failures()).toEqual([]);
    await repository.stop();
  }
  await site.mails.stop();
});

async function withEditor(repository: TestRepository) {
  await repository.user('editor', 'repository_editor');
  await repository.user('loader', 'workbench_user');
  return { repository, editor: await signedIn(repository, 'editor') };
}

interface Item {
  readonly id: number;
  readonly file: string;
}
let files = 0;
async function item(repository: TestRepository, rule: object = {}): Promise<Item> {
  const access_rule = [{ preset: 'only_description', ...rule }];
  const { nid } = await repository.build.item({ title: ['Secret thing'], access_rule });
  files += 1;
  const upload = { use: 'original' as const, uri: `public://f${files}.png`, bytes: PNG };
  const { path } = await repository.build.pictureOf(1, nid[0].value, upload);
  return { id: nid[0].value, file: path };
}

let clients = 0;
function newAddress(): string {
  clients += 1;
  return `192.0.2.${clients}`;
}
/** A browser with an address of its own: the limits are for each. */
function visitor(repository: TestRepository, address = newAddress()): FormBrowser {
  return formBrowser({
    fetch: (path, init) =>
      repository.fetch(path, { ...init, headers: { ...init?.headers, 'X-Forwarded-For': address } }),
  });
}

/** Waits for a mail to an address after a number of earlier mails, and returns its text. */
async function mailTo(address: string, after: number): Promise<string> {
  const found = () => site.mails.mails.slice(after).find(({ to }) => to.includes(address));
  await until(() => found() !== undefined);
  return found()?.source ?? '';
}
const linkIn = (text: string, path: string) => new RegExp(`${SITE}(${path}[\\w-]+)`).exec(text)?.[1] ?? '';

/** Asks for an item, and returns the path of the link that confirms it. */
async function ask({ id }: Item, mail: string): Promise<string> {
  const before = site.mails.mails.length;
  const form = await visitor(site.repository).open(`/node/${id}/ask`);
  const answer = await form.submit({ ...REQUEST, mail });
  expect([answer.status, answer.html.includes('Look into your mailbox')]).toEqual([200, true]);
  return linkIn(await mailTo(mail, before), '/access/confirm/');
}
/** Returns the path of the latest request in the queue. */
async function latest(editor: FormBrowser): Promise<string> {
  return (await editor.open(QUEUE)).elements(`a[href^="${QUEUE}/"]`)[0]?.attributes.href ?? '';
}
const statusOf = async (repository: TestRepository, path: string, cookie = '') =>
  (await repository.get(path, undefined, cookie === '' ? {} : { Cookie: cookie })).status;

describe('a request for closed files', () => {
  it('goes from the form to a link that opens the files, and that ends', async () => {
    const { repository, editor, mails } = site;
    const wanted = await item(repository, { contact: 'The archive, archive@example.org' });
    const confirm = await ask(wanted, 'ada@example.org');
    expect((await editor.open(QUEUE)).html).not.toContain('ada@example.org');
    let before = mails.mails.length;
    // Mail scanners open links: only the form confirms.
    const page = await visitor(repository).open(confirm);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await editor.open(QUEUE)).html).not.toContain('ada@example.org');
    expect((await page.submit()).status).toBe(303);
    expect((await page.submit()).status).toBe(404);
    const told = await mailTo('archive@example.org', before);
    expect(told).toContain(`${SITE}${QUEUE}/`);

    const request = await latest(editor);
    const decision = await editor.open(request);
    expect(decision.html).toContain('I compare &lt;b>prints&lt;/b>.');
    before = mails.mails.length;
    const granted = await decision.submit(
      { last_day: day(2), note: 'Cite it as MS 12.' },
      { action: request, button: ['decision', 'grant'] },
    );
    expect(granted.status).toBe(303);
    const answer = await mailTo('ada@example.org', before);
    expect(answer).toContain('Cite it as MS 12.');
    const link = linkIn(answer, '/access/link/');
    const cookie = (await visitor(repository).open(link)).headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    expect(cookie).toMatch(/^SLINKS/);
    expect(await statusOf(repository, wanted.file)).toBe(401);
    expect(await statusOf(repository, wanted.file, cookie)).toBe(200);
    await repository.running.services.database.write([
      { sql: "UPDATE access_link SET last_day = '2020-01-01' WHERE node_id = ?", args: [wanted.id] },
    ]);
    expect(await statusOf(repository, wanted.file, cookie)).toBe(401);
    expect((await editor.open(request)).html).toContain('Cite it as MS 12.');
    for (const secret of [confirm, link])
      expect(JSON.stringify(repository.log)).not.toContain(secret.split('/').at(-1) ?? '');
  });

  it('is refused with a note', async () => {
    const { repository, editor, mails } = site;
    const page = await visitor(repository).open(await ask(await item(repository), 'bob@example.org'));
    await page.submit();
    const request = await latest(editor);
    const before = mails.mails.length;
    const decision = await editor.open(request);
    await decision.submit({ note: 'The donor forbids it.' }, { action: request, button: ['decision', 'refuse'] });
    const answer = await mailTo('bob@example.org', before);
    expect(answer).toContain('The donor forbids it.');
    expect(answer).not.toContain('/access/link/');
    const again = await decision.submit({ last_day: day(1) }, { action: request, button: ['decision', 'grant'] });
    expect(again.status).toBe(409);
  });

  it('is not sent if the mail server refuses the address', async () => {
    const form = await visitor(site.repository).open(`/node/${(await item(site.repository)).id}/ask`);
    const answer = await form.submit({ ...REQUEST, mail: 'refused@example.org' });
    expect([answer.status, answer.html.includes('could not be sent')]).toEqual([422, true]);
  });

  it('is limited for each mail address and each client', async () => {
    const { repository } = site;
    const { id } = await item(repository);
    const from = async (address: string, mail: string) =>
      (await (await visitor(repository, address).open(`/node/${id}/ask`)).submit({ ...REQUEST, mail })).status;
    const ofOneMail = [];
    for (let at = 0; at < 4; at++) ofOneMail.push(await from(`198.51.100.${at}`, 'flooded@example.org'));
    expect(ofOneMail).toEqual([200, 200, 200, 429]);
    const ofOneClient = [];
    for (let at = 0; at < 11; at++) ofOneClient.push(await from('203.0.113.9', `reader${at}@example.org`));
    expect(ofOneClient).toEqual([...Array(10).fill(200), 429]);
  });
});

describe('a link that confirms a request', () => {
  it.each(['A'.repeat(43), 'short', "'%20OR%201=1"])('is forged: %s', async (token) => {
    expect((await visitor(site.repository).open(`/access/confirm/${token}`)).status).toBe(404);
  });

  it('expires', async () => {
    const confirm = await ask(await item(site.repository), 'late@example.org');
    await site.repository.running.services.database.write([
      { sql: "UPDATE access_request SET created = 1 WHERE mail = 'late@example.org'", args: [] },
    ]);
    expect((await visitor(site.repository).open(confirm)).status).toBe(404);
  });
});

describe('a site without a mail server', () => {
  it('puts the request into the queue, and gives the editor the answer to pass on', async () => {
    const { repository, editor } = silent;
    const wanted = await item(repository, { reason: 'The family asked for it.' });
    const form = await visitor(repository).open(`/node/${wanted.id}/ask`);
    expect(form.html).toContain('This site sends no mails');
    expect(form.html).toContain('The family asked for it.');
    expect((await form.submit(REQUEST)).html).toContain('Your request is sent');
    const request = await latest(editor);
    const decision = await editor.open(request);
    expect(decision.html).toContain('not confirmed');
    const early = await decision.submit({ last_day: '' }, { action: request, button: ['decision', 'grant'] });
    expect([early.status, early.html.includes('Enter the last day')]).toEqual([422, true]);
    const shown = await decision.submit({ last_day: day(1) }, { action: request, button: ['decision', 'grant'] });
    expect(shown.status).toBe(200);
    const link = /\/access\/link\/[\w-]+/.exec(shown.html)?.[0] ?? '';
    const cookie = (await visitor(repository).open(link)).headers.get('set-cookie')?.split(';', 1)[0];
    expect(await statusOf(repository, wanted.file, cookie)).toBe(200);
    expect((await editor.open(request)).html).not.toContain(link);
  });
});

describe('the form of a request', () => {
  it.each([
    ['no name', { name: ' ' }, 'Enter your name.'],
    ['no purpose', { purpose: '' }, 'Enter what you need the files for.'],
    ['no mail address', { mail: 'nobody' }, 'is not a valid mail address'],
    ['two mail addresses', { mail: 'a@b.org\r\nBcc: c@d.org' }, 'is not a valid mail address'],
    ['a long purpose', { purpose: 'x'.repeat(4_001) }, 'over 4000 characters'],
  ])('refuses %s', async (_, fields, message) => {
    const { repository } = silent;
    const form = await visitor(repository).open(`/node/${(await item(repository)).id}/ask`);
    const answer = await form.submit({ ...REQUEST, ...fields });
    expect([answer.status, answer.html.includes(message)]).toEqual([422, true]);
  });

  it('answers 401 for a closed item, and 404 where nothing is closed', async () => {
    const { repository } = silent;
    const closed = await repository.build.item({ title: ['Closed'], access_rule: [{ preset: 'closed' }] });
    const free = await repository.build.item({ title: ['Free'] });
    const collection = await repository.build.item({
      title: ['Collection'],
      access_rule: [{ preset: 'only_description' }],
      field_model: [await repository.build.termId(MODEL.collection)],
    });
    const statuses = await Promise.all(
      [closed, free, collection].map(
        async ({ nid }) => (await visitor(repository).open(`/node/${nid[0].value}/ask`)).status,
      ),
    );
    expect(statuses).toEqual([401, 404, 404]);
  });

  it('is not accepted from other sites', async () => {
    const { repository } = silent;
    const { id } = await item(repository);
    const fields = new URLSearchParams(REQUEST);
    const answer = await visitor(repository).post(`/node/${id}/ask`, fields, { 'Sec-Fetch-Site': 'cross-site' });
    expect(answer.status).toBe(403);
  });
});

describe('the queue of requests', () => {
  it('is without requests that were decided a year ago', async () => {
    const { repository, editor } = silent;
    const wanted = await item(repository);
    const send = async (mail: string) =>
      (await visitor(repository).open(`/node/${wanted.id}/ask`)).submit({ ...REQUEST, mail });
    await send('old@example.org');
    const request = await latest(editor);
    await (await editor.open(request)).submit({}, { action: request, button: ['decision', 'refuse'] });
    await send('young@example.org');
    expect((await editor.open(request)).status).toBe(200);
    await repository.running.services.database.write([
      { sql: "UPDATE access_request SET decided = 1 WHERE mail = 'old@example.org'", args: [] },
    ]);
    await send('new@example.org');
    expect((await editor.open(request)).status).toBe(404);
  });

  it('is for editors of the items', async () => {
    const { repository, editor } = silent;
    const { id } = await item(repository);
    await (await visitor(repository).open(`/node/${id}/ask`)).submit({ ...REQUEST, mail: 'queue@example.org' });
    const request = await latest(editor);
    expect((await visitor(repository).open(QUEUE)).status).toBe(401);
    const loader = await signedIn(repository, 'loader');
    expect((await loader.open(request)).status).toBe(403);
    expect((await loader.open(QUEUE)).html).not.toContain('queue@example.org');
    expect((await editor.open(`${QUEUE}/999999`)).status).toBe(404);
  });
});

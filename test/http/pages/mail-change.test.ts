import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { known } from '../../../src/repository/users/manage-users.ts';
import { errorsOf, type FormBrowser, formBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const SITE = 'https://repository.example.org';
let repository: TestRepository;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('refused') ? new Error('no such mailbox') : undefined),
  });
  const mail = { server: `smtp://127.0.0.1:${mails.port}`, from: 'repo@example.org', requireTls: false };
  repository = await createTestRepository({ baseUrl: SITE, mail: { ...mail, user: undefined, password: undefined } });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
  await mails.stop();
});

const services = () => repository.running.services;
async function find(name: string): Promise<User> {
  return known(await createFindUser(services().database).byName(name), name);
}
const mailOf = async (name: string) => (await find(name)).row.mail;
const changes = () => ({ sql: 'UPDATE mail_change SET expires = 1', args: [] });

/** Adds a user with a mail address, who has opened the form of the account. */
async function owner(name: string): Promise<{ readonly browser: FormBrowser; readonly form: OpenPage }> {
  const id = await repository.user(name);
  const mail = `${name}@old.example.org`;
  await services().database.write([{ sql: 'UPDATE user SET mail = ? WHERE id = ?', args: [mail, id] }]);
  const browser = await signedIn(repository, name);
  return { browser, form: await browser.open(`/user/${id}/edit`) };
}

/** Waits for a mail to an address after a number of earlier mails, and returns its text. */
async function mailTo(address: string, after: number): Promise<string> {
  const found = () => mails.mails.slice(after).find(({ to }) => to.includes(address));
  await until(() => found() !== undefined);
  return found()?.source ?? '';
}

/** Enters a new address. Returns the path of the link that was mailed to it. */
async function ask(name: string, form: OpenPage, mail = `${name}@new.example.org`): Promise<string> {
  const before = mails.mails.length;
  expect((await form.submit({ mail, pass: name })).status).toBe(303);
  const source = await mailTo(mail, before);
  const told = await mailTo(`${name}@old.example.org`, before);
  expect(told).toContain('A new mail address was entered');
  expect(told).not.toContain('/user/mail/');
  expect(told).not.toContain(mail);
  return new RegExp(`${SITE}(/user/mail/[\\w-]+)`).exec(source)?.[1] ?? '';
}

const visitor = () => formBrowser(repository);

describe('the new mail address of a user', () => {
  it('takes effect once its link is confirmed', async () => {
    const { browser, form } = await owner('jane');
    const path = await ask('jane', form);
    expect(await mailOf('jane')).toBe('jane@old.example.org');
    expect((await browser.open(form.path)).html).toContain('waits to be confirmed');
    // Mail scanners open links.
    for (let opened = 0; opened < 2; opened++) {
      const shown = await visitor().open(path);
      expect(shown.status).toBe(200);
      expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
      expect(shown.html).toContain('jane@new.example.org');
    }
    expect(await mailOf('jane')).toBe('jane@old.example.org');
    const page = await visitor().open(path);
    const answers = await Promise.all([page.submit(), page.submit()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404]);
    expect(await mailOf('jane')).toBe('jane@new.example.org');
    expect((await visitor().open(path)).status).toBe(404);
    expect((await browser.open(form.path)).html).not.toContain('waits to be confirmed');
    const stored = await services().database.client.execute('SELECT * FROM mail_change');
    expect(stored.rows).toEqual([]);
    expect(JSON.stringify(repository.log)).not.toContain(path.split('/').at(-1) ?? '');
  });

  it('requires the password, a valid address, and a working mail server', async () => {
    const { form } = await owner('wary');
    const before = mails.mails.length;
    for (const [typed, message] of [
      [{ mail: 'w@new.example.org' }, 'Enter your current password.'],
      [{ mail: 'w@new.example.org', pass: 'x' }, 'This is not your current password.'],
      [{ mail: 'nobody', pass: 'wary' }, 'nobody is not a valid mail address.'],
      [{ mail: 'refused@new.example.org', pass: 'wary' }, 'No mail could be sent to refused@new.example.org.'],
    ] as const) {
      const refused = await form.submit(typed);
      expect(refused.status).toBe(422);
      expect(errorsOf(refused)).toEqual([expect.stringContaining(message)]);
      expect(refused.elements('#mail')[0]?.attributes.value).toBe(typed.mail);
    }
    expect(await mailOf('wary')).toBe('wary@old.example.org');
    expect(mails.mails.slice(before).filter(({ to }) => to[0]?.startsWith('w'))).toEqual([]);
  });

  it.each<[string, (path: string, name: string) => Promise<unknown>]>([
    ['its end', () => services().database.write([changes()])],
    [
      'a later link',
      async (_path, name) => {
        const browser = await signedIn(repository, name);
        const form = await browser.open(`/user/${(await find(name)).row.id}/edit`);
        await ask(name, form, 'later@new.example.org');
      },
    ],
    [
      'a new password',
      async (_path, name) => {
        const form = await (await signedIn(repository, name)).open('/user/password');
        expect(
          (await form.submit({ pass: name, pass_new: 'some other words', pass_again: 'some other words' })).status,
        ).toBe(303);
      },
    ],
    [
      'an address that an administrator sets',
      async (_path, name) => {
        const admin = await signedIn(repository, 'admin');
        const form = await admin.open(`/user/${(await find(name)).row.id}/edit`);
        expect((await form.submit({ mail: `${name}@old.example.org.invalid` })).status).toBe(303);
      },
    ],
    [
      'a block',
      async (_path, name) => {
        const admin = await signedIn(repository, 'admin');
        await (await admin.open(`/user/${(await find(name)).row.id}/cancel`)).submit();
      },
    ],
  ])('cannot be confirmed after %s', async (what, end) => {
    const name = `late-${what.replaceAll(' ', '-')}`;
    const { form } = await owner(name);
    const path = await ask(name, form);
    const page = await visitor().open(path);
    await end(path, name);
    expect((await visitor().open(path)).status).toBe(404);
    expect((await page.submit()).status).toBe(404);
    expect(await mailOf(name)).not.toBe(`${name}@new.example.org`);
  });

  it('can be requested five times an hour', async () => {
    const { form } = await owner('often');
    for (let count = 0; count < 5; count++) await ask('often', form, `often-${count}@new.example.org`);
    const refused = await form.submit({ mail: 'often-5@new.example.org', pass: 'often' });
    expect(refused.status).toBe(429);
    expect(errorsOf(refused)).toEqual([expect.stringContaining('too often')]);
  });

  it('can be removed immediately, with a mail to the earlier address', async () => {
    const { form } = await owner('leaving');
    const before = mails.mails.length;
    expect((await form.submit({ mail: '', pass: 'leaving' })).status).toBe(303);
    expect(await mailOf('leaving')).toBeNull();
    expect(await mailTo('leaving@old.example.org', before)).toContain('was changed');
  });

  it('can be set by an administrator immediately, with a mail to the earlier address', async () => {
    await owner('managed');
    const admin = await signedIn(repository, 'admin');
    const form = await admin.open(`/user/${(await find('managed')).row.id}/edit`);
    const before = mails.mails.length;
    expect((await form.submit({ mail: 'managed@new.example.org' })).status).toBe(303);
    expect(await mailOf('managed')).toBe('managed@new.example.org');
    expect(await mailTo('managed@old.example.org', before)).toContain('was changed');
  });

  it.each(['x', 'A'.repeat(43)])('has no confirmation page for the token %p', async (token) => {
    const shown = await visitor().open(`/user/mail/${token}`);
    expect(shown.status).toBe(404);
    expect(shown.html).toContain('This link is not valid');
    expect((await visitor().post(`/user/mail/${token}`, new URLSearchParams())).status).toBe(404);
  });

  it('cannot be confirmed by a form of another site', async () => {
    const { form } = await owner('framed');
    const path = await ask('framed', form);
    const sent = await visitor().post(path, new URLSearchParams(), { 'Sec-Fetch-Site': 'cross-site' });
    expect(sent.status).toBe(403);
    expect(await mailOf('framed')).toBe('framed@old.example.org');
  });
});

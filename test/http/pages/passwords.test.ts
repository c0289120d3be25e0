import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { changeAccount } from '../../../src/repository/users/change-account.ts';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { known } from '../../../src/repository/users/manage-users.ts';
import { createResetLink } from '../../../src/repository/users/reset-links.ts';
import { errorsOf, type FormBrowser, formBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { tokenOf } from '../../support/repository-routes.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const SITE = 'https://repository.example.org';
const STRONG = 'several new words';
let repository: TestRepository;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  const mail = { server: `smtp://127.0.0.1:${mails.port}`, from: 'repo@example.org', requireTls: false };
  repository = await createTestRepository({
    baseUrl: SITE,
    mail: { ...mail, user: undefined, password: undefined },
  });
  await repository.user('editor', 'repository_editor');
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
const cookieOf = ({ headers }: OpenPage) => headers.get('set-cookie')?.split(';', 1)[0] ?? '';
async function isSignedIn(cookie: string): Promise<boolean> {
  const response = await repository.get('/user/login_status?_format=json', undefined, { Cookie: cookie });
  return (await response.text()) === '1';
}

describe("the form to change one's own password", () => {
  it('changes it, ends other sessions and tokens, and starts a new session', async () => {
    await repository.user('jane');
    const token = await tokenOf(repository, 'jane');
    const [browser, other] = [await signedIn(repository, 'jane'), await signedIn(repository, 'jane')];
    const form = await browser.open('/user/password');
    expect(form.status).toBe(200);
    expect(form.headers.get('cache-control')).toBe('no-store, private');
    expect(form.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    const answer = await form.submit({ pass: 'jane', pass_new: STRONG, pass_again: STRONG });
    const { id } = (await find('jane')).row;
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${SITE}/user/${id}`);
    const cookie = cookieOf(answer);
    expect(cookie).not.toBe(browser.session?.cookie as string);
    const signedInWith = [cookie, browser.session?.cookie, other.session?.cookie].map((each) => isSignedIn(each ?? ''));
    const [isNew, isOld, isOther] = await Promise.all(signedInWith);
    expect({ isNew, isOld, isOther }).toEqual({ isNew: true, isOld: false, isOther: false });
    const withToken = await repository.get('/jwt/token', undefined, { Authorization: `Bearer ${token}` });
    expect(withToken.status).toBe(401);
  });

  it.each([
    [{ pass: '', pass_new: '', pass_again: '' }, ['Enter your current password.', 'Enter a new password.']],
    [{ pass: 'wrong', pass_new: STRONG, pass_again: STRONG }, ['This is not your current password.']],
    [{ pass: 'same', pass_new: STRONG, pass_again: 'b' }, ['The two passwords differ. Enter the new password again.']],
    [
      { pass: 'same', pass_new: 'nine char', pass_again: 'nine char' },
      ['The password must have at least 10 characters.'],
    ],
    [
      { pass: 'same', pass_new: 'Password123', pass_again: 'Password123' },
      ['The password is one of the most common ones. Choose another one.'],
    ],
    [
      { pass: 'same', pass_new: 'x'.repeat(5_000), pass_again: '' },
      ['The password must not be longer than 4096 bytes.'],
    ],
  ])('reports the problems of %p, and repeats no password', async (typed, messages) => {
    if ((await createFindUser(services().database).byName('same')) === undefined) await repository.user('same');
    const browser = await signedIn(repository, 'same');
    const page = await (await browser.open('/user/password')).submit(typed);
    expect({ status: page.status, errors: errorsOf(page) }).toEqual({ status: 422, errors: messages });
    for (const { attributes } of page.elements('input[type=password]')) expect(attributes.value).toBeUndefined();
    expect(await isSignedIn(browser.session?.cookie ?? '')).toBe(true);
  });

  it('limits attempts as signing in does', async () => {
    await repository.user('guessed');
    const browser = await signedIn(repository, 'guessed');
    const form = await browser.open('/user/password');
    for (let count = 0; count < 5; count++) await form.submit({ pass: 'x', pass_new: STRONG, pass_again: STRONG });
    const page = await form.submit({ pass: 'y', pass_new: STRONG, pass_again: STRONG });
    expect(page.status).toBe(429);
    expect(errorsOf(page)[0]).toContain('Too many failed login attempts');
  });

  it('requires a session and its form token', async () => {
    const fields = new URLSearchParams({ pass: 'a', pass_new: 'SECRET', pass_again: 'SECRET' });
    const anonymous = await formBrowser(repository).post('/user/password', fields);
    expect(anonymous.status).toBe(401);
    // The form to sign in keeps what was typed, but no password.
    expect(anonymous.html).not.toContain('SECRET');
    const editor = await signedIn(repository, 'editor');
    expect((await editor.post('/user/password', fields)).status).toBe(403);
    const other = { 'Sec-Fetch-Site': 'cross-site' };
    const signed = (await editor.open('/user/password')).fields();
    expect((await editor.post('/user/password', signed, other)).status).toBe(403);
  });
});

describe('a request for a reset link', () => {
  const ask = async (name: string, headers: Record<string, string> = {}) => {
    const browser = formBrowser(repository);
    const form = await browser.open('/user/password', headers);
    return form.submit({ name }, { action: '/user/password/request' });
  };

  it('mails a link with the configured address, whatever the Host header', async () => {
    await repository.user('mailed');
    await changeAccount(services(), await find('mailed'), { mail: 'mailed@example.org' });
    const page = await ask('MAILED@example.org', { 'X-Forwarded-Host': 'elsewhere.example' });
    expect(page.status).toBe(200);
    const [mail] = await mails.received(1);
    expect(mail).toMatchObject({ to: ['mailed@example.org'], from: 'repo@example.org' });
    expect(mail?.source).toContain('Subject: Your password at Repository');
    const link = mail?.source.match(/https:\S+/)?.[0] ?? '';
    expect(link).toMatch(/^https:\/\/repository\.example\.org\/user\/reset\/[\w-]{43}$/);
    const path = link.slice(SITE.length);
    const form = await formBrowser(repository).open(path);
    expect(form.status).toBe(200);
    expect(form.headers.get('referrer-policy')).toBe('no-referrer');
    const answer = await form.submit({ pass_new: STRONG, pass_again: STRONG });
    expect(answer.status).toBe(303);
    expect(await isSignedIn(cookieOf(answer))).toBe(true);
    expect((await formBrowser(repository).open(path)).status).toBe(404);
    // The log shows that the page was opened, not the link.
    const logged = JSON.stringify(repository.log);
    expect(logged).toContain('/user/reset/…');
    expect(logged).not.toContain(path.slice('/user/reset/'.length));
  });

  it('returns the same response for unknown names, blocked users and too many requests', async () => {
    await repository.user('asked');
    await changeAccount(services(), await find('asked'), { mail: 'asked@example.org' });
    await repository.user('barred');
    await changeAccount(services(), await find('barred'), { mail: 'barred@example.org', isBlocked: true });
    const count = mails.mails.length;
    const answers: [number, string][] = [];
    for (const name of ['asked', 'nobody', 'barred', 'asked', 'asked', 'asked', 'asked']) {
      const { status, html } = await ask(name);
      answers.push([status, html.replaceAll(name, 'NAME')]);
    }
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
    const found = await mails.received(count + 3);
    expect(found.slice(count).flatMap(({ to }) => to)).toEqual(Array(3).fill('asked@example.org'));
  });

  it('requires a name', async () => {
    const page = await ask('  ');
    expect(page.status).toBe(422);
    expect(errorsOf(page)).toEqual(['Enter your user name or mail address.']);
  });

  it('is rejected from other sites', async () => {
    const fields = new URLSearchParams({ name: 'asked' });
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await formBrowser(repository).post('/user/password/request', fields, headers)).status).toBe(403);
  });
});

describe('a reset link', () => {
  async function linkOf(name: string): Promise<string> {
    return `/user/reset/${(await createResetLink(services(), await find(name))).token}`;
  }

  it("remains valid after an invalid form, and replaces another user's session", async () => {
    await repository.user('linked');
    const path = await linkOf('linked');
    const editor = await signedIn(repository, 'editor');
    const form = await editor.open(path);
    const wrong = await form.submit({ pass_new: STRONG, pass_again: 'b' });
    expect(wrong.status).toBe(422);
    expect(errorsOf(wrong)).toEqual(['The two passwords differ. Enter the new password again.']);
    const answer = await wrong.submit({ pass_new: STRONG, pass_again: STRONG });
    const page = await formBrowser(repository).open('/', { Cookie: cookieOf(answer) });
    expect(page.elements('.user-name')[0]?.text).toBe('Signed in as linked');
  });

  it('rejects a weak password, and remains valid', async () => {
    await repository.user('a long user name');
    const form = await formBrowser(repository).open(await linkOf('a long user name'));
    for (const [password, message] of [
      ['short', 'The password must have at least 10 characters.'],
      ['1qaz2wsx3edc', 'The password is one of the most common ones. Choose another one.'],
      ['A long user name', 'The password must differ from the user name.'],
    ] as const) {
      const page = await form.submit({ pass_new: password, pass_again: password });
      expect({ status: page.status, errors: errorsOf(page) }).toEqual({ status: 422, errors: [message] });
    }
    expect((await form.submit({ pass_new: STRONG, pass_again: STRONG })).status).toBe(303);
  });

  it.each(['x', 'x'.repeat(43), `${'x'.repeat(43)}/more`])('is rejected if it is invalid: %s', async (token) => {
    const browser = formBrowser(repository);
    expect((await browser.open(`/user/reset/${token}`)).status).toBe(404);
    const fields = new URLSearchParams({ pass_new: STRONG, pass_again: STRONG });
    expect((await browser.post(`/user/reset/${token}`, fields)).status).toBe(404);
  });

  it('is rejected from other sites', async () => {
    const path = await linkOf('editor');
    const fields = new URLSearchParams({ pass_new: STRONG, pass_again: STRONG });
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await formBrowser(repository).post(path, fields, headers)).status).toBe(403);
  });
});

describe('a failing mail server', () => {
  it('is hidden from the visitor, shown to the administrator, and logged once per mail', async () => {
    const failing = await createTestRepository({
      baseUrl: SITE,
      mail: { ...repository.config.mail, server: 'smtp://127.0.0.1:1' },
    });
    const id = await failing.user('unlucky');
    const user = known(await createFindUser(failing.running.services.database).byName('unlucky'), 'unlucky');
    await changeAccount(failing.running.services, user, { mail: 'unlucky@example.org' });
    const browser: FormBrowser = formBrowser(failing);
    const fields = new URLSearchParams({ name: 'unlucky' });
    expect((await browser.post('/user/password/request', fields)).status).toBe(200);
    const admin = await signedIn(failing, 'admin');
    const form = await admin.open(`/user/${id}/reset-link`);
    const answer = await form.submit({}, { button: ['by', 'mail'] });
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)[0]).toContain('The mail was not sent');
    // Waits for the mails.
    await failing.stop();
    const logged = failing.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(logged.filter((line) => String(line).startsWith('A mail was not sent'))).toHaveLength(2);
  });
});

describe('a site without a mail server', () => {
  it('explains that an administrator can give a link', async () => {
    const plain = await createTestRepository();
    const browser = formBrowser(plain);
    const page = await browser.open('/user/password');
    expect({ status: page.status, forms: page.elements('main form') }).toEqual({ status: 200, forms: [] });
    expect(page.html).toContain('An administrator of this site can give you a link');
    expect((await browser.post('/user/password/request', new URLSearchParams({ name: 'admin' }))).status).toBe(404);
    await plain.stop();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, formBrowser, signedIn } from '../../support/form-call.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';', 1)[0] ?? '';

describe('the form to sign in', () => {
  it('starts a session, and returns to the previous page', async () => {
    const browser = formBrowser(repository);
    const form = await browser.open('/user/login', { Referer: `${repository.url}/collections?page=0` });
    expect(form.status).toBe(200);
    expect(form.headers.get('cache-control')).toBe('no-store, private');
    const answer = await form.submit({ name: ' jane ', pass: 'jane' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/collections?page=0`);
    const cookies = answer.headers.get('set-cookie');
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(cookies).toContain(part);
    const page = await browser.open('/', { Cookie: cookieOf(answer.headers) });
    expect(page.elements('.user-name')[0]?.text).toBe('Signed in as jane');
    expect(page.elements('.account a').map(({ text }) => text)).toEqual([
      'Add',
      'Manage',
      'Signed in as jane',
      'Sign out',
    ]);
  });

  it.each([
    ['', '', 400, 'Enter your user name.'],
    ['jane', '', 400, 'Enter your password.'],
    ['<b>"x', 'wrong', 400, 'Sorry, unrecognized username or password.'],
  ])('keeps the name after a failed attempt: %p %p', async (name, pass, status, problem) => {
    const form = await (await formBrowser(repository).open('/user/login')).submit({ name, pass });
    expect(form.status).toBe(status);
    expect(form.elements('.error-summary li')[0]?.text).toBe(problem);
    expect(form.elements('#name')[0]?.attributes).toMatchObject({ value: name });
    expect(form.elements('#pass')[0]?.attributes.value).toBeUndefined();
    expect(form.headers.get('set-cookie')).toBeNull();
  });

  it.each(['https://elsewhere.example/', '//elsewhere.example', '/\\elsewhere.example', 'javascript:alert(1)'])(
    'does not redirect to another site: %s',
    async (address) => {
      const browser = formBrowser(repository);
      const answer = await browser.post('/user/login', new URLSearchParams({ name: 'jane', pass: 'jane', address }));
      expect(answer.headers.get('location')).toStartWith(`${repository.url}/user/`);
    },
  );

  it('is rejected from another site', async () => {
    const fields = new URLSearchParams({ name: 'jane', pass: 'jane' });
    for (const site of ['cross-site', 'same-site']) {
      const answer = await formBrowser(repository).post('/user/login', fields, { 'Sec-Fetch-Site': site });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it('is shown on each page that requires a user, and returns to it', async () => {
    const form = await formBrowser(repository).open('/admin/people?x=1');
    expect({ status: form.status, heading: form.elements('h1')[0]?.text }).toEqual({ status: 401, heading: 'Sign in' });
    const answer = await form.submit({ name: 'admin', pass: ADMIN_PASSWORD });
    expect(answer.headers.get('location')).toBe(`${repository.url}/admin/people?x=1`);
  });

  it('redirects a user who is signed in', async () => {
    const answer = await (await signedIn(repository, 'jane')).open('/user/login');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/user/2`);
  });
});

describe('the form to sign out', () => {
  it('ends the session', async () => {
    const browser = await signedIn(repository, 'jane');
    const answer = await (await browser.open('/user/logout')).submit();
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/`);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await browser.open('/')).elements('.account a').map(({ text }) => text)).toEqual(['Sign in']);
  });

  it('requires the token of the session', async () => {
    const browser = await signedIn(repository, 'jane');
    const answer = await browser.post('/user/logout?token=x', new URLSearchParams());
    expect(answer.status).toBe(403);
    expect((await browser.open('/')).elements('.user-name')).toHaveLength(1);
  });

  it('redirects callers without a session, and explains HTTP authentication', async () => {
    expect((await formBrowser(repository).open('/user/logout')).status).toBe(303);
    const page = await repository.get('/user/logout', 'jane');
    expect({ status: page.status, body: await page.text() }).toEqual({
      status: 200,
      body: expect.stringContaining('Close it to sign out'),
    });
  });
});

describe('the administration page', () => {
  const linksOf = async (browser: FormBrowser) =>
    (await browser.open('/admin')).elements('.page-list a').map(({ attributes }) => attributes.href);

  it('lists the pages that the caller may open', async () => {
    expect(await linksOf(await signedIn(repository, 'admin'))).toContain('/admin/people');
    expect((await (await signedIn(repository, 'reader')).open('/admin')).status).toBe(403);
    expect((await formBrowser(repository).open('/admin')).status).toBe(401);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser } from '../../../src/repository/users/find-user.ts';
import { known, setBlocked, setPassword, setRoles } from '../../../src/repository/users/manage-users.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const LOGIN = '/user/login?_format=json';
const LOGOUT = '/user/logout?_format=json';

async function findUser(name: string) {
  return known(await createFindUser(repository.running.services.database).byName(name), name);
}

async function statusOf(cookie: string): Promise<string> {
  const response = await repository.get('/user/login_status?_format=json', undefined, { Cookie: cookie });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  return response.text();
}

async function answerOf(response: Response): Promise<[number, unknown]> {
  const text = await response.text();
  return [response.status, text === '' ? '' : (JSON.parse(text) as { message: unknown }).message];
}

describe('a login', () => {
  it('returns the user, tokens and an HttpOnly cookie for 14 days', async () => {
    const response = await repository.post(LOGIN, { name: 'admin', pass: ADMIN_PASSWORD });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toContain('no-cache');
    expect(await response.json()).toEqual({
      current_user: { uid: '1', roles: ['authenticated', 'administrator'], name: 'admin' },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      logout_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const [cookie, ...flags] = (response.headers.get('set-cookie') as string).split('; ');
    expect(cookie).toMatch(/^SESS[0-9a-f]{32}=[\w-]{43}$/);
    expect(flags.sort()).toEqual(['HttpOnly', 'Max-Age=1209600', 'Path=/', 'SameSite=Lax']);
  });

  it('accepts a body of any type and a name in any letter case', async () => {
    const body = JSON.stringify({ name: 'ADMIN', pass: ADMIN_PASSWORD });
    const response = await repository.fetch(LOGIN, { method: 'POST', body });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ current_user: { name: 'admin' } });
  });

  it.each([
    ['no members', '{}', 'Missing credentials.'],
    ['empty members', '{"name":"","pass":""}', 'Missing credentials.'],
    ['no name', '{"pass":"x"}', 'Missing credentials.name.'],
    ['no password', '{"name":"admin"}', 'Missing credentials.pass.'],
    ['a number for a name', '{"name":1,"pass":"x"}', 'The members "name" and "pass" must be text.'],
    ['a list for a password', '{"name":"admin","pass":["x"]}', 'The members "name" and "pass" must be text.'],
    ['an unknown name', '{"name":"nobody","pass":"x"}', 'Sorry, unrecognized username or password.'],
    ['a wrong password', '{"name":"admin","pass":"x"}', 'Sorry, unrecognized username or password.'],
    ['an empty body', '', 'The body is empty. It must be a JSON object.'],
    ['invalid JSON', '{', 'The body is not valid JSON.'],
    ['a list', '[]', 'The body must be a JSON object with the fields of the entity.'],
  ])('returns 400 for %s', async (_name, body, message) => {
    const response = await repository.fetch(LOGIN, { method: 'POST', body });
    expect(await answerOf(response)).toEqual([400, message]);
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  it('returns 413 for a body over 64 KiB', async () => {
    const body = JSON.stringify({ name: 'admin', pass: 'x'.repeat(70_000) });
    const response = await repository.fetch(LOGIN, { method: 'POST', body });
    expect(await answerOf(response)).toEqual([413, 'The body of the request is larger than 65536 bytes.']);
  });

  it('reports that the user is blocked only for the right password', async () => {
    await repository.user('barred');
    await setBlocked(repository.running.services, await findUser('barred'), true);
    const right = await repository.post(LOGIN, { name: 'barred', pass: 'barred' });
    expect(await answerOf(right)).toEqual([400, 'The user has not been activated or is blocked.']);
    expect(right.headers.has('set-cookie')).toBe(false);
    const wrong = await repository.post(LOGIN, { name: 'barred', pass: 'x' });
    expect(await answerOf(wrong)).toEqual([400, 'Sorry, unrecognized username or password.']);
    expect((await repository.get('/jwt/token', 'barred')).status).toBe(401);
  });

  it('is refused to callers with a session or token', async () => {
    const { cookie } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const token = await tokenOf(repository, 'admin');
    for (const headers of [{ Cookie: cookie }, { Authorization: `Bearer ${token}` }]) {
      const again = await repository.post(LOGIN, { name: 'admin', pass: ADMIN_PASSWORD }, undefined, headers);
      expect(await answerOf(again)).toEqual([403, 'This route can only be accessed by anonymous users.']);
    }
  });

  it('never adopts a session id of the caller', async () => {
    const { cookie } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const [name] = cookie.split('=');
    const planted = `${name}=${'A'.repeat(43)}`;
    const response = await repository.post(LOGIN, { name: 'admin', pass: ADMIN_PASSWORD }, undefined, {
      Cookie: planted,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).not.toContain('A'.repeat(43));
    expect(await statusOf(planted)).toBe('0');
  });

  it('is refused from another site', async () => {
    const body = JSON.stringify({ name: 'admin', pass: ADMIN_PASSWORD });
    const headers = { 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'cross-site' };
    const response = await repository.fetch(LOGIN, { method: 'POST', body, headers });
    expect(await answerOf(response)).toEqual([403, 'Pages of other sites may not change anything here.']);
  });
});

describe('a session', () => {
  it('acts for its user until the logout', async () => {
    await repository.user('visitor');
    const { cookie, logoutToken } = await signIn(repository, 'visitor', 'visitor');
    expect(await statusOf(cookie)).toBe('1');
    expect(await statusOf('')).toBe('0');
    const leave = (token: string) => repository.post(`${LOGOUT}${token}`, '', undefined, { Cookie: cookie });
    expect(await answerOf(await leave(''))).toEqual([403, "'csrf_token' URL query argument is missing."]);
    expect(await answerOf(await leave('&token=x'))).toEqual([403, "'csrf_token' URL query argument is invalid."]);
    expect(await statusOf(cookie)).toBe('1');
    const left = await leave(`&token=${logoutToken}`);
    expect(await answerOf(left)).toEqual([204, '']);
    expect(left.headers.get('set-cookie')).toBe(`${cookie.split('=')[0]}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`);
    expect(await statusOf(cookie)).toBe('0');
    expect(await answerOf(await leave(`&token=${logoutToken}`))).toEqual([
      403,
      'This route can only be accessed by authenticated users.',
    ]);
  });

  it('ends without ending other sessions of its user', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => signIn(repository, 'admin', ADMIN_PASSWORD)));
    await repository.post(`${LOGOUT}&token=${one?.logoutToken}`, '', undefined, { Cookie: one?.cookie as string });
    expect(await statusOf(other?.cookie as string)).toBe('1');
    const crossed = await repository.post(`${LOGOUT}&token=${one?.logoutToken}`, '', undefined, {
      Cookie: other?.cookie as string,
    });
    expect(crossed.status).toBe(403);
  });

  const endings: [string, (name: string) => Promise<unknown>][] = [
    ['its user is blocked', async (name) => setBlocked(repository.running.services, await findUser(name), true)],
    ['the password is changed', async (name) => setPassword(repository.running.services, await findUser(name), 'new')],
    [
      'its time is over',
      async (name) => {
        const { id } = (await findUser(name)).row;
        const sql = 'UPDATE session SET expires = unixepoch() WHERE user_id = ?';
        await repository.running.services.database.write([{ sql, args: [id] }]);
      },
    ],
  ];
  it.each(endings)('ends when %s', async (reason, end) => {
    const name = `user ${reason.length}`;
    await repository.user(name);
    const { cookie } = await signIn(repository, name, name);
    expect(await statusOf(cookie)).toBe('1');
    await end(name);
    expect(await statusOf(cookie)).toBe('0');
    expect((await repository.get('/jwt/token', undefined, { Cookie: cookie })).status).toBe(401);
  });

  it('does not become valid again when a blocked user is unblocked', async () => {
    await repository.user('returner');
    const { cookie } = await signIn(repository, 'returner', 'returner');
    await setBlocked(repository.running.services, await findUser('returner'), true);
    await setBlocked(repository.running.services, await findUser('returner'), false);
    expect(await statusOf(cookie)).toBe('0');
    await signIn(repository, 'returner', 'returner');
  });

  it('has the current roles of its user', async () => {
    await repository.user('climber', 'administrator');
    const { cookie, csrfToken } = await signIn(repository, 'climber', 'climber');
    const headers = { Cookie: cookie, 'X-CSRF-Token': csrfToken };
    const body = { type: 'article', title: ['x'] };
    expect((await repository.post('/node?_format=json', body, undefined, headers)).status).toBe(201);
    await setRoles(repository.running.services, await findUser('climber'), []);
    expect((await repository.post('/node?_format=json', body, undefined, headers)).status).toBe(403);
  });

  it('survives a restart and is stored only as a hash', async () => {
    const { cookie, csrfToken } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const { client } = repository.running.services.database;
    const { rows } = await client.execute('SELECT * FROM session');
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1] as string);
    await repository.restart();
    // The name of the cookie is that of the host: the port, which is another now, is no part of it.
    expect(await statusOf(cookie)).toBe('1');
    const token = await repository.get('/session/token', undefined, { Cookie: cookie });
    expect(await token.text()).toBe(csrfToken);
  });
});

describe('the limits of sessions', () => {
  const HOUR = 3_600;
  const DAY = 24 * HOUR;

  async function begun(of: TestRepository, name: string) {
    const id = await of.user(name);
    const { cookie } = await signIn(of, name, name);
    const { database } = of.running.services;
    return {
      cookie,
      set: (column: 'created' | 'used', ago: number) =>
        database.write([{ sql: `UPDATE session SET ${column} = unixepoch() - ? WHERE user_id = ?`, args: [ago, id] }]),
      used: async () =>
        Number((await database.client.execute('SELECT used FROM session WHERE user_id = ?', [id])).rows[0]?.[0]),
    };
  }
  const isSignedIn = async (of: TestRepository, cookie: string) =>
    (await (await of.get('/user/login_status?_format=json', undefined, { Cookie: cookie })).text()) === '1';

  it('end a session 12 hours after its last use', async () => {
    const { cookie, set } = await begun(repository, 'idler');
    await set('used', 12 * HOUR);
    expect(await isSignedIn(repository, cookie)).toBe(false);
    const fresh = await signIn(repository, 'idler', 'idler');
    expect(await isSignedIn(repository, fresh.cookie)).toBe(true);
  });

  it('leave a session that is used, and record its use now and then', async () => {
    const { cookie, set, used } = await begun(repository, 'worker');
    await set('used', 12 * HOUR - 60);
    expect(await isSignedIn(repository, cookie)).toBe(true);
    await until(async () => (await used()) > Date.now() / 1_000 - HOUR);
    const recorded = Math.floor(Date.now() / 1_000) - 600;
    await set('used', 600);
    expect(await isSignedIn(repository, cookie)).toBe(true);
    expect(await used()).toBeLessThanOrEqual(recorded + 60);
  });

  it('end a session 14 days after the sign-in, however it is used', async () => {
    const { cookie, set } = await begun(repository, 'resident');
    await set('created', 14 * DAY - 60);
    expect(await isSignedIn(repository, cookie)).toBe(true);
    await set('created', 14 * DAY);
    expect(await isSignedIn(repository, cookie)).toBe(false);
  });

  it('are settings, which apply to earlier sessions, too', async () => {
    const strict = await createTestRepository({ sessions: { idleLimitSeconds: 600, absoluteLimitSeconds: 2 * HOUR } });
    const login = await strict.post(LOGIN, { name: 'admin', pass: ADMIN_PASSWORD });
    expect(login.headers.get('set-cookie')).toContain('Max-Age=7200;');
    const { cookie, set } = await begun(strict, 'guest');
    await set('used', 599 - 60);
    expect(await isSignedIn(strict, cookie)).toBe(true);
    await set('used', 600);
    expect(await isSignedIn(strict, cookie)).toBe(false);
    await set('used', 0);
    await set('created', 2 * HOUR);
    expect(await isSignedIn(strict, cookie)).toBe(false);
    await strict.stop();
  });
});

describe('/session/token', () => {
  it('returns uncached text of 43 characters', async () => {
    const response = await repository.get('/session/token');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(await response.text()).toMatch(/^[\w-]{43}$/);
  });

  it('returns the same CSRF token as the login of the session', async () => {
    const { cookie, csrfToken } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const response = await repository.get('/session/token', undefined, { Cookie: cookie });
    expect(await response.text()).toBe(csrfToken);
    const headers = { Cookie: cookie, 'X-CSRF-Token': csrfToken };
    const created = await repository.post('/node?_format=json', { type: 'page', title: ['x'] }, undefined, headers);
    expect(created.status).toBe(201);
  });
});

describe('a name and a password', () => {
  it('are valid at once with a new password, but not with the old one', async () => {
    await repository.user('changer');
    expect((await repository.get('/jwt/token', 'changer')).status).toBe(200);
    await setPassword(repository.running.services, await findUser('changer'), 'another');
    expect((await repository.get('/jwt/token', 'changer')).status).toBe(401);
    const response = await repository.get('/jwt/token', undefined, { Authorization: basic('changer', 'another') });
    expect(response.status).toBe(200);
  });

  it('never appear in the log, nor do tokens', async () => {
    const { cookie, csrfToken } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const log = JSON.stringify(repository.log);
    for (const secret of [ADMIN_PASSWORD, cookie.split('=')[1], csrfToken, basic('admin').slice(6)])
      expect(log).not.toContain(secret as string);
  });
});

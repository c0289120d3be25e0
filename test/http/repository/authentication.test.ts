import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser } from '../../../src/repository/users/find-user.ts';
import { known, setBlocked } from '../../../src/repository/users/manage-users.ts';
import {
  type Accepts,
  createSample,
  SAMPLE_ROUTES,
  type Sample,
  type SampleRoute,
  type Session,
  signIn,
  tokenOf,
} from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let sample: Sample;
let session: Session;
let token: string;
let blockedToken: string;

beforeAll(async () => {
  repository = await createTestRepository();
  sample = await createSample(repository);
  session = await signIn(repository, 'admin', ADMIN_PASSWORD);
  token = await tokenOf(repository, 'admin');
  await repository.user('leaver', 'administrator');
  blockedToken = await tokenOf(repository, 'leaver');
  const { services } = repository.running;
  const findUser = createFindUser(services.database);
  await setBlocked(services, known(await findUser.byName('leaver'), 'leaver'), true);
  await repository.user('quick');
});
afterAll(() => repository.stop());

const NOT_ALLOWED = 'This address does not accept this authentication method.';
/** Only for the names of the tests. */
const PLACES = new Proxy({}, { get: (_target, name) => `{${String(name)}}` }) as Sample;

const named = SAMPLE_ROUTES.map((route) => [`${route.method} ${route.path(PLACES)}`, route] as const);
const guarded = named.filter(([, route]) => route.isGuarded);

function ask(route: SampleRoute, headers: Record<string, string>): Promise<Response> {
  const path = route.path(sample);
  // No entity has this ETag, so nothing is removed.
  const condition = route.method === 'DELETE' ? { 'If-Match': '"another"' } : {};
  const type = route.type === undefined ? {} : { 'Content-Type': route.type };
  return repository.fetch(path, { method: route.method, headers: { ...type, ...condition, ...headers } });
}

async function forgetFailures(): Promise<void> {
  await repository.running.services.database.write([{ sql: 'DELETE FROM flood_event', args: [] }]);
}

async function messageOf(response: Response): Promise<string> {
  return ((await response.json()) as { message: string }).message;
}

describe('wrong credentials', () => {
  const unsigned = [
    { typ: 'JWT', alg: 'none' },
    { webid: '1', sub: 'admin', roles: [], iss: 'x', exp: 9e9 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const BASIC = 'Basic realm="Repository"';
  const BEARER = 'Bearer error="invalid_token"';
  const wrong: [string, () => Record<string, string>, challenge: string, message: string][] = [
    [
      'a wrong password',
      () => ({ Authorization: basic('quick', 'wrong') }),
      BASIC,
      'The user name or the password is wrong.',
    ],
    [
      'basic credentials that cannot be read',
      () => ({ Authorization: 'Basic !' }),
      BASIC,
      'The credentials in the Authorization header are malformed.',
    ],
    [
      'another scheme',
      () => ({ Authorization: 'Digest username="admin"' }),
      BASIC,
      'The credentials in the Authorization header are malformed.',
    ],
    ['a token that is none', () => ({ Authorization: 'Bearer abc' }), BEARER, 'The token is not a valid JWT.'],
    ['an unsigned token', () => ({ Authorization: `Bearer ${unsigned}.` }), BEARER, 'The token is not a valid JWT.'],
    [
      'a token in its own header that is none',
      () => ({ 'JWT-Authorization': 'Bearer abc' }),
      BEARER,
      'The token is not a valid JWT.',
    ],
    [
      'the token of a blocked user',
      () => ({ Authorization: `Bearer ${blockedToken}` }),
      BEARER,
      'The user of this token does not exist, or is blocked.',
    ],
    [
      'a wrong token beside a valid session',
      () => ({ Authorization: 'Bearer abc', Cookie: session.cookie }),
      BEARER,
      'The token is not a valid JWT.',
    ],
    [
      'a wrong token beside a valid password',
      () => ({ 'JWT-Authorization': 'Bearer abc', Authorization: basic('admin') }),
      BEARER,
      'The token is not a valid JWT.',
    ],
  ];

  it.each(named)('are refused with a challenge on %s', async (_name, route) => {
    for (const [what, headers, challenge, message] of wrong) {
      await forgetFailures();
      const response = await ask(route, headers());
      expect({ what, status: response.status, message: await messageOf(response) }).toEqual({
        what,
        status: 401,
        message,
      });
      expect(response.headers.get('www-authenticate')).toBe(challenge);
    }
  });

  it.each([
    ['a missing node', '/node/999999999', 'GET', {}],
    ['an unknown format', `/node/1?_format=xml`, 'GET', {}],
    ['an unsupported content type', '/node', 'POST', { 'Content-Type': 'text/xml' }],
    ['a missing content type', '/node', 'POST', {}],
  ])('are refused before any other check: %s', async (_name, path, method, headers) => {
    await forgetFailures();
    const response = await repository.fetch(path, { method, headers: { ...headers, Authorization: 'Bearer abc' } });
    expect(response.status).toBe(401);
  });

  it('leave a node unchanged when they come with a write', async () => {
    const before = await (await repository.get(`/node/${sample.node}?_format=json`)).text();
    const body = JSON.stringify({ type: 'islandora_object', title: ['taken over'] });
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${blockedToken}` };
    expect((await repository.fetch(`/node/${sample.node}`, { method: 'PATCH', body, headers })).status).toBe(401);
    expect(await (await repository.get(`/node/${sample.node}?_format=json`)).text()).toBe(before);
  });

  it('do not include an invalid session cookie, which is ignored', async () => {
    const [name] = session.cookie.split('=');
    for (const value of ['x', 'A'.repeat(43), '']) {
      const read = await repository.get(`/node/${sample.node}?_format=json`, undefined, { Cookie: `${name}=${value}` });
      expect(read.status).toBe(200);
      const status = await repository.get('/user/login_status?_format=json', undefined, { Cookie: `${name}=${value}` });
      expect(await status.text()).toBe('0');
    }
  });
});

describe('authentication', () => {
  const TAKEN: Record<Accepts, string[]> = {
    all: ['basic', 'token', 'own header', 'session'],
    basic: ['basic'],
    'basic and token': ['basic', 'token', 'own header'],
    'basic and session': ['basic', 'session'],
    'token and session': ['token', 'own header', 'session'],
    anything: ['basic', 'token', 'own header', 'session'],
  };

  it.each(named)('accepts only the configured credentials for %s', async (_name, route) => {
    const ways: Record<string, Record<string, string>> = {
      basic: { Authorization: basic('admin') },
      token: { Authorization: `Bearer ${token}` },
      'own header': { 'JWT-Authorization': `Bearer ${token}` },
      session: { Cookie: session.cookie, 'X-CSRF-Token': session.csrfToken },
    };
    for (const [way, headers] of Object.entries(ways)) {
      const response = await ask(route, headers);
      const text = await response.text();
      const isTaken = response.status !== 401 && !text.includes(NOT_ALLOWED);
      expect({ way, isTaken, text: text.slice(0, 200) }).toEqual({
        way,
        isTaken: TAKEN[route.accepts].includes(way),
        text: text.slice(0, 200),
      });
      if (!isTaken)
        expect({ status: response.status, text }).toEqual({
          status: 403,
          text: JSON.stringify({ message: NOT_ALLOWED }),
        });
    }
  });
});

describe('a session', () => {
  it.each(guarded)('needs its CSRF token for %s', async (_name, route) => {
    const missing = await ask(route, { Cookie: session.cookie });
    expect({ status: missing.status, message: await messageOf(missing) }).toEqual({
      status: 403,
      message: 'The header X-CSRF-Token is missing.',
    });
    const foreign = await (await repository.get('/session/token')).text();
    for (const wrong of ['', 'x', foreign, session.logoutToken]) {
      const response = await ask(route, { Cookie: session.cookie, 'X-CSRF-Token': wrong });
      expect({ status: response.status, message: await messageOf(response) }).toEqual({
        status: 403,
        message: 'The header X-CSRF-Token is invalid.',
      });
    }
  });

  it('needs the token even with other credentials', async () => {
    const headers = { Cookie: session.cookie, Authorization: basic('admin') };
    const response = await repository.post('/node?_format=json', {}, undefined, headers);
    expect({ status: response.status, message: await messageOf(response) }).toEqual({
      status: 403,
      message: 'The header X-CSRF-Token is missing.',
    });
  });

  it('reports a missing permission before a missing CSRF token', async () => {
    await repository.user('reader');
    const { cookie } = await signIn(repository, 'reader', 'reader');
    const response = await repository.post('/node?_format=json', {}, undefined, { Cookie: cookie });
    expect({ status: response.status, message: await messageOf(response) }).toEqual({ status: 403, message: '' });
  });
});

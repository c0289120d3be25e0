import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { decodeJwt } from 'jose';
import { linksIn } from '../../support/link-lines.ts';
import { speak } from '../../support/raw-http.ts';
import { tokenOf } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BODY = { type: 'page', title: ['x'] };
const LOGIN = '/user/login?_format=json';

async function locationOf(repository: TestRepository, headers: Record<string, string>): Promise<string | null> {
  const response = await repository.post('/node?_format=json', BODY, 'admin', headers);
  return response.status === 201 ? response.headers.get('location') : `${response.status}`;
}

/** Returns the addresses of the forms of a node in a response with 406. */
async function formsOf(repository: TestRepository, headers: Record<string, string>, path = ''): Promise<string[]> {
  const address = path || `/node/${(await repository.node()).nid[0].value}`;
  const response = await repository.get(`${address}?_format=xml&page=1`, undefined, headers);
  const links = linksIn(response);
  expect(response.status).toBe(406);
  expect(links.map(({ rel, type }) => `${rel} ${type}`)).toEqual([
    'alternate application/ld+json',
    'alternate application/json',
    'alternate application/xml',
    'alternate application/mods+xml',
    'alternate application/vnd.datacite.datacite+xml',
  ]);
  return links.slice(0, 2).map(({ href }) => href.replace(/\/node\/\d+\?/, '/node/N?'));
}

const formsUnder = (base: string) => [`${base}/node/N?_format=jsonld`, `${base}/node/N?_format=json`];

describe('a site without a trusted proxy', () => {
  let repository: TestRepository;
  beforeAll(async () => {
    repository = await createTestRepository();
  });
  afterAll(() => repository.stop());

  it('uses the Host in its addresses', async () => {
    expect(await locationOf(repository, { Host: 'repo.example.org' })).toMatch(
      /^http:\/\/repo\.example\.org\/node\/\d+$/,
    );
    expect(await locationOf(repository, {})).toStartWith(`${repository.url}/node/`);
  });

  it('ignores X-Forwarded headers', async () => {
    expect(await formsOf(repository, { Host: 'repo.example.org' })).toEqual(formsUnder('http://repo.example.org'));
    const invented = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example',
    };
    expect(await locationOf(repository, invented)).toStartWith(`${repository.url}/node/`);
    expect(await formsOf(repository, invented)).toEqual(formsUnder(repository.url));
    const login = await repository.post(LOGIN, { name: 'admin', pass: ADMIN_PASSWORD }, undefined, invented);
    expect(login.headers.get('set-cookie')).toStartWith('SESS');
    expect(login.headers.get('set-cookie')).not.toContain('Secure');
  });

  it.each(['a b', 'a/b', 'a@b', 'a"b', '<a>', 'a\\b', 'a..b', 'a:99999', 'x'.repeat(300), '%61'])(
    'refuses the Host %p',
    async (host) => {
      const { text } = await speak(Number(new URL(repository.url).port), [
        `GET /node/1 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${basic('admin')}\r\nConnection: close\r\n\r\n`,
      ]);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).not.toContain(host.length > 1 ? `//${host}` : '\u0000');
    },
  );
});

describe('a site behind a trusted proxy', () => {
  let repository: TestRepository;
  const forwarded = {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'repo.example.org',
    'X-Forwarded-For': '192.0.2.1',
  };
  beforeAll(async () => {
    repository = await createTestRepository({ trustedProxies: ['127.0.0.0/8'] });
  });
  afterAll(() => repository.stop());

  it('uses the public address of the site', async () => {
    expect(await locationOf(repository, forwarded)).toMatch(/^https:\/\/repo\.example\.org\/node\/\d+$/);
    expect(await formsOf(repository, forwarded)).toEqual(formsUnder('https://repo.example.org'));
    const token = await repository.get('/jwt/token', 'admin', forwarded);
    expect(decodeJwt(((await token.json()) as { token: string }).token).iss).toBe('https://repo.example.org');
  });

  it('sets a Secure SSESS cookie on https, which is invalid on http', async () => {
    const login = await repository.post(LOGIN, { name: 'admin', pass: ADMIN_PASSWORD }, undefined, forwarded);
    const setCookie = login.headers.get('set-cookie') as string;
    expect(setCookie).toMatch(/^SSESS[0-9a-f]{32}=[\w-]{43}; .*Secure/);
    const cookie = setCookie.split(';', 1)[0] as string;
    const statusOf = async (headers: Record<string, string>) =>
      (await repository.get('/user/login_status?_format=json', undefined, { Cookie: cookie, ...headers })).text();
    expect(await statusOf(forwarded)).toBe('1');
    expect(await statusOf({ ...forwarded, 'X-Forwarded-Proto': 'http' })).toBe('0');
    expect(await statusOf({ ...forwarded, 'X-Forwarded-Host': 'other.example.org' })).toBe('0');
  });

  it.each([
    ['X-Forwarded-Host', 'a b'],
    ['X-Forwarded-Host', 'evil.example/path'],
    ['X-Forwarded-Proto', 'javascript'],
    ['X-Forwarded-Port', '0'],
  ])('refuses the invalid header %s: %s', async (name, value) => {
    expect(await locationOf(repository, { ...forwarded, [name]: value })).toBe('400');
  });
});

describe('a site with a configured address', () => {
  it('uses that address in every response for any Host', async () => {
    const repository = await createTestRepository({ baseUrl: 'https://repo.example.org/archive/' });
    try {
      expect(await locationOf(repository, { Host: 'evil.example' })).toMatch(
        /^https:\/\/repo\.example\.org\/archive\/node\/\d+$/,
      );
      expect(await formsOf(repository, { Host: 'evil.example' })).toEqual(
        formsUnder('https://repo.example.org/archive'),
      );
      const missing = await repository.get('/nowhere', undefined, { Host: 'evil.example' });
      expect(await missing.json()).toEqual({
        message: 'https://repo.example.org/archive/nowhere does not exist.',
      });
      expect(decodeJwt(await tokenOf(repository, 'admin')).iss).toBe('https://repo.example.org/archive');
    } finally {
      await repository.stop();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ADD_ITEM, signedIn } from '../../support/form-call.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const VIEWER = 'https://viewer.example.org';
const CROSS_SITE = { 'Sec-Fetch-Site': 'cross-site' };
const REFUSAL = { message: 'Pages of other sites may not change anything here.' };
const WRITES = ['post', 'put', 'patch', 'delete'];

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({
    cors: { origins: [VIEWER], methods: ['GET', 'POST'], credentials: false },
  });
  await repository.node();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** The methods and paths of all operations that write. */
async function writes(): Promise<[method: string, path: string][]> {
  const { paths } = (await (await repository.get('/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => WRITES.includes(method))
      .map((method): [string, string] => [method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, '1')]),
  );
}

describe('a write that a page of another site sends', () => {
  it('is refused by every operation, whatever its credentials', async () => {
    const { cookie, csrfToken } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const callers: Record<string, string>[] = [
      {},
      { Authorization: basic('admin') },
      { Authorization: `Bearer ${await tokenOf(repository, 'admin')}` },
      { Cookie: cookie, 'X-CSRF-Token': csrfToken },
    ];
    // These only read.
    const all = (await writes()).filter(([, path]) => path !== '/oai/request' && path !== '/reconcile');
    expect(all.length).toBeGreaterThan(25);
    for (const [method, path] of all)
      for (const credentials of callers) {
        const headers = { ...credentials, ...CROSS_SITE, 'Content-Type': 'application/json' };
        const answer = await repository.fetch(path, { method, headers, body: '{}' });
        expect({ method, path, status: answer.status, body: await answer.json() }).toEqual({
          method,
          path,
          status: 403,
          body: REFUSAL,
        });
      }
    expect((await repository.get('/node/1?_format=json')).status).toBe(200);
  });

  it('is refused by an alias, and by the forms of pages', async () => {
    await repository.node({ path: [{ alias: '/named' }] });
    const headers = { Authorization: basic('admin'), ...CROSS_SITE };
    expect((await repository.fetch('/named', { method: 'DELETE', headers })).status).toBe(403);
    expect((await repository.get('/named')).status).toBe(200);
    const admin = await signedIn(repository, 'admin');
    const form = await admin.open(ADD_ITEM);
    expect((await admin.post(ADD_ITEM, form.fields(), CROSS_SITE)).status).toBe(403);
  });

  it('counts no attempt to sign in', async () => {
    const headers = { Authorization: basic('admin', 'wrong'), ...CROSS_SITE };
    for (let count = 0; count < 6; count++)
      expect((await repository.fetch('/node', { method: 'POST', headers, body: '{}' })).status).toBe(403);
    expect((await repository.get('/jwt/token', 'admin')).status).toBe(200);
  });

  it.each([
    ['a configured origin', { Origin: VIEWER, 'Sec-Fetch-Site': 'cross-site' }, 201],
    ['another origin', { Origin: 'https://other.example.org', 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['this site', { 'Sec-Fetch-Site': 'same-origin' }, 201],
    ['the address bar', { 'Sec-Fetch-Site': 'none' }, 201],
    ['a program', {}, 201],
  ])('depends on its origin: %s', async (_who, headers, status) => {
    const answer = await repository.post('/node', { type: 'page', title: ['x'] }, 'admin', headers);
    expect(answer.status).toBe(status);
  });

  it('is refused to a configured origin for other methods than the configured ones', async () => {
    const headers = { Origin: VIEWER, ...CROSS_SITE };
    expect((await repository.delete('/node/1', 'admin', headers)).status).toBe(403);
  });
});

describe('a read that a page of another site sends', () => {
  it('is answered, also as a POST of OAI-PMH', async () => {
    expect((await repository.get('/node/1?_format=json', undefined, CROSS_SITE)).status).toBe(200);
    const answer = await repository.fetch('/oai/request', {
      method: 'POST',
      headers: { ...CROSS_SITE, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'verb=Identify',
    });
    expect({ status: answer.status, body: await answer.text() }).toEqual({
      status: 200,
      body: expect.stringContaining('<Identify>'),
    });
  });
});

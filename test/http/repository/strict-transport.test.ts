import { afterAll, describe, expect, it } from 'bun:test';
import type { RepositoryConfig } from '../../../src/config/server-config.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const HEADER = 'strict-transport-security';
const opened: TestRepository[] = [];
afterAll(() => Promise.all(opened.map((each) => each.stop())));

async function open(config: Partial<RepositoryConfig>): Promise<TestRepository> {
  const repository = await createTestRepository(config);
  opened.push(repository);
  return repository;
}
const YEAR = { maxAgeSeconds: 31_536_000, includesSubDomains: false };
const SITE = 'https://repository.example.org';

describe('Strict-Transport-Security', () => {
  it('is not sent by default', async () => {
    const repository = await open({ baseUrl: SITE });
    expect((await repository.get('/')).headers.has(HEADER)).toBe(false);
  });

  it('is sent with every answer of a site on https', async () => {
    const repository = await open({ baseUrl: SITE, hsts: YEAR });
    for (const [path, init] of [
      ['/', {}],
      ['/node/1?_format=json', { method: 'HEAD' }],
      ['/nowhere', {}],
      ['/node', { method: 'POST' }],
      ['/node', { method: 'OPTIONS' }],
      ['/user/login', { method: 'PROPFIND' }],
      ['/healthcheck', {}],
      ['/favicon.ico', {}],
    ] as const)
      expect({ path, value: (await repository.fetch(path, init)).headers.get(HEADER) }).toEqual({
        path,
        value: 'max-age=31536000',
      });
  });

  it('is sent for a trusted proxy with TLS, and not over http', async () => {
    const repository = await open({
      trustedProxies: ['127.0.0.1'],
      hsts: { maxAgeSeconds: 3_600, includesSubDomains: true },
    });
    const proxied = await repository.get('/healthcheck', undefined, { 'X-Forwarded-Proto': 'https' });
    expect(proxied.headers.get(HEADER)).toBe('max-age=3600; includeSubDomains');
    expect((await repository.get('/healthcheck')).headers.has(HEADER)).toBe(false);
    const invalid = await repository.get('/node/1', undefined, { 'X-Forwarded-Proto': 'ftp' });
    expect({ status: invalid.status, value: invalid.headers.get(HEADER) }).toEqual({ status: 400, value: null });
  });
});

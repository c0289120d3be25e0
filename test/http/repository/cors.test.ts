import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PNG } from '../../support/repository-routes.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const VIEWER = 'https://viewer.example.org';
const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const FILE = '/sites/default/files/a.png';

const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
const EXPOSED =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Link, Location, Repr-Digest, Retry-After, Tus-Resumable, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset, WWW-Authenticate, X-Total-Count';
const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };

async function fill(repository: TestRepository): Promise<void> {
  await repository.node({ title: [{ value: 'Open' }] });
  await repository.node({ title: [{ value: 'Hidden' }], status: [{ value: false }] });
  const headers = { 'Content-Type': 'image/png', 'Content-Location': 'public://a.png' };
  const use = await repository.termId(ORIGINAL);
  const { status } = await repository.put(`/node/1/media/image/${use}`, PNG, headers, 'admin');
  if (status !== 201) throw new Error(`the file was answered with ${status}`);
  await repository.user('reader');
}

describe('a repository without configuration', () => {
  let repository: TestRepository;
  beforeAll(async () => {
    repository = await createTestRepository();
    await fill(repository);
  });
  afterAll(async () => {
    expect(repository.failures()).toEqual([]);
    await repository.stop();
  });

  it.each([
    ['a node', '/node/1?_format=json', 200],
    ['a graph', '/node/1?_format=jsonld', 200],
    ['a page', '/node/1?_format=html', 200],
    ['a linkset', '/node/1/linkset', 200],
    ['a term', '/taxonomy/term/1?_format=json', 200],
    ['the bytes of a file', FILE, 200],
    ['the description of the API', '/openapi.json', 200],
    ['the keys of its tokens', '/.well-known/jwks.json', 200],
    ['the state of the repository', '/healthcheck', 200],
    ['the 404 for a missing node', '/node/999?_format=json', 404],
    ['the 404 for an unknown address', '/nowhere', 404],
    ['the error for an unavailable format', '/node/1?_format=csv', 406],
  ])('allows scripts of all sites to read %s', async (_what, path, status) => {
    for (const method of ['GET', 'HEAD'])
      for (const headers of [{ Origin: VIEWER }, {}]) {
        const response = await repository.fetch(path, { method, headers });
        expect({ status: response.status, cors: corsOf(response) }).toEqual({ status, cors: OPEN });
      }
  });

  it('allows scripts to read byte ranges and to revalidate', async () => {
    const whole = await repository.get(FILE);
    const etag = String(whole.headers.get('etag'));
    for (const [headers, status] of [
      [{ Range: 'bytes=0-3' }, 206],
      [{ Range: 'bytes=9999999-' }, 416],
      [{ 'If-None-Match': etag }, 304],
      [{ 'If-Match': '"other"' }, 412],
    ] as const) {
      const response = await repository.get(FILE, undefined, headers);
      expect({ status: response.status, cors: corsOf(response) }).toEqual({ status, cors: OPEN });
    }
    const node = await repository.get('/node/1?_format=json');
    const again = await repository.get('/node/1?_format=json', undefined, {
      'If-None-Match': String(node.headers.get('etag')),
    });
    expect(again.status).toBe(304);
    expect(corsOf(again)).toEqual(OPEN);
    expect(again.headers.get('vary')).toBe(node.headers.get('vary'));
  });

  it.each([
    ['the refusal of a hidden node', '/node/2?_format=json', undefined, 401],
    ['the refusal of a list that needs a permission', '/node/1/media?_format=json', undefined, 401],
    ['a node sent to a user', '/node/1?_format=json', 'reader', 200],
    ['the refusal of a node to a user', '/node/2?_format=json', 'reader', 403],
    ['a user account', '/user/1?_format=json', 'admin', 200],
    ['a file sent to a user', FILE, 'reader', 200],
  ])('does not let scripts read %s', async (_what, path, as, status) => {
    const response = await repository.get(path, as, { Origin: VIEWER });
    expect({ status: response.status, cors: corsOf(response) }).toEqual({ status, cors: {} });
    expect(response.headers.get('vary')).toContain('Authorization');
    expect(response.headers.get('vary')).toContain('Cookie');
  });

  it('sends CORS headers to anonymous callers only', async () => {
    const path = '/node/1?_format=json';
    for (const as of [undefined, 'reader', undefined, 'reader'])
      expect(corsOf(await repository.get(path, as))).toEqual(as === undefined ? OPEN : {});
  });

  it('allows scripts to follow a redirect and an alias', async () => {
    const redirect = {
      type: [{ value: 'redirect' }],
      redirect_source: [{ path: 'old' }],
      redirect_redirect: [{ uri: 'internal:/node/1' }],
      status_code: [{ value: 301 }],
    };
    expect((await repository.post('/entity/redirect?_format=json', redirect, 'admin')).status).toBe(201);
    await repository.node({ path: [{ alias: '/named' }] });
    for (const [path, status] of [
      ['/old', 301],
      ['/named', 200],
    ] as const) {
      const response = await repository.get(path);
      expect({ status: response.status, cors: corsOf(response) }).toEqual({ status, cors: OPEN });
      const headers = { 'Access-Control-Request-Method': 'GET', Origin: VIEWER };
      const preflight = await repository.fetch(path, { method: 'OPTIONS', headers });
      expect(preflight.status).toBe(status === 200 ? 204 : 404);
    }
  });

  it('sends no CORS headers with the response to a write', async () => {
    const response = await repository.post('/node', { type: 'page', title: ['x'] }, undefined, { Origin: VIEWER });
    expect({ status: response.status, cors: corsOf(response) }).toEqual({ status: 401, cors: {} });
    const login = await repository.fetch('/user/login?_format=json', { method: 'POST', body: '{}' });
    expect(corsOf(login)).toEqual({});
  });

  it.each(['/node/1', FILE, '/openapi.json', '/node/2'])('allows reading in a preflight for %s', async (path) => {
    const response = await repository.fetch(path, {
      method: 'OPTIONS',
      headers: { Origin: VIEWER, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'range' },
    });
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' });
    expect(corsOf(response)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringMatching(/\bAccept, .*\bIf-None-Match, .*\bRange\b/),
      'access-control-max-age': '86400',
    });
    expect(response.headers.get('vary')).toContain('Origin');
    expect(response.headers.get('allow')).toStartWith('GET');
  });

  it('allows neither writes nor credentials in a preflight', async () => {
    const response = await repository.fetch('/node', {
      method: 'OPTIONS',
      headers: { Origin: VIEWER, 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(response.headers.get('access-control-allow-headers')).not.toContain('Authorization');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('answers an OPTIONS request that is no preflight as usual', async () => {
    const response = await repository.fetch('/node/1', { method: 'OPTIONS', headers: { Origin: VIEWER } });
    expect(response.status).toBe(200);
    expect(response.headers.get('allow')).toBe('GET, PATCH, DELETE');
  });
});

describe('a repository with configured origins', () => {
  let repository: TestRepository;
  beforeAll(async () => {
    repository = await createTestRepository({
      cors: { origins: [VIEWER, 'http://localhost:3000'], methods: ['GET', 'HEAD', 'POST'], credentials: true },
    });
    await fill(repository);
  });
  afterAll(() => repository.stop());

  const GRANTED = {
    'access-control-allow-origin': VIEWER,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
  };

  it('allows their scripts to read content visible to a user, and errors', async () => {
    for (const [path, as, status] of [
      ['/node/2?_format=json', 'admin', 200],
      ['/node/2?_format=json', undefined, 401],
      ['/node/1?_format=json', undefined, 200],
      [FILE, 'reader', 200],
    ] as const) {
      const response = await repository.get(path, as, { Origin: VIEWER });
      expect({ status: response.status, cors: corsOf(response) }).toEqual({ status, cors: GRANTED });
      expect(response.headers.get('vary')).toContain('Origin');
    }
  });

  it('allows only the configured methods', async () => {
    const preflight = (method: string, origin = VIEWER) =>
      repository.fetch('/node/1', {
        method: 'OPTIONS',
        headers: { Origin: origin, 'Access-Control-Request-Method': method },
      });
    const allowed = await preflight('POST');
    expect(corsOf(allowed)).toMatchObject({
      'access-control-allow-origin': VIEWER,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    });
    expect((await preflight('DELETE')).headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(
      (await preflight('POST', 'https://viewer.example.org.evil')).headers.get('access-control-allow-methods'),
    ).toBe('GET, HEAD');
    const created = await repository.post('/node', { type: 'page', title: ['x'] }, 'admin', { Origin: VIEWER });
    expect({ status: created.status, cors: corsOf(created) }).toEqual({ status: 201, cors: GRANTED });
    const removed = await repository.delete('/node/3?_format=json', 'admin', { Origin: VIEWER });
    expect({ status: removed.status, cors: corsOf(removed) }).toEqual({ status: 204, cors: {} });
  });

  it('allows other sites to read public content, and sends Vary to caches', async () => {
    for (const headers of [{ Origin: 'https://other.example' }, { Origin: 'null' }, {}]) {
      const open = await repository.get('/node/1?_format=json', undefined, headers);
      expect(corsOf(open)).toEqual(OPEN);
      expect(open.headers.get('vary')?.split(', ').sort()).toEqual([
        'Accept-Encoding',
        'Authorization',
        'Cookie',
        'JWT-Authorization',
        'Origin',
      ]);
      expect(corsOf(await repository.get('/node/1?_format=json', 'admin', headers))).toEqual({});
    }
  });
});

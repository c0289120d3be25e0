import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const body = (path: string, uri: string, more: object = {}) => ({
  type: [{ value: 'redirect' }],
  redirect_source: [{ path }],
  redirect_redirect: [{ uri }],
  status_code: [{ value: 301 }],
  ...more,
});
const post = (fields: object, as: string | undefined = 'loader') =>
  repository.post('/entity/redirect?_format=json', fields, as);
const lead = async (path: string, uri: string, more: object = {}, as = 'admin') => {
  const response = await post(body(path, uri, more), as);
  expect({ status: response.status, problem: response.ok ? '' : await response.clone().text() }).toEqual({
    status: 201,
    problem: '',
  });
  return (await response.json()) as EntityJson;
};
const follow = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
  const response = await repository.fetch(path, { method, headers });
  expect(response.status === 404 || (await response.text()) === '').toBe(true);
  return [response.status, response.headers.get('Location')?.replace(repository.url, '') ?? null];
};
const refusal = async (response: Response) => [response.status, ((await response.json()) as EntityJson).message];
const invalid = (line: string) => [422, `Unprocessable Entity: validation failed.\n${line}\n`];

describe('POST /entity/redirect', () => {
  it('redirects an old address to a new one', async () => {
    expect((await repository.fetch('/old/path', { method: 'HEAD' })).status).toBe(404);
    const response = await post(body('old/path', 'internal:/node/1'));
    expect(response.status).toBe(201);
    const redirect = (await response.json()) as EntityJson;
    const uid = expect.objectContaining({ target_id: expect.any(Number), target_type: 'user' });
    expect(redirect).toEqual({
      rid: [{ value: expect.any(Number) }],
      uuid: [{ value: expect.any(String) }],
      type: [{ value: 'redirect' }],
      uid: [uid],
      redirect_source: [{ path: 'old/path', query: null }],
      redirect_redirect: [{ uri: 'internal:/node/1', title: null, options: [] }],
      language: [{ value: 'en' }],
      status_code: [{ value: 301 }],
      created: [{ value: expect.stringMatching(/\+00:00$/), format: expect.any(String) }],
    });
    const address = `/entity/redirect/${redirect.rid[0].value}`;
    expect(response.headers.get('Location')).toBe(repository.url + address);
    expect(await (await repository.get(`${address}?_format=json`, 'loader')).json()).toEqual(redirect);
    expect((await repository.fetch(address, { method: 'HEAD', as: 'loader' })).status).toBe(200);
    const got = await repository.get('/old/path');
    expect(got.status).toBe(301);
    expect(got.headers.get('Location')).toBe(`${repository.url}/node/1`);
    expect(await follow('/old/path', 'HEAD')).toEqual([301, '/node/1']);
    expect((await repository.delete(address, 'loader')).status).toBe(204);
    expect(await follow('/old/path')).toEqual([404, null]);
    expect((await repository.get(address, 'loader')).status).toBe(404);
    expect((await repository.delete(address, 'loader')).status).toBe(404);
  });

  it('is the only method of the address', async () => {
    for (const method of ['HEAD', 'GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await repository.fetch('/entity/redirect?_format=json', { method, as: 'loader' });
      expect({ method, status: response.status, allow: response.headers.get('Allow') }).toEqual({
        method,
        status: 405,
        allow: 'POST',
      });
    }
  });

  it.each([
    ['internal:/node/1?a=1#top', '/node/1?a=1#top'],
    ['/letters/größe', '/letters/gr%C3%B6%C3%9Fe'],
    ['entity:node/1', '/node/1'],
    ['entity:taxonomy_term/3', '/taxonomy/term/3'],
    ['internal:/', '/'],
    ['internal:/..//example.org', '//example.org'],
    ['https://example.org/a%20b?c=d#e', 'https://example.org/a%20b?c=d#e'],
    ['http://EXAMPLE.org', 'http://example.org/'],
  ])('creates a redirect to %s', async (uri, location) => {
    const source = `leads/${Bun.randomUUIDv7()}`;
    await lead(source, uri);
    expect(await follow(`/${source}`)).toEqual([301, location]);
  });

  it('creates a redirect to the host of the request', async () => {
    await lead('which/host', 'internal:/node/1');
    const port = new URL(repository.url).port;
    const response = await repository.fetch('/which/host', { headers: { Host: `localhost:${port}` } });
    expect(response.headers.get('Location')).toBe(`http://localhost:${port}/node/1`);
  });

  it.each([301, 302, 303, 307, 308])('creates a redirect with status %d', async (status) => {
    await lead(`status/${status}`, '/node/1', { status_code: [{ value: String(status) }] });
    expect(await follow(`/status/${status}`)).toEqual([status, '/node/1']);
  });

  it.each([
    'javascript:alert(1)',
    'ftp://example.org/',
    '//example.org',
    'internal://example.org',
    'data:text/html,x',
    'internal:/\\example.org',
    'https:/\\example.org',
    'https://user:pw@example.org/',
    'https://',
    'node/1',
    'http://example.org/a b',
    'https://example.org/\r\nSet-Cookie: a=b',
    'internal:/a\tb',
    'entity:node/x',
    'entity:file/1',
    'route:<front>',
    `https://example.org/${'x'.repeat(2048)}`,
  ])('refuses the target %s', async (uri) => {
    expect(await refusal(await post(body('refused', uri)))).toEqual(
      invalid(`redirect_redirect.0.uri: The path '${uri.slice(0, 100)}' is invalid.`),
    );
  });

  it.each<[string, object, string]>([
    ['no source', { redirect_source: [] }, 'redirect_source: This value should not be null.'],
    ['no target', { redirect_redirect: null }, 'redirect_redirect: This value should not be null.'],
    [
      'the front page',
      { redirect_source: [{ path: '/' }] },
      'redirect_source.0.path: It is not allowed to create a redirect from the front page.',
    ],
    [
      'an address of the API',
      { redirect_source: [{ path: 'node/1' }] },
      'redirect_source.0.path: The source path "/node/1" is an address of the repository itself.',
    ],
    [
      'an encoded address of the API',
      { redirect_source: [{ path: '/Node%2F1/' }] },
      'redirect_source.0.path: The source path "/node/1" is an address of the repository itself.',
    ],
    [
      'its own address',
      { redirect_source: [{ path: 'entity/redirect' }] },
      'redirect_source.0.path: The source path "/entity/redirect" is an address of the repository itself.',
    ],
    [
      'another host',
      { redirect_source: [{ path: 'https://example.org/x' }] },
      'redirect_source.0.path: The source must be a path of this site, without scheme and host.',
    ],
    [
      'a fragment',
      { redirect_source: [{ path: 'x#y' }] },
      'redirect_source.0.path: The anchor fragments are not allowed.',
    ],
    [
      'NUL',
      { redirect_source: [{ path: 'x%00y' }] },
      'redirect_source.0.path: The character U+0000 cannot be stored. Remove it.',
    ],
    [
      'too long a path',
      { redirect_source: [{ path: 'x'.repeat(2049) }] },
      'redirect_source.0.path: This may not be longer than 2048 characters.',
    ],
    [
      'a path that is mostly slashes',
      { redirect_source: [{ path: `x${'/'.repeat(3_000_000)}x` }] },
      'redirect_source.0.path: This may not be longer than 2048 characters.',
    ],
    [
      'a nested query',
      { redirect_source: [{ path: 'x', query: { a: { b: 1 } } }] },
      'redirect_source.0.query: This must be an object whose values are texts.',
    ],
    [
      'too long a query',
      { redirect_source: [{ path: 'x', query: { a: 'x'.repeat(2048) } }] },
      'redirect_source.0.query: This may not be longer than 2048 characters.',
    ],
    [
      'another status',
      { status_code: [{ value: 200 }] },
      'status_code.0: This must be one of 301, 302, 303, 307, 308.',
    ],
    [
      'a status of letters',
      { status_code: ['x'] },
      'status_code.0.value: This value should be of the correct primitive type.',
    ],
    ['an unknown language', { language: ['xx'] }, 'language.0: The value you selected is not a valid choice.'],
    [
      'a title that is not text',
      { redirect_redirect: [{ uri: '/x/y', title: 5 }] },
      'redirect_redirect.0.title: This must be text of at most 255 characters.',
    ],
  ])('refuses %s', async (_name, fields, line) => {
    expect(await refusal(await post(body('refused', '/node/1', fields)))).toEqual(invalid(line));
  });

  it('refuses unknown members, and other types', async () => {
    expect(await refusal(await post({ ...body('x', '/node/1'), statuscode: [] }))).toEqual([
      422,
      'Field "statuscode" is unknown. Did you mean "status_code"?',
    ]);
    const other = await post({ ...body('x', '/node/1'), type: [{ value: 'other' }] });
    expect(await refusal(other)).toEqual([422, 'The "type" of a redirect must be "redirect".']);
  });

  it('requires a permission', async () => {
    expect((await repository.post('/entity/redirect', body('who', '/node/1'))).status).toBe(401);
    expect(await refusal(await post(body('who', '/node/1'), 'reader'))).toEqual([
      403,
      "The 'administer redirects' permission is required.",
    ]);
    const { rid } = await lead('who/1', '/node/1');
    expect((await repository.get(`/entity/redirect/${rid[0].value}`, 'reader')).status).toBe(403);
    expect((await repository.delete(`/entity/redirect/${rid[0].value}`, 'reader')).status).toBe(403);
    expect((await repository.get(`/entity/redirect/${rid[0].value}`)).status).toBe(401);
  });

  it('accepts a source once', async () => {
    const race = await Promise.all(['once', '/Once/', 'ONCE', 'on%63e'].map((path) => post(body(path, '/node/1'))));
    expect(race.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    expect(await refusal(await post(body('once', '/node/2')))).toEqual(
      invalid('redirect_source.0.path: The source path once is already being redirected.'),
    );
  });
});

describe('a redirect', () => {
  it('is found in any case and encoding, with or without slashes at its ends', async () => {
    await lead('/Größe/A b/', '/node/1');
    for (const path of ['/gr%C3%B6%C3%9Fe/a%20b', '/GR%c3%96%C3%9FE/A%20B/', '/gro%CC%88%C3%9Fe/a%20b'])
      expect(await follow(path)).toEqual([301, '/node/1']);
    await lead('100%', '/node/2');
    expect(await follow('/100%25')).toEqual([301, '/node/2']);
  });

  it('passes the query on, except for parameters of its target', async () => {
    await lead('handed/on', 'internal:/node/1?a=own#top');
    expect(await follow('/handed/on?b=2&_format=json')).toEqual([301, '/node/1?a=own&b=2&_format=json#top']);
    expect(await follow('/handed/on?a=other')).toEqual([301, '/node/1?a=own#top']);
  });

  it('for one query takes precedence over one for any query', async () => {
    await lead('search.php', '/node/3');
    await lead('search.php?id=7&lang=en', '/node/7');
    await lead('search.php', '/node/8', { redirect_source: [{ path: 'search.php', query: { id: 8 } }] });
    expect(await follow('/search.php?lang=en&id=7')).toEqual([301, '/node/7']);
    expect(await follow('/search.php?id=8')).toEqual([301, '/node/8']);
    expect(await follow('/search.php?id=9')).toEqual([301, '/node/3?id=9']);
    expect(await follow('/search.php')).toEqual([301, '/node/3']);
  });

  it('for any query matches a very long query', async () => {
    await lead('any/query', '/node/1');
    const query = `?${'a&'.repeat(5_000)}b=1`;
    expect(await follow(`/any/query${query}`)).toEqual([301, `/node/1?${'a=&'.repeat(5_000)}b=1`]);
  });

  it('takes precedence over an alias for reading', async () => {
    const node = await repository.node({ path: [{ alias: '/both' }] });
    await lead('both', 'https://example.org/');
    expect(await follow('/both')).toEqual([301, 'https://example.org/']);
    const patch = await repository.patch('/both', { type: 'islandora_object', title: ['By alias'] }, 'admin');
    expect(patch.status).toBe(200);
    expect(((await patch.json()) as EntityJson).nid).toEqual(node.nid);
  });

  it('applies to GET and HEAD only', async () => {
    await lead('read/only', '/node/1');
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await repository.fetch('/read/only', { method, as: 'loader' })).status).toBe(404);
  });

  it.each(['/%ff', '/%00', `/${'a'.repeat(3000)}`, "/'%20OR%201=1--?a'=b", '/x?x=1&x=2', '/%'])(
    'that does not exist returns 404 or 405: %s',
    async (path) => {
      const { status } = await repository.get(path);
      expect([404, 405]).toContain(status);
    },
  );
});

describe('an endless redirect', () => {
  const LOOP = invalid('redirect_redirect.0.uri: This redirect would lead back to its source.');

  it('is refused if it leads to itself in any form', async () => {
    for (const uri of ['internal:/round', '/ROUND/', `${repository.url}/round`, '/round?x=1', '/%72ound#top'])
      expect({ uri, problem: await refusal(await post(body('round', uri))) }).toEqual({ uri, problem: LOOP });
    expect((await post(body('round?x=1', '/round'))).status).toBe(201);
    expect(await follow('/round?x=1')).toEqual([301, '/round']);
  });

  it('is refused if it leads back through others', async () => {
    await lead('chain/1', '/chain/2');
    await lead('chain/2', '/chain/3');
    expect(await refusal(await post(body('chain/3', '/chain/1')))).toEqual(LOOP);
    await lead('chain/3', '/node/1');
  });

  it('is refused if its chain is too long', async () => {
    for (let n = 1; n <= 20; n++) await lead(`long/${n}`, `/long/${n - 1}`);
    expect(await refusal(await post(body('long/21', '/long/20')))).toEqual(LOOP);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import {
  createMedia,
  expectRefusal,
  fileOf,
  pngHead,
  putToNode,
  rawHead,
  stock,
  storedFiles,
} from '../../support/binaries.ts';
import { speak } from '../../support/raw-http.ts';
import { USE } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const MAX_BYTES = 200_000;

let repository: TestRepository;
let node: EntityJson;
let path: string;
beforeAll(async () => {
  repository = await createTestRepository({ maxUploadBytes: MAX_BYTES });
  await repository.user('reader');
  await repository.user('loader', 'workbench_user');
  node = await repository.node();
  path = `/node/${node.nid[0].value}/media/image/${await repository.termId(USE.original)}`;
});
afterAll(() => repository.stop());

const PNG = { 'Content-Type': 'image/png', 'Content-Location': 'public://never.png' };
const digest = (text: string, algorithm: 'sha256' | 'sha512' = 'sha256') =>
  new Bun.CryptoHasher(algorithm).update(text).digest('base64');

describe('the order of checks of a PUT to a node', () => {
  // Each row has every error of the rows below it, too.
  const steps: [
    string,
    (term: number) => [path: string, as: string | undefined, Record<string, string>],
    number,
    string,
  ][] = [
    [
      'an unknown node',
      () => ['/node/999999/media/nonsense/999999', undefined, {}],
      404,
      'Node 999999 does not exist.',
    ],
    [
      'an unknown media type',
      () => [path.replace('image', 'nonsense'), undefined, {}],
      404,
      'Media type "nonsense" does not exist.',
    ],
    [
      'an unknown term',
      () => [path.replace(/\d+$/, '999999'), undefined, {}],
      404,
      'Taxonomy term 999999 does not exist.',
    ],
    ['an anonymous caller', () => [path, undefined, {}], 401, 'No authentication credentials provided.'],
    ['a caller without permission', () => [path, 'reader', {}], 403, ''],
    ['a caller who may not change this node', () => [path, 'loader', {}], 403, ''],
    ['no Content-Type', () => [path, 'admin', { 'Content-Type': '' }], 400, 'Missing Content-Type header'],
    [
      'no Content-Location',
      () => [path.replace('image', 'remote_video'), 'admin', { 'Content-Type': 'x/y' }],
      400,
      'Missing Content-Location header',
    ],
    [
      'a type without source',
      () => [
        path.replace('image', 'remote_video'),
        'admin',
        { 'Content-Type': 'x/y', 'Content-Location': 'public://a' },
      ],
      404,
      'Source field not set for remote_video media',
    ],
    [
      'a wrong extension',
      () => [path, 'admin', { 'Content-Type': 'x/y', 'Content-Location': 'public://a', 'Content-Digest': 'x' }],
      400,
      'Invalid file extension.  Valid types are png gif jpg jpeg webp avif',
    ],
    [
      'an invalid digest',
      () => [path, 'admin', { ...PNG, 'Content-Digest': 'x' }],
      400,
      'The "Content-Digest" header must be a list such as sha-256=:BASE64:.',
    ],
    [
      'an empty body',
      () => [path, 'admin', { ...PNG }],
      400,
      'The body is empty: nothing was stored at public://never.png.',
    ],
  ];
  it.each(steps)('reports %s before later errors', async (_, request, status, message) => {
    const [at, as, headers] = request(0);
    await expectRefusal(repository, () => repository.put(at, new Uint8Array(0), headers, as), status, message);
  });

  it('sends a WWW-Authenticate challenge to anonymous callers', async () => {
    const response = await repository.put(path, 'x', PNG);
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="Repository"');
  });

  it('requires Content-Type', async () => {
    const answer = await speak(Number(new URL(repository.url).port), [
      rawHead('PUT', path, { 'Content-Location': 'public://a.png', 'Content-Length': '1' }),
      'x',
    ]);
    expect(answer.text).toStartWith('HTTP/1.1 400');
    expect(answer.text).toEndWith('{"message":"Missing Content-Type header"}');
  });

  it.each(['image', '/png', 'image/', 'a b/c', `image/${'x'.repeat(300)}`])(
    'refuses the Content-Type %p',
    async (type) => {
      const headers = { 'Content-Type': type, 'Content-Location': 'public://a.png' };
      await expectRefusal(repository, () => repository.put(path, 'x', headers, 'admin'), 400, /must be a MIME type/);
    },
  );

  it.each(['GET', 'POST', 'PATCH', 'DELETE'])('returns 405 for %s', async (method) => {
    const response = await repository.fetch(path, { method, as: 'admin' });
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'PUT' });
  });
});

describe('Content-Location', () => {
  const traversal = 'Content-Location must not contain path traversal segments';
  const noWrapper = /^Content-Location must be a valid stream wrapper URI/;
  const noName = 'Content-Location must include a filename';
  it.each([
    ['blank', ' ', 'Missing Content-Location header'],
    ['a name only', 'a.png', noWrapper],
    ['a path', '/etc/a.png', noWrapper],
    ['an unknown scheme', 'gopher://a.png', noWrapper],
    ['a web address', 'https://example.org/a.png', noWrapper],
    ['a file address', 'file:///etc/a.png', noWrapper],
    ['one slash', 'public:/a.png', noWrapper],
    ['the scheme only', 'public://', noName],
    ['a folder', 'public://a/', noName],
    ['a parent folder', 'public://../a.png', traversal],
    ['a parent folder in between', 'public://a/../../a.png', traversal],
    ['a dot', 'public://./a.png', traversal],
    ['a parent folder at the end', 'public://a/..', traversal],
    ['an empty segment', 'public://a//b.png', traversal],
    ['an absolute path', 'public:///etc/a.png', traversal],
    ['a backslash', 'public://..\\a.png', traversal],
    ['a backslash in a name', 'public://a\\b.png', traversal],
    ['a C1 control', 'public://a\u0085.png', 'Invalid Content-Location header'],
    [
      'too many characters',
      `public://${'a'.repeat(243)}.png`,
      'Content-Location must not be longer than 255 characters',
    ],
    ['no extension', 'public://png', 'Invalid file extension.  Valid types are png gif jpg jpeg webp avif'],
    ['a dangerous extension', 'public://a.php', 'Invalid file extension.  Valid types are png gif jpg jpeg webp avif'],
    [
      'a dangerous extension after an allowed one',
      'public://a.png.php',
      'Invalid file extension.  Valid types are png gif jpg jpeg webp avif',
    ],
    [
      'an extension with a blank',
      'public://a.png .',
      'Invalid file extension.  Valid types are png gif jpg jpeg webp avif',
    ],
  ])('is refused: %s', async (_, uri, message) => {
    await expectRefusal(repository, () => putToNode(repository, { node, uri, body: pngHead(1, 1) }), 400, message);
  });

  it('with NUL stores nothing', async () => {
    const before = await stock(repository);
    const head = rawHead('PUT', path, { ...PNG, 'Content-Location': 'public://a\0.png', 'Content-Length': '1' });
    const { text } = await speak(Number(new URL(repository.url).port), [head, 'x']);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(await stock(repository)).toEqual(before);
  });

  it.each([
    ['blanks', 'public://my pictures/a b.png', '/sites/default/files/my%20pictures/a%20b.png'],
    ['percent', 'public://100%/a%20b.png', '/sites/default/files/100%25/a%2520b.png'],
    ['plus, hash and question mark', 'public://a+b#c?d.png', '/sites/default/files/a%2Bb%23c%3Fd.png'],
    ['quotes', `public://"it's".png`, `/sites/default/files/%22it's%22.png`],
    ['dots that are no parent folder', 'public://.../a..b.png', '/sites/default/files/.../a..b.png'],
    ['an extension in capitals', 'public://A.PNG', '/sites/default/files/A.PNG'],
    ['a folder of the fedora scheme', 'fedora://x/a.png', '/_flysystem/fedora/x/a.png'],
    ['the private scheme', 'private://x/a.png', '/system/files/x/a.png'],
    ['255 characters', `public://${'a'.repeat(242)}.png`, `/sites/default/files/${'a'.repeat(242)}.png`],
  ])('may have %s', async (_, uri, url) => {
    const item = await repository.node();
    const body = pngHead(7, 7, uri);
    const media = await createMedia(repository, { node: item, uri, body });
    const fetched = await repository.get(url, 'admin');
    expect(fetched.status).toBe(200);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(body)).toBe(true);
    expect((await fileOf(repository, media)).uri[0].value).toBe(uri);
  });

  it('is read as UTF-8 and normalized', async () => {
    const item = await repository.node();
    const uri = 'public://Cafe\u0301 日本.png';
    const header = Buffer.from(uri).toString('latin1');
    expect((await putToNode(repository, { node: item, uri: header, body: 'x' })).status).toBe(201);
    for (const url of ['Café 日本.png', 'Cafe\u0301 日本.png'])
      expect((await repository.get(`/sites/default/files/${encodeURIComponent(url)}`)).status).toBe(200);
  });
});

describe('the body of a PUT', () => {
  const put = (body: Bun.BodyInit, headers: Record<string, string> = {}) =>
    repository.put(path, body, { ...PNG, ...headers }, 'admin');
  const wrong = `sha-256=:${digest('another')}:`;
  const short = `sha-256=:${Buffer.from('short').toString('base64')}:`;

  it.each([
    ['Content-Digest', wrong, /Content-Digest is sha-256=/],
    ['Repr-Digest', wrong, /Repr-Digest is sha-256=/],
    ['Content-Digest', `sha-512=:x:, ${wrong}`, /Content-Digest is sha-256=|must be a list/],
    ['Content-Digest', 'sha-256=abc', /must be a list/],
    ['Repr-Digest', 'sha-256=:!:', /must be a list/],
    ['Repr-Digest', short, /must be 32 bytes long, found 5/],
  ])('is refused with %s: %s', async (name, value, message) => {
    await expectRefusal(repository, () => put('hello', { [name]: value }), 400, message);
  });

  it('is accepted with correct digests, or digests of other algorithms', async () => {
    const item = await repository.node();
    const send = (headers: Record<string, string>) =>
      putToNode(repository, { node: item, uri: 'public://right.png', body: 'hello', headers });
    const right = `sha-256=:${digest('hello')}:`;
    expect((await send({ 'Content-Digest': right, 'Repr-Digest': `sha-512=:${digest('x', 'sha512')}:` })).status).toBe(
      201,
    );
    expect((await send({ 'Repr-Digest': right })).status).toBe(204);
    const before = await stock(repository);
    expect((await send({ 'Repr-Digest': wrong })).status).toBe(400);
    expect(await stock(repository)).toEqual(before);
  });

  it('is refused when it is larger than allowed, declared or not', async () => {
    const message = `The file is larger than the maximum of ${MAX_BYTES} bytes.`;
    await expectRefusal(repository, () => put(new Uint8Array(MAX_BYTES + 1)), 413, message);
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await setImmediate();
        controller.enqueue(new Uint8Array(50_000));
      },
    });
    const before = await stock(repository);
    const response = await put(endless).catch((error: Error) => error);
    // A client that keeps sending may lose the connection before it reads the response.
    if (response instanceof Response) expect(response.status).toBe(413);
    expect(await settled(before)).toEqual(before);
    expect((await put(new Uint8Array(MAX_BYTES).fill(1))).status).toBe(201);
  });

  it.each([
    ['empty and chunked', [{ 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'], 400],
    ['shorter than declared', [{ 'Content-Length': '100' }, 'abc', 'half-close'], 0],
    ['interrupted in the middle', [{ 'Content-Length': '100' }, 'abc', 50, 'destroy'], 0],
    ['interrupted in a chunk', [{ 'Transfer-Encoding': 'chunked' }, 'ff\r\nabc', 50, 'destroy'], 0],
    ['in invalid chunks', [{ 'Transfer-Encoding': 'chunked' }, 'zz\r\nabc\r\n0\r\n\r\n'], 400],
    ['of an invalid length', [{ 'Content-Length': 'abc' }, 'abc'], 400],
    ['of a negative length', [{ 'Content-Length': '-1' }, 'abc'], 400],
    ['of two lengths', [{ 'Content-Length': '3, 4' }, 'abc'], 400],
  ] as [string, [Record<string, string>, ...(string | number)[]], number][])(
    'stores nothing if it is %s',
    async (_, [headers, ...steps], status) => {
      const item = await repository.node();
      const at = path.replace(/node\/\d+/, `node/${item.nid[0].value}`);
      const before = await stock(repository);
      const port = Number(new URL(repository.url).port);
      const { text } = await speak(port, [rawHead('PUT', at, { ...PNG, ...headers }), ...steps]);
      if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
      if (status !== 0) expect(text).toStartWith(`HTTP/1.1 ${status}`);
      expect(await settled(before)).toEqual(before);
      expect(repository.failures()).toEqual([]);
    },
  );

  it('stores nothing when fifty clients disconnect at once', async () => {
    const before = await stock(repository);
    const port = Number(new URL(repository.url).port);
    const head = rawHead('PUT', path, { ...PNG, 'Content-Length': '150000' });
    const vanish = (index: number) => speak(port, [head, 'x'.repeat(1000 * index), index * 3, 'destroy']);
    await Promise.all(Array.from({ length: 50 }, (_, index) => vanish(index)));
    expect(await settled(before)).toEqual(before);
    expect(repository.failures()).toEqual([]);
  });
});

/** Returns the stock once it has as many files as expected. */
async function settled(expected: Awaited<ReturnType<typeof stock>>) {
  await until(async () => (await storedFiles(repository)).length === expected.files.length);
  return stock(repository);
}

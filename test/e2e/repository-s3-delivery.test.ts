import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, readJson, uploadFile } from '../support/binaries.ts';
import type { SeenRequest } from '../support/s3-fault.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { createS3Repository, fileIn, headerText, s3Scheme, schemesAnd } from '../support/s3-site.ts';
import { createProcessorWithin, createTestProcessor } from '../support/test-processor.ts';
import { basic, createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';

const TEXT = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET = 'a-secret-of-the-bucket';

let server: S3Server;
let repository: TestRepository;
let media: EntityJson;
let path: string;
beforeAll(async () => {
  server = await startS3Server();
  server.keys.set('KEYID', SECRET);
  const keys = { accessKeyId: 'KEYID', secretAccessKey: SECRET, sessionToken: undefined };
  const config = { ...server.config, credentials: { from: 'configuration', keys } as const };
  repository = await createS3Repository(config, { delivery: 'redirect' });
  await repository.user('reader');
  ({ media, path } = await put('s3://folder/a "b" ü.txt', TEXT, 'text/plain'));
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  expect(JSON.stringify(repository.log)).not.toContain(SECRET);
  await repository.stop();
  await server.close();
});

async function put(uri: string, body: string, contentType: string, status = true) {
  const node = await repository.node({ status: [status] });
  const made = await createMedia(repository, { node, type: 'file', uri: headerText(uri), body, contentType });
  return { media: made, path: fileIn(made, 'field_media_file').path };
}

const get = (headers: Record<string, string> = {}, as: string | undefined = 'admin') =>
  repository.get(path, as, headers);
const isDownload = ({ method, key }: SeenRequest) => method === 'GET' && key !== '';

async function locationOf(response: Response): Promise<URL> {
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 307, text: '' });
  return new URL(response.headers.get('location') as string);
}

describe('a download that redirects to the bucket', () => {
  it('has an address for a minute if strangers may not read the file', async () => {
    const lifetime = async (file: string) =>
      (await locationOf(await repository.get(file, 'admin'))).searchParams.get('X-Amz-Expires');
    expect(await lifetime(path)).toBe('300');
    const node = await repository.node({ access_rule: [{ preset: 'only_description' }] });
    const text = { uri: headerText('s3://closed.txt'), body: TEXT, contentType: 'text/plain' };
    const closed = fileIn(await createMedia(repository, { node, type: 'file', ...text }), 'field_media_file').path;
    expect(await lifetime(closed)).toBe('60');
    expect((await repository.get(closed)).status).toBe(401);
  });

  it('needs no credentials there, and has its type and name', async () => {
    const location = await locationOf(await get());
    expect(location.origin).toBe(server.endpoint);
    expect((await locationOf(await repository.get(path))).pathname).toBe(location.pathname);
    const response = await fetch(location);
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: TEXT });
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('content-length')).toBe('36');
    expect(response.headers.get('content-disposition')).toBe(
      `inline; filename="a \\"b\\" ?.txt"; filename*=UTF-8''a%20%22b%22%20%C3%BC.txt`,
    );
  });

  it.each([
    ['bytes=0-0', '0'],
    ['bytes=10-19', 'abcdefghij'],
    ['bytes=33-', 'xyz'],
  ])('returns the range %s from there', async (range, text) => {
    const location = await locationOf(await get({ Range: range }));
    const response = await fetch(location, { headers: { Range: range } });
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 206, text });
  });

  it('is followed by HTTP clients, with Range and without credentials', async () => {
    const response = await repository.fetch(path, { as: 'admin', redirect: 'follow', headers: { Range: 'bytes=5-6' } });
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 206, text: '56' });
    expect(server.requests.findLast(isDownload)?.headers.authorization).toBeUndefined();
  });

  it('is valid for at most five minutes, and contains no secret', async () => {
    const location = await locationOf(await get());
    expect(Number(location.searchParams.get('X-Amz-Expires'))).toBeWithin(1, 301);
    expect(location.href).not.toContain(SECRET);
    location.searchParams.set('X-Amz-Expires', '3000');
    expect((await fetch(location)).status).toBe(403);
  });

  it('must not be cached', async () => {
    const response = await get();
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('vary')).toContain('Authorization');
  });

  it.each([
    ['text/html', 's3://active/page.zip'],
    ['image/svg+xml', 's3://active/drawing.zip'],
    ['text/xml', 's3://active/data.xml'],
  ])('is an attachment for %s', async (type, uri) => {
    const { path } = await put(uri, '<p>x</p>', type);
    const response = await fetch(await locationOf(await repository.get(path, 'admin')));
    expect(response.headers.get('content-disposition')).toStartWith('attachment; filename=');
    expect(response.headers.get('content-type')).toBe(type);
  });

  it('works right after a restart', async () => {
    await repository.restart();
    expect(await (await fetch(await locationOf(await get()))).text()).toBe(TEXT);
  });
});

describe('the repository', () => {
  const etag = `"${new Bun.CryptoHasher('sha256').update(TEXT).digest('hex')}"`;

  it.each([
    [304, { 'If-None-Match': etag }],
    [412, { 'If-Match': '"other"' }],
    [416, { Range: 'bytes=36-' }],
  ])('returns %s without a redirect', async (status, headers) => {
    const response = await get(headers as unknown as Record<string, string>);
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({ status, location: null });
  });

  it.each([
    ['If-Match', etag],
    ['If-Unmodified-Since', new Date(Date.now() + 60_000).toUTCString()],
  ])('answers requests with %s itself', async (name, value) => {
    const response = await get({ [name]: value, Range: 'bytes=0-1' });
    expect({
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
    }).toEqual({ status: 206, location: null, text: '01' });
  });

  it('returns 401, 403 and 404 without a redirect', async () => {
    const hidden = await put('s3://hidden.txt', TEXT, 'text/plain', false);
    const nobody = await repository.get(hidden.path);
    expect({ status: nobody.status, location: nobody.headers.get('location') }).toEqual({
      status: 401,
      location: null,
    });
    const reader = await repository.get(hidden.path, 'reader');
    expect({ status: reader.status, location: reader.headers.get('location') }).toEqual({
      status: 403,
      location: null,
    });
    const { uri } = await uploadFile(repository, 'unused.txt', 'x', { type: 'file', field: 'field_media_file' });
    const moved = await repository.get(uri[0].url, 'reader');
    expect({ status: moved.status, location: moved.headers.get('location') }).toEqual({ status: 403, location: null });
    const lost = await repository.get('/_flysystem/s3/lost.txt', 'admin');
    expect({ status: lost.status, location: lost.headers.get('location') }).toEqual({ status: 404, location: null });
  });

  it('answers HEAD without a redirect', async () => {
    const response = await repository.fetch(path, { method: 'HEAD', as: 'admin' });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag,
      'content-length': '36',
      'content-type': 'text/plain',
      'accept-ranges': 'bytes',
    });
    expect(response.headers.get('location')).toBeNull();
  });

  it('names its own addresses in records, links and pages', async () => {
    const own = `${repository.url}${path}`;
    expect((await readJson(repository, `/media/${media.mid[0].value}`)).field_media_file[0].url).toBe(own);
    const nid = media.field_media_of[0].target_id;
    const node = await repository.get(`/node/${nid}?_format=json`, 'admin');
    const linkset = await repository.get(`/node/${nid}/linkset`, 'admin');
    const page = await repository.get(`/media/${media.mid[0].value}`, 'admin', { Accept: 'text/html' });
    for (const text of [node.headers.get('link') ?? '', await linkset.text(), await page.text()]) {
      expect(text).toContain(path);
      expect(text).not.toContain(server.endpoint);
      expect(text).not.toContain('X-Amz');
    }
  });
});

describe('a processor', () => {
  const upper = 'allowedMimeTypes: ["*"]\ncmdByMimeType: { text/plain: { cmd: tr, args: [a-z, A-Z] } }\n';
  const authorization = { Authorization: basic('admin') };

  it('in the same process follows the redirect to the bucket without credentials', async () => {
    const own = {
      isOwn: (url: URL) => url.href.startsWith(repository.url),
      answer: (request: Request) => fetch(request, { redirect: 'manual' }),
    };
    const processor = await createProcessorWithin(
      `forwardAuth: true\nallowedSources: ["http://x.invalid/"]\n${upper}`,
      own,
    );
    const { response } = await processor.get(`${repository.url}${path}`, authorization);
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: TEXT.toUpperCase() });
    expect(server.requests.findLast(isDownload)?.headers.authorization).toBeUndefined();
    await processor.stop();
  });

  it('elsewhere follows the redirect only to an allowed source, without credentials', async () => {
    const sources = `allowedSources: ["${repository.url}/", "${server.endpoint}/"]`;
    const processor = await createTestProcessor(`forwardAuth: true\n${sources}\n${upper}`);
    const response = await processor.get(`${repository.url}${path}`, authorization);
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: TEXT.toUpperCase() });
    expect(server.requests.findLast(isDownload)?.headers.authorization).toBeUndefined();
    await processor.reload(`forwardAuth: true\nallowedSources: ["${repository.url}/"]\n${upper}`);
    const refused = await processor.get(`${repository.url}${path}`, authorization);
    expect({ status: refused.status, text: await refused.text() }).toEqual({
      status: 424,
      text: 'The source file redirects to an address that is not allowed.\n',
    });
    await processor.stop();
  });
});

describe('a public scheme in the bucket', () => {
  it('redirects every caller who may view the file, without caching', async () => {
    const config = { ...server.config, prefix: 'public/' };
    const open = await createTestRepository({
      schemes: schemesAnd(s3Scheme(config, { name: 'public', delivery: 'redirect' })),
    });
    const node = await open.node();
    await createMedia(open, { node, type: 'file', uri: 'public://a.txt', body: TEXT, contentType: 'text/plain' });
    const response = await open.get('/sites/default/files/a.txt');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(await (await fetch(await locationOf(response))).text()).toBe(TEXT);
    const body = { type: 'islandora_object', status: [{ value: false }] };
    expect((await open.patch(`/node/${node.nid[0].value}?_format=json`, body, 'admin')).status).toBe(200);
    for (const method of ['GET', 'HEAD']) {
      const refused = await open.fetch('/sites/default/files/a.txt', { method });
      expect({ status: refused.status, location: refused.headers.get('location') }).toEqual({
        status: 401,
        location: null,
      });
    }
    expect((await open.get('/sites/default/files/a.txt', 'admin')).status).toBe(307);
    const icon = await open.fetch('/sites/default/files/media-icons/generic.png', { redirect: 'follow' });
    expect({ status: icon.status, type: icon.headers.get('content-type') }).toEqual({ status: 200, type: 'image/png' });
    await open.stop();
  });
});

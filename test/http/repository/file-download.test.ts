import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createMedia,
  fileOf,
  pngHead,
  putToNode,
  rawHead,
  readJson,
  settledFiles,
  storedFiles,
} from '../../support/binaries.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const SCHEMES = ['public', 'private', 'fedora'];
const TEXT = '0123456789abcdefghijklmnopqrstuvwxyz';

let repository: TestRepository;
const urls = new Map<string, string>();
const nodes = new Map<string, number>();
beforeAll(async () => {
  repository = await createTestRepository();
  for (const scheme of SCHEMES) {
    const node = await repository.node();
    nodes.set(scheme, node.nid[0].value);
    const media = await createMedia(repository, {
      node,
      type: 'document',
      uri: `${scheme}://folder/plain.txt`,
      body: TEXT,
      contentType: 'text/plain',
    });
    urls.set(scheme, (await fileOf(repository, media, 'field_media_document')).uri[0].url);
  }
});
afterAll(() => repository.stop());

const get = (scheme: string, headers: Record<string, string> = {}) =>
  repository.get(urls.get(scheme) as string, 'admin', headers);
const head = (scheme: string, headers: Record<string, string> = {}) =>
  repository.fetch(urls.get(scheme) as string, { method: 'HEAD', as: 'admin', headers });
const digest = new Bun.CryptoHasher('sha256').update(TEXT).digest();

describe.each(SCHEMES)('a file of the scheme %s', (scheme) => {
  it('is sent with its type, size, name, digests and date', async () => {
    const response = await get(scheme);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(TEXT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '36',
      'content-disposition': 'inline; filename=plain.txt',
      'accept-ranges': 'bytes',
      etag: `"${digest.toString('hex')}"`,
      'repr-digest': `sha-256=:${digest.toString('base64')}:`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, no-cache',
    });
    expect(Math.abs(Date.parse(response.headers.get('last-modified') as string) - Date.now())).toBeLessThan(60_000);
  });

  it('is kept by shared caches only while anonymous callers may read it', async () => {
    const publish = async (status: boolean) => {
      const body = { type: 'islandora_object', status: [status] };
      expect((await repository.patch(`/node/${nodes.get(scheme)}`, body, 'admin')).status).toBe(200);
    };
    const heads = async () =>
      Promise.all([get(scheme), head(scheme)].map(async (each) => (await each).headers.get('cache-control')));
    await publish(false);
    expect(await heads()).toEqual(['private, no-cache', 'private, no-cache']);
    expect((await repository.get(urls.get(scheme) as string)).status).toBe(401);
    await publish(true);
    expect(await heads()).toEqual(['public, no-cache', 'public, no-cache']);
    expect((await repository.get(urls.get(scheme) as string)).status).toBe(200);
  });

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/36'],
    ['bytes=10-', TEXT.slice(10), 'bytes 10-35/36'],
    ['bytes=-6', 'uvwxyz', 'bytes 30-35/36'],
    ['bytes=30-1000', 'uvwxyz', 'bytes 30-35/36'],
    ['bytes=-1000', TEXT, 'bytes 0-35/36'],
  ])('is sent in part for %s', async (range, text, contentRange) => {
    const response = await get(scheme, { Range: range });
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 206, body: text });
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(response.headers.get('etag')).toBe(`"${digest.toString('hex')}"`);
  });

  it.each(['bytes=36-', 'bytes=100-200', 'bytes=-0'])('returns 416 for %s', async (range) => {
    const response = await get(scheme, { Range: range });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */36');
    expect(await response.json()).toEqual({ message: 'The range lies outside the file.' });
  });

  it.each(['bytes=5-2', 'bytes=a-b', 'items=0-1', 'bytes=', 'bytes=-', 'bytes=0-1,5-6', 'bytes'])(
    'is sent whole for %s',
    async (range) => {
      const response = await get(scheme, { Range: range });
      expect({
        status: response.status,
        body: await response.text(),
        contentRange: response.headers.get('content-range'),
      }).toEqual({ status: 200, body: TEXT, contentRange: null });
    },
  );

  it('honours If-Range', async () => {
    const first = await get(scheme);
    const [etag, date] = ['etag', 'last-modified'].map((name) => first.headers.get(name) as string);
    const part = async (value: string) => {
      const response = await get(scheme, { Range: 'bytes=1-2', 'If-Range': value });
      return [response.status, await response.text()];
    };
    expect(await part(etag as string)).toEqual([206, '12']);
    expect(await part('"another"')).toEqual([200, TEXT]);
    expect(await part(`W/${etag}`)).toEqual([200, TEXT]);
    expect(await part('Mon, 01 Jan 2001 00:00:00 GMT')).toEqual([200, TEXT]);
    await until(() => Date.now() > Date.parse(date as string) + 2000);
    expect(await part(date as string)).toEqual([206, '12']);
  });

  it('honours conditional headers', async () => {
    const first = await get(scheme);
    const [etag, date] = ['etag', 'last-modified'].map((name) => first.headers.get(name) as string) as [string, string];
    const conditions: [Record<string, string>, number][] = [
      [{ 'If-None-Match': etag }, 304],
      [{ 'If-None-Match': `W/${etag}, "x"` }, 304],
      [{ 'If-None-Match': '*' }, 304],
      [{ 'If-None-Match': '"x"' }, 200],
      [{ 'If-Modified-Since': date }, 304],
      [{ 'If-Modified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 200],
      [{ 'If-Modified-Since': 'nonsense' }, 200],
      [{ 'If-Match': etag }, 200],
      [{ 'If-Match': '"x"' }, 412],
      [{ 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 412],
      [{ 'If-None-Match': etag, Range: 'bytes=0-1' }, 304],
    ];
    for (const [headers, status] of conditions) {
      const response = await get(scheme, headers);
      expect({ headers, status: response.status }).toEqual({ headers, status });
      if (status === 304)
        expect({ etag: response.headers.get('etag'), body: await response.text() }).toEqual({ etag, body: '' });
      if (status === 304) expect(response.headers.has('content-length')).toBe(false);
      const headOnly = await head(scheme, headers);
      expect({ headers, status: headOnly.status }).toEqual({ headers, status });
    }
  });

  it.each([{}, { Range: 'bytes=2-4' }, { Range: 'bytes=100-' }])(
    'answers HEAD like GET without a body: %p',
    async (headers) => {
      const [got, asked] = [
        await get(scheme, headers as Record<string, string>),
        await head(scheme, headers as Record<string, string>),
      ];
      expect(asked.status).toBe(got.status);
      expect(await asked.text()).toBe('');
      const comparable = ({ headers: all }: Response) => {
        const { date: _, ...rest } = Object.fromEntries(all);
        return rest;
      };
      expect(comparable(asked)).toEqual(comparable(got));
    },
  );

  it('returns 405 for a write', async () => {
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      const response = await repository.fetch(urls.get(scheme) as string, { method, as: 'admin', body: 'x' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    }
  });
});

describe('an empty file', () => {
  it('is sent without bytes, with or without a range', async () => {
    const upload = await repository.fetch('/file/upload/media/file/field_media_file?_format=json', {
      method: 'POST',
      as: 'admin',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="empty.txt"' },
    });
    const { url } = ((await upload.json()) as EntityJson).uri[0];
    for (const headers of [{}, { Range: 'bytes=0-' }]) {
      const response = await repository.get(url, 'admin', headers as Record<string, string>);
      expect({
        status: response.status,
        body: await response.text(),
        contentLength: response.headers.get('content-length'),
      }).toEqual({ status: 200, body: '', contentLength: '0' });
    }
  });
});

describe('a file that a browser could run', () => {
  const attack = '<script>alert(document.domain)</script>';
  it.each([
    ['text/html', 'a.txt'],
    ['image/svg+xml', 'b.xml'],
    ['application/xhtml+xml', 'c.xml'],
    ['text/xml', 'd.xml'],
    ['application/xml', 'e.xml'],
    ['application/rss+xml', 'f.xml'],
    ['text/javascript', 'g.txt'],
    ['TEXT/HTML; charset=utf-8', 'h.txt'],
    ['multipart/x-mixed-replace', 'i.txt'],
    ['application/x-shockwave-flash', 'j.txt'],
  ])('is sent as a sandboxed attachment with nosniff: %s', async (contentType, name) => {
    const node = await repository.node();
    const uri = `public://active/${name}`;
    expect((await putToNode(repository, { node, type: 'file', uri, body: attack, contentType })).status).toBe(201);
    const response = await repository.get(`/sites/default/files/active/${name}`);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
    expect(response.headers.get('content-security-policy')).toStartWith("sandbox; default-src 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-type')).toBe(contentType.toLowerCase().split(';')[0] as string);
    expect(await response.text()).toBe(attack);
  });
});

describe('a file name', () => {
  it.each([
    ['with quotes', 'public://q"uo\'te;x=".png', `inline; filename="q\\"uo'te;x=\\".png"`],
    [
      'with percent',
      'public://a%0d%0aSet-Cookie: x.png',
      `inline; filename="a%0d%0aSet-Cookie: x.png"; filename*=UTF-8''a%250d%250aSet-Cookie%3A%20x.png`,
    ],
    ['in another script', 'public://日本.png', `inline; filename="??.png"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.png`],
    ['with a direction override', 'public://gnp\u202efdp.png', 'inline; filename=gnpfdp.png'],
  ])('cannot inject headers: %s', async (_, uri, disposition) => {
    const node = await repository.node();
    const header = Buffer.from(uri).toString('latin1');
    const media = await createMedia(repository, { node, uri: header, body: pngHead(1, 1) });
    const response = await repository.get((await fileOf(repository, media)).uri[0].url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe(disposition);
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('an address outside the files', () => {
  it.each([
    '/sites/default/files/../../../repository.db',
    '/sites/default/files/%2e%2e/%2e%2e/repository.db',
    '/sites/default/files/..%2f..%2frepository.db',
    '/sites/default/files/%252e%252e%252frepository.db',
    '/sites/default/files/..%5c..%5crepository.db',
    '/sites/default/files/..\\..\\repository.db',
    '/sites/default/files//etc/passwd',
    '/sites/default/files/%2fetc%2fpasswd',
    '/sites/default/files/folder/plain.txt%00.png',
    '/sites/default/files/%00',
    '/sites/default/files/%',
    '/sites/default/files/%ff%fe',
    '/sites/default/files/%c0%ae%c0%ae/repository.db',
    '/sites/default/files/',
    '/sites/default/files/folder',
    '/sites/default/files/folder/',
    '/sites/default/files/folder/./plain.txt/x',
    '/sites/default/files/C:\\windows\\win.ini',
    '/system/files/../../keys/private.pem',
    '/system/files/%2e%2e%2f%2e%2e%2fkeys',
    '/_flysystem/fedora/%2e%2e/%2e%2e/repository.db',
    '/_flysystem/%2e%2e/x',
    '/_flysystem/nonsense/x.txt',
    '/_flysystem/file/etc/passwd',
    '/_flysystem/public:%2f%2ffolder/plain.txt',
    '/_flysystem/fedora',
    '/_flysystem/fedora/',
  ])('returns 400 or 404: %s', async (path) => {
    const answer = await speak(Number(new URL(repository.url).port), [rawHead('GET', path, { Connection: 'close' })]);
    expect(answer.text).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer.text).not.toContain('SQLite format');
    expect(answer.text).not.toContain(repository.dataFolder);
    expect(answer.text).not.toContain('root:');
    expect(answer.text.includes(TEXT)).toBe(false);
    expect(repository.failures()).toEqual([]);
  });

  it('finds no file of another scheme', async () => {
    expect((await repository.get('/sites/default/files/only.png', 'admin')).status).toBe(404);
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'private://only.png',
      body: 'x',
    });
    expect((await fileOf(repository, media)).uri[0].url).toBe('/system/files/only.png');
    expect((await repository.get('/sites/default/files/only.png', 'admin')).status).toBe(404);
    expect((await repository.get('/_flysystem/fedora/only.png', 'admin')).status).toBe(404);
  });
});

describe('a symbolic link in the data folder', () => {
  it('is not followed in place of a stored object', async () => {
    const outside = join(repository.dataFolder, 'outside.txt');
    await writeFile(outside, 'o'.repeat(36));
    const node = await repository.node();
    const before = await settledFiles(repository);
    const media = await createMedia(repository, { node, uri: 'public://planted.png', body: 'p'.repeat(36) });
    const [object] = (await storedFiles(repository)).filter((path) => !before.includes(path)) as [string];
    await rm(object);
    await symlink(outside, object);
    const { url } = (await fileOf(repository, media)).uri[0];
    const response = await repository.get(url, 'admin');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: 'The content of this file is temporarily unavailable.' });
    expect(repository.failures().at(-1)).toMatchObject({ status: 500, path: url });
    expect((await putToNode(repository, { node, uri: undefined, body: 'new' })).status).toBe(204);
    expect(await (await repository.get(url)).text()).toBe('new');
    await settledFiles(repository);
    expect(await Bun.file(outside).text()).toBe('o'.repeat(36));
    expect((await readJson(repository, `/media/${media.mid[0].value}`)).field_file_size).toEqual([{ value: 3 }]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filePath } from '../../src/paths.ts';
import { madeBytes, sha256 } from '../contract/made-bytes.ts';
import { countRows, createMedia, fileOf, pngHead, putToNode, readJson, uploadFile } from '../support/binaries.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import {
  createS3Repository,
  fileIn,
  headerText,
  keysInRows,
  openTestBucket,
  type TestBucket,
} from '../support/s3-site.ts';
import { USE } from '../support/site-builder.ts';
import type { EntityJson, TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
/** Images go to the bucket unless someone says otherwise, and so do uploads of documents. */
const MODEL = `
media_types:
  image: { fields: { field_media_image: { uri_scheme: s3 } } }
  document: { fields: { field_media_document: { uri_scheme: s3 } } }
`;

let bucket: TestBucket;
let repository: TestRepository;
beforeAll(async () => {
  bucket = await openTestBucket();
  const modelFile = join(await emptyFolder(), 'model.yaml');
  await writeFile(modelFile, MODEL);
  repository = await createS3Repository(bucket.config, {}, { modelFile });
  await repository.user('reader');
});
afterAll(async () => {
  await goneAreGone();
  expect(repository.failures()).toEqual([]);
  expect(await bucket.holdings()).toEqual(await keysInRows(repository));
  await repository.stop();
  await bucket.close();
});

const goneAreGone = () => until(async () => (await countRows(repository, 'discarded_object')) === 0);
const plain = { type: 'file', contentType: 'application/octet-stream' };
const get = (path: string, headers: Record<string, string> = {}) => repository.get(path, 'admin', headers);

async function put(
  uri: string,
  body: Uint8Array<ArrayBuffer>,
  status = true,
): Promise<{ media: EntityJson; path: string }> {
  const node = await repository.node({ status: [status] });
  const media = await createMedia(repository, { node, ...plain, uri: headerText(uri), body });
  return { media, path: fileIn(media, 'field_media_file').path };
}

/** As long as an address may be: 255 characters in all. */
const longName = `${'ä'.repeat(230)}-%41+.tif`;

describe('a file in the bucket', () => {
  it.each([
    ['blanks, umlauts, % and +', 's3://letters/a b ü%+.tif'],
    ['percent-encoded characters', 's3://100%/a%20b%2Fc.tif'],
    ['other scripts', 's3://手紙/шрифт 🗎.tif'],
    ['the longest name', `s3://long/${longName}`],
  ])('is stored under its name: %s', async (_, uri) => {
    const body = madeBytes(5_000);
    const before = await bucket.holdings();
    const { media, path } = await put(uri, body);
    expect(path).toBe(filePath(uri));
    expect(path).toStartWith('/_flysystem/s3/');
    const file = await fileOf(repository, media, 'field_media_file');
    expect(file.uri).toEqual([{ value: uri, url: path }]);
    expect(file.filesize).toEqual([{ value: 5_000 }]);
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(sha256(await response.bytes())).toBe(sha256(body));
    expect((await bucket.holdings()).length).toBe(before.length + 1);
  });

  it('is sent whole and in ranges when it is large', async () => {
    const body = madeBytes(30 * MIB + 7);
    const { path } = await put('s3://large.zip', body);
    const response = await get(path);
    expect(sha256(await response.bytes())).toBe(sha256(body));
    const part = await get(path, { Range: `bytes=${16 * MIB - 3}-${16 * MIB + 4}` });
    expect(part.status).toBe(206);
    expect(await part.bytes()).toEqual(body.slice(16 * MIB - 3, 16 * MIB + 5));
  }, 20_000);

  it('is returned only to callers who may view its media', async () => {
    const { path } = await put('s3://seen.zip', madeBytes(10));
    for (const as of [undefined, 'reader']) expect((await repository.get(path, as)).status).toBe(200);
    const hidden = await put('s3://hidden.zip', madeBytes(10), false);
    expect((await repository.get(hidden.path)).status).toBe(401);
    expect((await repository.get(hidden.path, 'reader')).status).toBe(403);
    expect((await get(hidden.path)).headers.get('cache-control')).toBe('private, no-cache');
    const unused = (await uploadFile(repository, 'unused.png', 'x')).uri[0].url;
    expect((await repository.get(unused, 'reader')).status).toBe(403);
    expect((await get(unused)).status).toBe(200);
  });
});

describe('a download from the bucket', () => {
  const body = madeBytes(3 * MIB);
  const hash = new Bun.CryptoHasher('sha256').update(body).digest();
  let path: string;
  beforeAll(async () => {
    ({ path } = await put('s3://download.zip', body));
  });

  it('has a type, an ETag and a digest, also with HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await repository.fetch(path, { method, as: 'admin' });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'accept-ranges': 'bytes',
        'cache-control': 'public, no-cache',
        etag: `"${hash.toString('hex')}"`,
        'repr-digest': `sha-256=:${hash.toString('base64')}:`,
      });
      // What is streamed comes in chunks, which tell its end.
      expect(response.headers.get('content-length')).toBe(method === 'HEAD' ? String(body.byteLength) : null);
      expect((await response.bytes()).byteLength).toBe(method === 'GET' ? body.byteLength : 0);
    }
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=1000-2000', 1000, 2000],
    ['bytes=-5', 3 * MIB - 5, 3 * MIB - 1],
    [`bytes=${MIB}-`, MIB, 3 * MIB - 1],
  ])('returns the range %s', async (range, first, last) => {
    const response = await get(path, { Range: range });
    expect({ status: response.status, range: response.headers.get('content-range') }).toEqual({
      status: 206,
      range: `bytes ${first}-${last}/${body.byteLength}`,
    });
    expect(sha256(await response.bytes())).toBe(sha256(body.slice(first, last + 1)));
  });

  it('returns the range if If-Range matches, and the whole file otherwise', async () => {
    const etag = `"${hash.toString('hex')}"`;
    const same = await get(path, { Range: 'bytes=5-9', 'If-Range': etag });
    expect({ status: same.status, bytes: await same.bytes() }).toEqual({ status: 206, bytes: body.slice(5, 10) });
    const other = await get(path, { Range: 'bytes=5-9', 'If-Range': '"other"' });
    expect({ status: other.status, length: (await other.bytes()).byteLength }).toEqual({
      status: 200,
      length: body.byteLength,
    });
  });

  it.each([
    [304, { 'If-None-Match': `"${hash.toString('hex')}"` }],
    [412, { 'If-Match': '"other"' }],
    [416, { Range: `bytes=${3 * MIB}-` }],
  ])('returns %s without the content', async (status, headers) => {
    const response = await get(path, headers as unknown as Record<string, string>);
    expect(response.status).toBe(status);
    expect((await response.bytes()).byteLength).toBeLessThan(200);
  });

  it('succeeds after twenty cancelled ones', async () => {
    for (let count = 0; count < 20; count++) {
      const response = await get(path);
      await response.body?.cancel();
    }
    expect(sha256(await (await get(path)).bytes())).toBe(sha256(body));
  });
});

describe('a changed file in the bucket', () => {
  it('returns the new bytes at once, and its old object is removed', async () => {
    const node = await repository.node();
    const put = (body: string) => putToNode(repository, { node, ...plain, uri: 's3://changed.txt', body });
    const created = await put('first');
    const path = '/_flysystem/s3/changed.txt';
    const [etag, objects] = [(await get(path)).headers.get('etag'), await bucket.holdings()];
    expect({ first: created.status, second: (await put('second')).status }).toEqual({ first: 201, second: 204 });
    const after = await get(path);
    expect(await after.text()).toBe('second');
    expect(after.headers.get('etag')).not.toBe(etag);
    await goneAreGone();
    const now = await bucket.holdings();
    expect(now.length).toBe(objects.length);
    expect(now).not.toEqual(objects);
  });

  it('is removed from the bucket when it is deleted', async () => {
    const before = await bucket.holdings();
    const { media, path } = await put('s3://deleted.zip', madeBytes(10));
    const fid = fileIn(media, 'field_media_file').id;
    expect((await repository.delete(`/media/${media.mid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect((await repository.delete(`/entity/file/${fid}?_format=json`, 'admin')).status).toBe(204);
    expect((await get(path)).status).toBe(404);
    await goneAreGone();
    expect(await bucket.holdings()).toEqual(before);
  });

  it('keeps one of two concurrent uploads, and nothing of the other', async () => {
    const node = await repository.node();
    const bodies = [madeBytes(9 * MIB), madeBytes(9 * MIB + 1)];
    const options = { node, ...plain, uri: 's3://race.zip' };
    const statuses = await Promise.all(
      bodies.map(async (body) => (await putToNode(repository, { ...options, body })).status),
    );
    expect(statuses.toSorted()).toEqual([201, 204]);
    const found = sha256(await (await get('/_flysystem/s3/race.zip')).bytes());
    expect(bodies.map(sha256)).toContain(found);
    await goneAreGone();
    expect(await bucket.holdings()).toEqual(await keysInRows(repository));
  });
});

describe('a rejected upload', () => {
  it.each([
    [
      'with another checksum',
      { 'Repr-Digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` },
      /checksum|digest/i,
    ],
    ['to an unknown scheme', { 'Content-Location': 's4://a.zip' }, /\(.*, s3:\/\/\)/],
    ['to a path with ..', { 'Content-Location': 's3://../a.zip' }, /path traversal/],
  ])('%s leaves nothing', async (_, headers, message) => {
    const before = await bucket.holdings();
    const node = await repository.node();
    const body = madeBytes(9 * MIB);
    const response = await putToNode(repository, { node, ...plain, uri: 's3://refused.zip', body, headers });
    expect({ status: response.status, body: (await response.json()) as EntityJson }).toEqual({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
    expect(await bucket.holdings()).toEqual(before);
  });
});

describe('fields with files in the bucket', () => {
  it('accept an upload that a media then uses', async () => {
    const body = pngHead(31, 17);
    const file = await uploadFile(repository, 'a b.png', body);
    const month = new Date().toISOString().slice(0, 7);
    expect(file.uri).toEqual([{ value: `s3://${month}/a b.png`, url: `/_flysystem/s3/${month}/a%20b.png` }]);
    const made = await repository.post(
      '/entity/media?_format=json',
      { bundle: [{ target_id: 'image' }], field_media_image: [{ target_id: file.fid[0].value }] },
      'admin',
    );
    expect(made.status).toBe(201);
    expect((await made.json()) as EntityJson).toMatchObject({
      field_width: [{ value: 31 }],
      field_height: [{ value: 17 }],
    });
    expect(Buffer.compare(await (await get(file.uri[0].url)).bytes(), body)).toBe(0);
  });

  it('read the size of a picture from a header far from its start', async () => {
    const head = Buffer.from('ffd8', 'hex');
    const segment = Buffer.concat([Buffer.from('ffe1ffff', 'hex'), Buffer.alloc(0xfffd)]);
    const frame = Buffer.from('ffc0001108002a003703012200021101031101ffd9', 'hex');
    const body = Buffer.concat([head, ...Array<Buffer>(40).fill(segment), frame]);
    const node = await repository.node();
    const options = { node, uri: 's3://far.jpg', body, contentType: 'image/jpeg' };
    expect(await createMedia(repository, options)).toMatchObject({
      field_width: [{ value: 55 }],
      field_height: [{ value: 42 }],
    });
  });

  it('read the text of a media from its file in the bucket', async () => {
    const node = await repository.node();
    const options = { node, type: 'extracted_text', use: USE.service, contentType: 'text/plain' };
    const media = await createMedia(repository, { ...options, uri: 's3://ocr.txt', body: 'Sehr geehrte Frau Müller' });
    expect(media.field_edited_text[0].value).toBe('Sehr geehrte Frau Müller');
    expect(await readJson(repository, `/media/${media.mid[0].value}`)).toEqual(media);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, readlink, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { readTar } from '../../support/read-tar.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SERVICE = 'http://pcdm.org/use#ServiceFile';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const nid = (node: EntityJson): number => node.nid[0].value;

async function page(book: EntityJson, weight?: number, body: object = {}): Promise<EntityJson> {
  const field_weight = weight === undefined ? {} : { field_weight: [weight] };
  return repository.node({ field_member_of: [{ target_id: nid(book) }], ...field_weight, ...body });
}

let made = 0;
/** Puts a file to a node and returns the id of its media. */
async function put(
  node: EntityJson,
  bytes: string | Uint8Array<ArrayBuffer>,
  { type = 'image/jpeg', use = ORIGINAL, scheme = 'public', extension = 'jpg', media = 'image' } = {},
): Promise<number> {
  made += 1;
  const headers = { 'Content-Type': type, 'Content-Location': `${scheme}://pages/${made}.${extension}` };
  const path = `/node/${nid(node)}/media/${media}/${await repository.termId(use)}`;
  const response = await repository.put(path, bytes, headers, 'admin');
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return Number(response.headers.get('Location')?.split('/').at(-1));
}

/** As `admin` unless told otherwise; `null` is an anonymous caller. */
const fetchPages = (book: EntityJson, as: string | null = 'admin') =>
  repository.get(`/node/${nid(book)}/pages`, as ?? undefined);

async function pagesOf(book: EntityJson, as?: string | null): Promise<[string, string][]> {
  const response = await fetchPages(book, as);
  expect(response.status).toBe(200);
  return (await readTar(await response.bytes())).map(({ name, bytes }) => [
    name,
    Buffer.from(bytes).toString('latin1'),
  ]);
}

describe('the pages of a node', () => {
  it('are its members in order, as files named by position and node', async () => {
    const book = await repository.node();
    const [third, first, second, fourth] = [
      await page(book, 7),
      await page(book),
      await page(book, 2),
      await page(book, 7),
    ];
    for (const each of [fourth, third, second, first]) await put(each, `page of ${nid(each)}`);
    expect(await pagesOf(book)).toEqual(
      [first, second, third, fourth].map((each, at) => [`0000${at + 1}-${nid(each)}.jpg`, `page of ${nid(each)}`]),
    );
  });

  it('are sent as a named tar with private caching', async () => {
    const book = await repository.node();
    await put(await page(book), 'x');
    const response = await fetchPages(book);
    const names = ['Content-Type', 'Content-Disposition', 'Cache-Control', 'X-Content-Type-Options'];
    expect(names.map((name) => response.headers.get(name))).toEqual([
      'application/x-tar',
      `inline; filename=pages-${nid(book)}.tar`,
      'private, no-cache',
      'nosniff',
    ]);
    expect((await response.bytes()).byteLength).toBe(512 + 512 + 1024);
  });

  it('keep their bytes at any length', async () => {
    const book = await repository.node();
    const lengths = [1, 511, 512, 513, 70_000, 3_000_000];
    const sent: Uint8Array<ArrayBuffer>[] = [];
    for (const [at, length] of lengths.entries()) {
      sent.push(crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536))));
      if (length > 65_536) sent[at] = new Uint8Array(length).map((_, index) => (index * 31 + length) % 251);
      await put(await page(book), sent[at] as Uint8Array<ArrayBuffer>);
    }
    const found = await readTar(await (await fetchPages(book)).bytes());
    expect(found.map(({ bytes }) => Bun.SHA256.hash(bytes, 'hex'))).toEqual(
      sent.map((bytes) => Bun.SHA256.hash(bytes, 'hex')),
    );
  });

  it('are Service Files, or else Original Files of a supported image type', async () => {
    const book = await repository.node();
    const both = await page(book);
    await put(both, 'original', { type: 'image/tiff', extension: 'tif', media: 'file' });
    await put(both, 'service', { use: SERVICE });
    const noImage = await page(book);
    await put(noImage, 'scan', { type: 'image/tiff', extension: 'tif', media: 'file' });
    await put(noImage, 'sound', { type: 'audio/mpeg', extension: 'mp3', use: SERVICE, media: 'audio' });
    await page(book);
    await put(await page(book), 'a text', { type: 'text/plain', extension: 'txt', media: 'file' });
    await put(await page(book), 'a drawing', { type: 'image/svg+xml', use: SERVICE });
    await put(await page(book), 'a drawing', { type: 'image/svg+xml' });
    await put(await page(book), 'a thumbnail', { use: 'http://pcdm.org/use#ThumbnailImage' });
    expect(await pagesOf(book)).toEqual([
      [`00001-${nid(both)}.jpg`, 'service'],
      [`00002-${nid(noImage)}.tif`, 'scan'],
    ]);
  });

  it('contain a page once, with the older of two files', async () => {
    const book = await repository.node();
    const twice = await page(book, 1, { field_member_of: [{ target_id: nid(book) }, { target_id: nid(book) }] });
    await put(twice, 'older');
    await put(twice, 'newer', { type: 'image/tiff', extension: 'tif', media: 'file' });
    expect(await pagesOf(book)).toEqual([[`00001-${nid(twice)}.jpg`, 'older']]);
  });

  it('are an empty archive if none exist', async () => {
    const book = await repository.node();
    const response = await fetchPages(book);
    expect({ status: response.status, body: await response.bytes() }).toEqual({
      status: 200,
      body: new Uint8Array(1024),
    });
  });

  it('may be more than one batch', async () => {
    const book = await repository.node();
    const ids: number[] = [];
    for (let count = 0; count < 230; count += 10)
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const each = await page(book);
          ids.push(nid(each));
          await put(each, `${nid(each)}`);
        }),
      );
    const expected = ids.toSorted((a, b) => a - b).map(String);
    expect((await pagesOf(book)).map(([, text]) => text)).toEqual(expected);
  });
});

describe('a request for the pages of a node', () => {
  it('gets 404 for a missing node, with the message of the API', async () => {
    for (const [id, path] of [
      ['999999', '/node/999999/pages'],
      ['"x"', '/node/x/pages'],
    ] as const) {
      const response = await repository.get(path, 'admin');
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 404,
        body: { message: `Node ${id} does not exist.` },
      });
    }
  });

  it('requires access to the node', async () => {
    const hidden = await repository.node({ status: [false] });
    expect((await repository.get(`/node/${nid(hidden)}/pages`)).status).toBe(401);
    expect((await fetchPages(hidden, 'reader')).status).toBe(403);
    expect((await fetchPages(hidden)).status).toBe(200);
  });

  it('gets only files that the caller may fetch', async () => {
    const book = await repository.node();
    await put(await page(book, 1, { status: [false] }), 'of a hidden page');
    const hiddenMedia = await page(book, 2);
    const mid = await put(hiddenMedia, 'hidden', { use: SERVICE });
    await put(hiddenMedia, 'shown', { type: 'image/tiff', extension: 'tif', media: 'file' });
    await repository.patch(`/media/${mid}`, { bundle: 'image', status: [false] }, 'admin');
    const inPrivate = await page(book, 3);
    await put(inPrivate, 'private', { scheme: 'private' });
    expect((await pagesOf(book)).map(([, text]) => text)).toEqual(['of a hidden page', 'hidden', 'private']);
    const shown: [string, string][] = [
      [`00001-${nid(hiddenMedia)}.tif`, 'shown'],
      [`00002-${nid(inPrivate)}.jpg`, 'private'],
    ];
    expect(await pagesOf(book, 'reader')).toEqual(shown);
    expect(await pagesOf(book, null)).toEqual(shown);
    // Once all of its pages are hidden, nothing of the book is left.
    for (const each of [hiddenMedia, inPrivate])
      await repository.patch(`/node/${nid(each)}`, { type: 'islandora_object', status: [false] }, 'admin');
    for (const as of ['reader', null]) expect(await pagesOf(book, as)).toEqual([]);
    expect((await pagesOf(book)).map(([, text]) => text)).toEqual(['of a hidden page', 'hidden', 'private']);
  });

  it('gets only headers for HEAD, and 405 for POST', async () => {
    const book = await repository.node();
    await put(await page(book), 'x');
    const path = `/node/${nid(book)}/pages`;
    const head = await repository.fetch(path, { method: 'HEAD', as: 'admin' });
    expect({ status: head.status, contentType: head.headers.get('content-type'), body: await head.text() }).toEqual({
      status: 200,
      contentType: 'application/x-tar',
      body: '',
    });
    const posted = await repository.post(path, {}, 'admin');
    expect({ status: posted.status, allow: posted.headers.get('Allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });
});

describe('a file that changes while the pages are read', () => {
  const big = new Uint8Array(24 * 1024 * 1024).fill(7);

  /** A book of three pages, and the rest of an answer of which the first page has begun. */
  async function begun() {
    const book = await repository.node();
    const pages = [await page(book), await page(book), await page(book)];
    const mids: number[] = [];
    for (const [at, each] of pages.entries()) mids.push(await put(each, at === 0 ? big : `page ${at + 1}`));
    const response = await fetchPages(book);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const chunks = [(await reader.read()).value as Uint8Array];
    const rest = async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return readTar(Buffer.concat(chunks));
        chunks.push(value);
      }
    };
    return { pages, mids, reader, rest };
  }

  it('is read in its new version if it was replaced', async () => {
    const { mids, rest } = await begun();
    const previous = await objectOf(mids[2] as number);
    const headers = { 'Content-Type': 'image/jpeg' };
    const replaced = await repository.put(`/media/${mids[2]}/source`, 'replaced meanwhile', headers, 'admin');
    expect(replaced.status).toBe(204);
    await until(() => !existsSync(previous));
    const found = await rest();
    expect(found.slice(1).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['page 2', 'replaced meanwhile']);
  });

  it.each([
    ['missing', (path: string) => rm(path)],
    ['truncated', (path: string) => truncate(path, 3)],
  ])('interrupts the response if it is %s', async (_what, spoil) => {
    const { mids, rest } = await begun();
    await spoil(await objectOf(mids[2] as number));
    await expect(rest()).rejects.toThrow();
    await until(() => repository.log.some(({ msg }) => msg === 'the download of page images was interrupted'));
    expect((await repository.get('/healthcheck')).status).toBe(200);
  });

  it('is closed when the client disconnects', async () => {
    const { reader } = await begun();
    await reader.cancel();
    const open = async () => {
      const names = await readdir('/proc/self/fd');
      const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
      return targets.filter((target) => target.startsWith(repository.dataFolder) && !/\.db/.test(target));
    };
    await until(async () => (await open()).length === 0);
  });

  /** Returns the path of the file of a media. */
  async function objectOf(mid: number): Promise<string> {
    const { rows } = await repository.running.services.database.client.execute({
      sql: "SELECT f.storage_key FROM reference r JOIN file f ON f.id = r.target_id WHERE r.source_type = 'media' AND r.source_id = ? AND r.target_type = 'file'",
      args: [mid],
    });
    const key = String(rows[0]?.[0]);
    for (const name of await readdir(repository.dataFolder, { recursive: true }))
      if (name.endsWith(key)) return join(repository.dataFolder, name);
    throw new Error(`no object ${key}`);
  }
});

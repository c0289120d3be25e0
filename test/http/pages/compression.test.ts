import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { brotliDecompressSync, zstdDecompressSync } from 'node:zlib';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const CODINGS = ['br', 'zstd', 'gzip'] as const;
const DECODED = {
  br: (bytes: Uint8Array) => brotliDecompressSync(bytes).toString(),
  zstd: (bytes: Uint8Array) => zstdDecompressSync(bytes).toString(),
  gzip: (bytes: Uint8Array<ArrayBuffer>) => Buffer.from(Bun.gunzipSync(bytes)).toString(),
};
const LONG = 'A description of a photograph of the harbour. '.repeat(200);

let repository: TestRepository;
let node: number;
beforeAll(async () => {
  repository = await createTestRepository();
  ({
    nid: [{ value: node }],
  } = (await repository.node({ field_description: [{ value: LONG }] })) as {
    nid: [{ value: number }];
  });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Sends a request without decoding its response. */
const ask = (path: string, accepted: string | undefined, headers: Record<string, string> = {}, method = 'GET') =>
  repository.fetch(path, {
    method,
    as: 'admin',
    headers: {
      ...(accepted === undefined ? { 'Accept-Encoding': 'identity' } : { 'Accept-Encoding': accepted }),
      ...headers,
    },
    decompress: false,
  } as RequestInit);
const json = () => `/node/${node}?_format=json`;
const etagOf = (response: Response) => response.headers.get('ETag') ?? '';
const codingOf = (response: Response) => response.headers.get('Content-Encoding');

describe('a response', () => {
  it.each(CODINGS)('is compressed with %s, and is the same text', async (coding) => {
    for (const path of [json(), `/node/${node}?_format=jsonld`, `/node/${node}?_format=html`, '/openapi.json']) {
      const [plain, compressed] = await Promise.all([ask(path, undefined), ask(path, coding)]);
      expect({ path, plainCoding: codingOf(plain), compressedCoding: codingOf(compressed) }).toEqual({
        path,
        plainCoding: null,
        compressedCoding: coding,
      });
      const bytes = new Uint8Array(await compressed.arrayBuffer());
      const text = await plain.text();
      expect(DECODED[coding](bytes)).toBe(text);
      expect(bytes.byteLength).toBeLessThan(text.length / 2);
      expect(etagOf(compressed)).toBe(etagOf(plain).replace(/"$/, `-${coding}"`));
    }
  });

  it.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['br;q=1, zstd;q=0.5', 'br'],
    ['gzip;q=0.2, identity;q=0.9', null],
    ['*', 'zstd'],
    ['zstd;q=0, *', 'br'],
    ['deflate', null],
    ['', null],
    ['x"y,;;', null],
  ])('is encoded according to Accept-Encoding: %s', async (accepted, coding) => {
    expect(codingOf(await ask(json(), accepted))).toBe(coding);
  });

  it('names Accept-Encoding in Vary, beside the others', async () => {
    for (const accepted of [undefined, 'br'])
      expect((await ask(json(), accepted)).headers.get('Vary')).toBe(
        'Authorization, JWT-Authorization, Cookie, Accept-Encoding',
      );
  });

  it('is not compressed if it is small, an image or without a body', async () => {
    for (const path of ['/node/999999?_format=json', '/healthcheck', '/sites/default/files/media-icons/generic.png']) {
      const response = await ask(path, 'br, gzip');
      expect({ path, coding: codingOf(response) }).toEqual({ path, coding: null });
      expect(response.headers.get('Vary') ?? '').not.toContain('Accept-Encoding');
    }
    const created = await repository.fetch(`/node/${node}?_format=json`, { method: 'OPTIONS' });
    expect(codingOf(created)).toBeNull();
  });

  it('with a stored text is not compressed, and supports ranges', async () => {
    const term = await repository.termId('http://pcdm.org/use#ExtractedText');
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': 'public://long.txt' };
    await repository.put(`/node/${node}/media/extracted_text/${term}`, LONG, headers, 'admin');
    const path = '/sites/default/files/long.txt';
    const whole = await ask(path, 'br, gzip');
    expect({ status: whole.status, coding: codingOf(whole), body: await whole.text() }).toEqual({
      status: 200,
      coding: null,
      body: LONG,
    });
    const part = await ask(path, 'br', { Range: 'bytes=0-9', 'If-Range': etagOf(whole) });
    expect({ status: part.status, coding: codingOf(part), body: await part.text() }).toEqual({
      status: 206,
      coding: null,
      body: LONG.slice(0, 10),
    });
    const other = await ask(path, 'br', { Range: 'bytes=0-9', 'If-Range': etagOf(whole).replace(/"$/, '-br"') });
    expect({ status: other.status, length: (await other.text()).length }).toEqual({ status: 200, length: LONG.length });
  });

  it('to HEAD has the headers of GET', async () => {
    const [head, get] = [await ask(json(), 'br', {}, 'HEAD'), await ask(json(), 'br')];
    for (const name of ['ETag', 'Vary', 'Content-Encoding', 'Content-Length'])
      expect({ name, value: head.headers.get(name) }).toEqual({ name, value: get.headers.get(name) });
    expect(await head.text()).toBe('');
  });

  it('with a list is streamed, and complete', async () => {
    const path = `/node/${node}/members?_format=json`;
    const member = { field_member_of: [{ target_id: node }], field_description: [{ value: LONG }] };
    for (let at = 0; at < 120; at++) await repository.node(member);
    const [plain, compressed] = [await ask(path, undefined), await ask(path, 'br')];
    expect(codingOf(compressed)).toBe('br');
    expect(compressed.headers.get('Content-Length')).toBeNull();
    expect(DECODED.br(new Uint8Array(await compressed.arrayBuffer()))).toBe(await plain.text());
  });
});

describe('the ETag of a compressed response', () => {
  it.each(CODINGS)('with %s returns 304 to a client that has it', async (coding) => {
    const tag = etagOf(await ask(json(), coding));
    const same = await ask(json(), coding, { 'If-None-Match': `"other", ${tag}` });
    expect({ status: same.status, etag: etagOf(same), body: await same.text() }).toEqual({
      status: 304,
      etag: tag,
      body: '',
    });
    expect(same.headers.get('Vary')).toEndWith('Cookie, Accept-Encoding');
    expect((await ask(json(), undefined, { 'If-None-Match': tag })).status).toBe(200);
  });

  it('does not match other ETags', async () => {
    const plain = etagOf(await ask(json(), undefined));
    const same = await ask(json(), 'br', { 'If-None-Match': plain });
    expect({ status: same.status, etag: etagOf(same) }).toEqual({ status: 304, etag: plain });
    expect((await ask(json(), 'br', { 'If-None-Match': '"other-br"' })).status).toBe(200);
    expect((await ask(json(), 'br', { 'If-Match': '"other-br"' })).status).toBe(412);
  });

  it('is accepted by If-Match of a write, and outdated after it', async () => {
    const tag = etagOf(await ask(json(), 'br'));
    const change = { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Another title' }] };
    const first = await repository.patch(json(), change, 'admin', { 'If-Match': tag });
    expect(first.status).toBe(200);
    const second = await repository.patch(json(), change, 'admin', { 'If-Match': tag });
    expect(second.status).toBe(412);
  });

  it('is accepted by If-Match of a read, also of a file', async () => {
    const tag = etagOf(await ask(json(), 'zstd'));
    expect((await ask(json(), 'zstd', { 'If-Match': tag })).status).toBe(200);
    const file = '/entity/file/1?_format=json';
    const ofFile = etagOf(await ask(file, 'br'));
    expect((await ask(file, 'br', { 'If-Match': ofFile })).status).toBe(200);
  });
});

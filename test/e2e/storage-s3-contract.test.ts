import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { readdirSync } from 'node:fs';
import { fileHeaders } from '../../src/http/active-content.ts';
import { newKey } from '../../src/storage/key.ts';
import type { S3Config } from '../../src/storage/s3/config.ts';
import { bytesOf, madeBytes, streamOf } from '../contract/made-bytes.ts';
import { describeStorage } from '../contract/storage.ts';
import { describeRecovery } from '../contract/storage-recovery.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { namedBucket, openS3Store, type S3StoreOptions } from '../support/s3-store.ts';
import { serviceError } from '../support/service-error.ts';
import { until } from '../support/until.ts';

const named = namedBucket();
let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.close());

describeStorage('S3 storage', () => openS3Store(named ?? server.config));
describeRecovery('S3 storage', () => openS3Store(named ?? server.config), { manyObjects: 501 });

const AS_IMAGE = {
  contentType: 'image/png',
  contentDisposition: `inline; filename="a b+c.png"; filename*=UTF-8''%C3%A4.png`,
};
const far = () => new Date(Date.now() + 3_600_000);

describe('S3 storage on its server', () => {
  const opened: { close(): Promise<void> }[] = [];
  const open = async (change: Partial<S3Config> = {}, options: S3StoreOptions = {}) => {
    const store = await openS3Store({ ...server.config, ...change }, options);
    opened.push(store);
    return store;
  };
  beforeEach(() => {
    server.requests.length = 0;
  });
  afterEach(async () => {
    server.fault = undefined;
    server.pageSize = 1000;
    server.knowsUploads = true;
    for (const store of opened.splice(0)) await store.close();
  });

  it.each([
    ['blanks and quotes', ` a  b/it's "quoted"/`],
    ['URL characters', 'a+b/100%/%41?x=y&z#top/'],
    ['characters that signatures escape', "~(a)!*'/;:@=,$/"],
    ['other scripts', 'Bücher/文書/u\u0308/'],
    ['900 bytes', `${'long-'.repeat(35)}/`.repeat(6).slice(0, 900)],
  ])('works under a prefix of %s', async (_, prefix) => {
    const { storage, holdings } = await open({ prefix });
    const [small, large] = [newKey(), newKey()];
    await (await storage.put(small, streamOf(madeBytes(10)))).keep();
    await (await storage.put(large, streamOf(madeBytes(9_000_000)))).keep();
    expect(server.requests.filter(({ status = 0 }) => status >= 400 && status !== 404)).toEqual([]);
    expect(await bytesOf(await storage.read(small, { first: 2, last: 4 }))).toEqual(madeBytes(10).subarray(2, 5));
    expect(await storage.stat(large)).toEqual({ bytes: 9_000_000 });
    const listed = (await Array.fromAsync(storage.list())).map(({ key }) => key);
    expect(listed.toSorted()).toEqual([small, large].toSorted());
    const fetched = await fetch((await storage.presign?.(small, AS_IMAGE, 60)) ?? '');
    expect(await fetched.bytes()).toEqual(madeBytes(10));
    await storage.remove(small);
    await storage.remove(large);
    expect(await holdings()).toEqual([]);
  });

  it('puts the bucket into the host name if configured', async () => {
    const { storage } = await open({ endpoint: server.endpoint.replace('127.0.0.1', 'localhost'), pathStyle: false });
    const staged = await storage.put(newKey(), streamOf(madeBytes(9_000_000)));
    expect(await bytesOf(await storage.read(staged.key))).toEqual(madeBytes(9_000_000));
    expect(await Array.fromAsync(storage.list())).toHaveLength(1);
    const address = (await storage.presign?.(staged.key, AS_IMAGE, 60)) ?? '';
    expect(new URL(address).hostname).toBe('repository.localhost');
    expect((await (await fetch(address)).bytes()).byteLength).toBe(9_000_000);
    expect(new Set(server.requests.map(({ headers }) => headers.host?.split(':')[0]))).toEqual(
      new Set(['repository.localhost']),
    );
  });

  it('sends encryption and storage class with each object, not with its parts', async () => {
    const { storage } = await open({
      encryption: { algorithm: 'aws:kms', keyId: 'arn:aws:kms:eu:1:key/2' },
      storageClass: 'STANDARD_IA',
    });
    await storage.put(newKey(), streamOf(madeBytes(10)));
    await storage.put(newKey(), streamOf(madeBytes(9_000_000)));
    const sent = server.requests.map(({ method, query, headers }) => [
      `${method} ${[...query.keys()].join(' ')}`.trim(),
      headers['x-amz-server-side-encryption'],
      headers['x-amz-server-side-encryption-aws-kms-key-id'],
      headers['x-amz-storage-class'],
    ]);
    const all = ['aws:kms', 'arn:aws:kms:eu:1:key/2', 'STANDARD_IA'];
    const none = [undefined, undefined, undefined];
    expect(sent).toEqual([
      ['HEAD', ...none],
      ['PUT', ...all],
      ['HEAD', ...none],
      ['POST uploads', ...all],
      ['PUT partNumber uploadId', ...none],
      ['PUT partNumber uploadId', ...none],
      ['POST uploadId', ...none],
    ]);
  });

  it('encrypts the object of its check', async () => {
    const { storage } = await open({ encryption: { algorithm: 'AES256', keyId: undefined }, storageClass: 'GLACIER' });
    await storage.check();
    const written = server.requests.find(({ method }) => method === 'PUT');
    expect(written?.headers['x-amz-server-side-encryption']).toBe('AES256');
    expect(written?.headers['x-amz-storage-class']).toBeUndefined();
  });

  it('requests bytes without content encoding', async () => {
    const { storage } = await open();
    const { key } = await storage.put(newKey(), streamOf(madeBytes(10)));
    await bytesOf(await storage.read(key));
    expect(new Set(server.requests.map(({ headers }) => headers['accept-encoding']))).toEqual(new Set(['identity']));
  });

  it('presigns an address for five minutes with the name and type of the file', async () => {
    const { storage } = await open();
    const { key } = await storage.put(newKey(), streamOf(madeBytes(1000)));
    const address = (await storage.presign?.(key, AS_IMAGE, 60)) ?? '';
    const answer = await fetch(address, { headers: { range: 'bytes=10-19' } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-type')).toBe(AS_IMAGE.contentType);
    expect(answer.headers.get('content-disposition')).toBe(AS_IMAGE.contentDisposition);
    expect(await answer.bytes()).toEqual(madeBytes(1000).subarray(10, 20));
    expect(new URL(address).searchParams.get('X-Amz-Expires')).toBe('60');
    expect((await fetch(address.replace('image%2Fpng', 'text%2Fhtml'))).status).toBe(403);
  });

  it.each([
    ['under a long prefix', `${'ü'.repeat(100)}/`, 'a.png'],
    ['that is long and not in Latin letters', '', `${'文'.repeat(251)}.png`],
  ])('presigns an address for a name %s', async (_, prefix, name) => {
    const { storage } = await open({ prefix });
    const { key } = await storage.put(newKey(), streamOf(madeBytes(10)));
    const { 'Content-Disposition': contentDisposition = '' } = fileHeaders('image/png', name);
    const answer = await fetch((await storage.presign?.(key, { ...AS_IMAGE, contentDisposition }, 60)) ?? '');
    expect({ status: answer.status, contentDisposition: answer.headers.get('content-disposition') }).toEqual({
      status: 200,
      contentDisposition,
    });
    await expect(storage.presign?.('../x', AS_IMAGE, 60)).rejects.toThrow(serviceError('storage-failed', /found/));
  });

  it('lists its own objects page by page', async () => {
    const { storage } = await open();
    const keys = await Promise.all(
      Array.from({ length: 8 }, async () => (await storage.put(newKey(), streamOf(madeBytes(1)))).key),
    );
    const other = await open({ prefix: server.requests[0]?.key.slice(0, -35) ?? '' });
    await other.storage.put(newKey(), streamOf(madeBytes(1)));
    server.pageSize = 3;
    server.requests.length = 0;
    expect((await Array.fromAsync(storage.list())).map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    expect(server.requests).toHaveLength(3);
  });

  it('lists unfinished uploads page by page', async () => {
    const { storage, holdings } = await open();
    server.pageSize = 2;
    server.fault = ({ method, query }) => (method === 'PUT' && query.has('partNumber') ? { kind: 'hang' } : undefined);
    const abort = new AbortController();
    const puts = Array.from({ length: 5 }, () => storage.put(newKey(), streamOf(madeBytes(9_000_000)), abort.signal));
    const outcomes = Promise.allSettled(puts);
    await until(async () => (await Array.fromAsync(storage.listUnfinished(far()))).length === 5);
    abort.abort(new Error('enough'));
    await outcomes;
    expect(await holdings()).toEqual([]);
  });

  it('works with a server that cannot list unfinished uploads, and warns once', async () => {
    const warnings: string[] = [];
    const { storage, holdings } = await open({}, { warn: (message) => warnings.push(message) });
    server.knowsUploads = false;
    const failing = (async function* () {
      yield* streamOf(madeBytes(9_000_000));
      throw new Error('connection lost');
    })();
    await expect(storage.put(newKey(), failing)).rejects.toThrow('connection lost');
    expect(await Array.fromAsync(storage.listUnfinished(far()))).toEqual([]);
    expect(await Array.fromAsync(storage.listUnfinished(far()))).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('cannot list unfinished uploads')]);
    server.knowsUploads = true;
    expect(await holdings()).toHaveLength(1);
  });

  it('notes staged objects on this machine until they are kept or discarded', async () => {
    const { storage, folder } = await open();
    const notes = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const [kept, discarded] = [
      await storage.put(newKey(), streamOf(madeBytes(1))),
      await storage.put(newKey(), streamOf(madeBytes(1))),
    ];
    expect(
      notes()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([kept, discarded].map(({ key }) => key.slice(3)).toSorted());
    await kept.keep();
    await discarded.discard();
    await expect(storage.put(kept.key, streamOf(madeBytes(1)))).rejects.toThrow(
      serviceError('storage-failed', /stored/),
    );
    expect(notes()).toEqual([]);
  });

  it('aborts the multipart upload of a killed process', async () => {
    const { storage, reopenAfterCrash, holdings } = await open();
    // All of them, because the upload no longer exists for a request that succeeds.
    server.fault = ({ query }) => (query.has('partNumber') ? { kind: 'hang' } : undefined);
    const abort = new AbortController();
    const key = newKey();
    const put = storage.put(key, streamOf(madeBytes(20_000_000)), abort.signal).catch((error: Error) => error.message);
    await until(() => server.requests.some(({ query }) => query.has('partNumber')));
    expect(await holdings()).toEqual([`upload of ${key}`]);
    const outcome = await (await reopenAfterCrash()).recover(async () => new Set());
    expect(outcome).toEqual({ kept: 0, removed: 1 });
    expect(await holdings()).toEqual([]);
    abort.abort(new Error('enough'));
    expect(await put).toBe('enough');
  });

  it('reuses the result of a check', async () => {
    const { storage } = await open();
    for (let i = 0; i < 5; i++) await Promise.all([storage.check(), storage.check()]);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'DELETE']);
  });
});

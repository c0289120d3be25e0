import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { inspect } from 'node:util';
import type { ServiceError } from '../../src/base/errors.ts';
import { newKey } from '../../src/storage/key.ts';
import type { S3Config } from '../../src/storage/s3/config.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { bytesOf, madeBytes, sha256, streamOf } from '../contract/made-bytes.ts';
import type { OpenedStore } from '../contract/storage.ts';
import { pause } from '../support/pause.ts';
import type { Fault, SeenRequest } from '../support/s3-fault.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { openS3Store } from '../support/s3-store.ts';
import { serviceError } from '../support/service-error.ts';
import { until } from '../support/until.ts';

const SHORT = { totalMs: 1500, firstWaitMs: 20, longestWaitMs: 200 };
const MIB = 1024 * 1024;

const isPart = ({ method, query }: SeenRequest) => method === 'PUT' && query.has('partNumber');
const isComplete = ({ method, query }: SeenRequest) => method === 'POST' && query.has('uploadId');
const isAbort = ({ method, query }: SeenRequest) => method === 'DELETE' && query.has('uploadId');
const isDownload = ({ method, key }: SeenRequest) => method === 'GET' && key !== '';

let server: S3Server;
let store: OpenedStore;
let storage: Storage;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.fault = undefined;
  store = await openS3Store(server.config, { patience: SHORT, silenceMs: 400 });
  storage = store.storage;
  server.requests.length = 0;
});
afterEach(async () => {
  server.fault = undefined;
  server.keys.set('S3RVER', 'S3RVER');
  await store.close();
});

/** Returns the fault for the first `times` matching requests. */
function first(times: number, isMeant: (seen: SeenRequest) => boolean, fault: Fault): void {
  let left = times;
  server.fault = (seen) => (isMeant(seen) && left-- > 0 ? fault : undefined);
}

async function putWhole(bytes: Uint8Array): Promise<string> {
  const staged = await storage.put(newKey(), streamOf(bytes));
  await staged.keep();
  return staged.key;
}

async function failureOf(work: Promise<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('it did not fail');
}

const expectWhole = async (key: string, bytes: Uint8Array) =>
  expect(sha256(await bytesOf(await storage.read(key)))).toBe(sha256(bytes));

describe('an unavailable S3 server', () => {
  it('at the start makes requests fail until it is available', async () => {
    await server.goDown();
    const later = await openS3Store(server.config, { patience: SHORT });
    await expect(later.storage.check()).rejects.toThrow(serviceError('unavailable', /does not answer/));
    const refused = await failureOf(later.storage.put(newKey(), streamOf(madeBytes(10))));
    expect(refused).toEqual(serviceError('unavailable', /does not answer/));
    expect(refused.headers).toEqual({ 'Retry-After': '10' });
    await expect(later.storage.stat(newKey())).rejects.toThrow(serviceError('unavailable', /does not answer/));
    await expect(later.storage.read(newKey())).rejects.toThrow(serviceError('unavailable', /does not answer/));
    await expect(Array.fromAsync(later.storage.list())).rejects.toThrow(serviceError('unavailable', /does not answer/));
    await server.comeUp();
    await later.storage.check();
    const staged = await later.storage.put(newKey(), streamOf(madeBytes(10)));
    expect(await later.holdings()).toEqual([staged.key]);
    await later.close();
  });

  it('makes a running upload fail, and the next start removes its remains', async () => {
    const key = newKey();
    const source = (async function* () {
      yield* streamOf(madeBytes(20 * MIB));
      await server.goDown();
      yield* streamOf(madeBytes(20 * MIB));
    })();
    await expect(storage.put(key, source)).rejects.toThrow(serviceError('unavailable', /does not answer/));
    await server.comeUp();
    expect(await store.holdings()).toEqual([`upload of ${key}`]);
    expect(await (await store.reopenAfterCrash()).recover(async () => new Set())).toEqual({ kept: 0, removed: 1 });
    expect(await store.holdings()).toEqual([]);
  });

  it('for a moment does not make a running upload fail', async () => {
    const bytes = madeBytes(40 * MIB);
    const source = (async function* () {
      yield* streamOf(bytes.subarray(0, 20 * MIB));
      await server.goDown();
      void pause(300).then(() => server.comeUp());
      yield* streamOf(bytes.subarray(20 * MIB));
    })();
    const staged = await storage.put(newKey(), source);
    expect(staged.sha256).toBe(sha256(bytes));
    await expectWhole(staged.key, bytes);
  });

  it.each([
    ['for a moment does not interrupt it', 300, true],
    ['permanently aborts it', undefined, false],
  ])('during a download %s', async (_, comesBackAfterMs, isWhole) => {
    const bytes = madeBytes(30 * MIB);
    const key = await putWhole(bytes);
    // Through a server of ours: a client must see that its transfer is cut.
    const front = Bun.serve({
      port: 0,
      development: false,
      fetch: async () => new Response((await storage.read(key)) as ReadableStream),
      error: () => new Response('failed', { status: 500 }),
    });
    const answer = await fetch(front.url);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const hasher = new Bun.CryptoHasher('sha256');
    hasher.update((await reader.read()).value as Uint8Array);
    await server.goDown();
    if (comesBackAfterMs !== undefined) void pause(comesBackAfterMs).then(() => server.comeUp());
    const rest = async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) hasher.update(part.value);
      return hasher.digest('hex');
    };
    const outcome = await rest().catch((error: Error) => error);
    if (isWhole) expect(outcome).toBe(sha256(bytes));
    else {
      expect(outcome).toBeInstanceOf(Error);
      await server.comeUp();
    }
    await front.stop(true);
  });
});

describe('an S3 server that answers 503', () => {
  it('for a while lets every request succeed in the end', async () => {
    const refusals = new Map<string, number>();
    server.fault = ({ method, key, query }) => {
      const what = `${method} ${key} ${query.get('partNumber') ?? [...query.keys()].join()}`;
      refusals.set(what, (refusals.get(what) ?? 0) + 1);
      return (refusals.get(what) ?? 0) <= 2 ? { kind: 'answer', status: 503, code: 'SlowDown' } : undefined;
    };
    const [small, large] = [madeBytes(1000), madeBytes(20 * MIB)];
    const keys = [await putWhole(small), await putWhole(large)];
    await expectWhole(keys[0] as string, small);
    await expectWhole(keys[1] as string, large);
    expect(await Array.fromAsync(storage.list())).toHaveLength(2);
    await storage.remove(keys[0] as string);
    expect(await store.holdings()).toEqual([keys[1] as string]);
    expect(server.requests.filter(({ status }) => status === 503).length).toBeGreaterThan(20);
  });

  it.each(['SlowDown', 'InternalError'])(
    'permanently (%s) makes an upload fail, and nothing of it remains',
    async (code) => {
      server.fault = (seen) =>
        isPart(seen) && seen.query.get('partNumber') !== '1' ? { kind: 'answer', status: 503, code } : undefined;
      const failure = await failureOf(storage.put(newKey(), streamOf(madeBytes(40 * MIB))));
      expect(failure).toEqual(serviceError('unavailable', /does not answer/));
      expect(server.requests.filter(isAbort).map(({ status }) => status)).toEqual([204]);
      expect(server.requests.some(isComplete)).toBe(false);
      expect(await store.holdings()).toEqual([]);
    },
  );

  it('is asked again with exponential backoff until the time limit', async () => {
    server.fault = () => ({ kind: 'answer', status: 503, code: 'SlowDown' });
    await expect(storage.stat(newKey())).rejects.toThrow(serviceError('unavailable', /does not answer/));
    expect(server.requests.length).toBeGreaterThan(5);
    expect(server.requests.length).toBeLessThan(25);
  });
});

describe('a slow S3 server', () => {
  it('does not make an upload or a download fail', async () => {
    server.fault = () => ({ kind: 'delay', ms: 150 });
    const bytes = madeBytes(20 * MIB);
    await expectWhole(await putWhole(bytes), bytes);
  });

  it('that falls silent during a download is asked for the rest', async () => {
    const bytes = madeBytes(5 * MIB);
    const key = await putWhole(bytes);
    first(2, isDownload, { kind: 'silence', afterBytes: MIB + 17 });
    await expectWhole(key, bytes);
    expect(server.requests.filter(isDownload).map(({ headers }) => headers.range)).toHaveLength(3);
  });

  it('that never answers makes a read fail', async () => {
    const key = await putWhole(madeBytes(10));
    server.fault = (seen) => (isDownload(seen) ? { kind: 'hang' } : undefined);
    await expect(storage.read(key)).rejects.toThrow(serviceError('unavailable', /does not answer/));
  });
});

describe('a lost connection', () => {
  it.each([
    ['small', 1000],
    ['in parts', 20 * MIB],
  ])('before the response to an upload (%s) repeats the upload', async (_, length) => {
    const bytes = madeBytes(length);
    first(2, ({ method }) => method === 'PUT', { kind: 'cut' });
    await expectWhole(await putWhole(bytes), bytes);
  });

  it.each([
    ['small', 1000],
    ['in parts', 20 * MIB],
  ])('instead of each response to an upload (%s) leaves one object', async (_, length) => {
    const bytes = madeBytes(length);
    const lost = new Set<string>();
    server.fault = ({ method, query }) => {
      const what = `${method} ${query.get('partNumber')} ${[...query.keys()].join()}`;
      if (method === 'HEAD' || lost.has(what)) return undefined;
      lost.add(what);
      return { kind: 'lose answer' };
    };
    const key = await putWhole(bytes);
    server.fault = undefined;
    await expectWhole(key, bytes);
    expect((await store.holdings()).filter((name) => !name.startsWith('upload'))).toEqual([key]);
  });

  it('instead of the response to the end of an upload does not make it fail', async () => {
    const bytes = madeBytes(20 * MIB);
    server.fault = (seen) => (isComplete(seen) ? { kind: 'lose answer' } : undefined);
    await expectWhole(await putWhole(bytes), bytes);
  });

  it('after every mebibyte leaves a download whole', async () => {
    const bytes = madeBytes(12 * MIB + 5);
    const key = await putWhole(bytes);
    server.fault = (seen) => (isDownload(seen) ? { kind: 'cut answer', afterBytes: MIB + 100_000 } : undefined);
    await expectWhole(key, bytes);
    const body = await storage.read(key, { first: 5_000_000, last: 9_999_999 });
    expect(sha256(await bytesOf(body))).toBe(sha256(bytes.subarray(5_000_000, 10_000_000)));
  });

  it('always at the same byte makes a download fail', async () => {
    const key = await putWhole(madeBytes(5 * MIB));
    let cuts = 0;
    server.fault = (seen) => {
      if (!isDownload(seen)) return undefined;
      cuts += 1;
      return { kind: 'cut answer', afterBytes: cuts === 1 ? MIB : 0 };
    };
    const body = await storage.read(key);
    await expect(bytesOf(body)).rejects.toThrow(serviceError('unavailable', /does not answer/));
  });

  it('makes a download fail if its object is replaced meanwhile', async () => {
    const key = await putWhole(madeBytes(30 * MIB));
    first(1, isDownload, { kind: 'cut answer', afterBytes: MIB });
    const body = await storage.read(key);
    await storage.remove(key);
    await putAt(key, madeBytes(30 * MIB, 2));
    await expect(bytesOf(body)).rejects.toThrow(serviceError('storage-failed', /read/));
  });

  const putAt = async (key: string, bytes: Uint8Array) => (await storage.put(key, streamOf(bytes))).keep();
});

describe('an S3 server that rejects', () => {
  it.each([
    ['a part', isPart],
    ['the beginning of an upload', ({ method, query }: SeenRequest) => method === 'POST' && query.has('uploads')],
    ['the end of an upload', isComplete],
    ['a small object', ({ method, query }: SeenRequest) => method === 'PUT' && !query.has('partNumber')],
  ])('%s is not asked again, and nothing of the upload remains', async (what, isMeant) => {
    server.fault = (seen) => (isMeant(seen) ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined);
    const length = what === 'a small object' ? 1000 : 9 * MIB;
    const failure = await failureOf(storage.put(newKey(), streamOf(madeBytes(length))));
    expect(failure).toEqual(serviceError('storage-failed', /^The file could not be stored\.$/));
    expect(server.requests.filter(isMeant).length).toBeLessThanOrEqual(what === 'a part' ? 2 : 1);
    expect(await store.holdings()).toEqual([]);
  });

  it('the end of an upload with status 200 makes it fail, unless the error is temporary', async () => {
    server.fault = (seen) => (isComplete(seen) ? { kind: 'answer', status: 200, code: 'AccessDenied' } : undefined);
    await expect(storage.put(newKey(), streamOf(madeBytes(9 * MIB)))).rejects.toThrow(
      serviceError('storage-failed', /stored/),
    );
    expect(await store.holdings()).toEqual([]);
    first(2, isComplete, { kind: 'answer', status: 200, code: 'InternalError' });
    await expectWhole(await putWhole(madeBytes(9 * MIB)), madeBytes(9 * MIB));
  });

  it.each([
    [507, 'InsufficientStorage'],
    [403, 'QuotaExceeded'],
  ])('a part because it is full (%d %s) makes the upload fail with that reason', async (status, code) => {
    server.fault = (seen) => (isPart(seen) ? { kind: 'answer', status, code } : undefined);
    const put = storage.put(newKey(), streamOf(madeBytes(30 * MIB)));
    await expect(put).rejects.toThrow(serviceError('storage-full', /no room/));
    expect(await store.holdings()).toEqual([]);
  });

  const wrong = (keys: { accessKeyId: string; secretAccessKey: string }): Partial<S3Config> => ({
    credentials: { from: 'configuration', keys: { ...keys, sessionToken: undefined } },
  });
  const SECRET = 'a-secret-that-nobody-may-see';
  it.each<[string, Partial<S3Config>, RegExp]>([
    ['a missing bucket', { bucket: 'missing' }, /bucket "missing".*no such bucket.*Create it/],
    [
      'a key that it does not know',
      wrong({ accessKeyId: 'nobody', secretAccessKey: SECRET }),
      /does not know this access key/,
    ],
    ['a wrong secret', wrong({ accessKeyId: 'S3RVER', secretAccessKey: SECRET }), /secret access key does not belong/],
    ['a wrong region', { region: 'eu-central-1' }, /not in region "eu-central-1"/],
  ])('%s is reported with advice, and without the secret', async (_, change, advice) => {
    const other = await openS3Store({ ...server.config, ...change }, { patience: SHORT });
    const failure = await failureOf(other.storage.check());
    expect(failure).toEqual(serviceError('storage-failed', /^The file store cannot be written to\.$/));
    expect((failure.cause as Error).message).toMatch(advice);
    expect(inspect(failure, { depth: 10 })).not.toContain(SECRET);
    const refused = await failureOf(other.storage.put(newKey(), streamOf(madeBytes(9 * MIB))));
    expect(refused).toEqual(serviceError('storage-failed', /stored/));
    expect(inspect(refused, { depth: 10 })).not.toContain(SECRET);
    await expect(other.close()).rejects.toThrow(serviceError('storage-failed', /searched/));
  });

  it('a wrong clock is reported as such', async () => {
    server.fault = () => ({ kind: 'answer', status: 403, code: 'RequestTimeTooSkewed' });
    expect(((await failureOf(storage.check())).cause as Error).message).toMatch(/clock of this machine/);
    server.fault = undefined;
    await storage.check();
  });
});

describe('a client that disconnects', () => {
  it('while the rest of a download is requested again ends the requests', async () => {
    const key = await putWhole(madeBytes(30 * MIB));
    let asked = 0;
    server.fault = (seen) => {
      if (isDownload(seen)) asked += 1;
      return asked === 1 ? { kind: 'cut answer', afterBytes: MIB } : { kind: 'answer', status: 503, code: 'SlowDown' };
    };
    const reader = ((await storage.read(key)) as ReadableStream<Uint8Array>).getReader();
    const reading = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read());
    })();
    await until(() => asked >= 3);
    await reader.cancel(new Error('client gone'));
    await reading;
    const before = asked;
    // Meanwhile another request is repeated until its time is over.
    await expect(storage.stat(key)).rejects.toThrow(serviceError('unavailable', /does not answer/));
    expect(asked).toBe(before);
  });

  it('during a multipart upload aborts it, and nothing of it remains', async () => {
    server.fault = (seen) => (seen.query.get('partNumber') === '3' ? { kind: 'hang' } : undefined);
    const abort = new AbortController();
    const put = storage.put(newKey(), streamOf(madeBytes(40 * MIB)), abort.signal);
    const outcome = put.catch((error: Error) => error.message);
    await until(() => server.requests.some(({ query }) => query.get('partNumber') === '3'));
    abort.abort(new Error('client gone'));
    expect(await outcome).toBe('client gone');
    expect(server.requests.filter(isAbort).map(({ status }) => status)).toEqual([204]);
    expect(await store.holdings()).toEqual([]);
  });

  it('does not wait long for a server that does not answer', async () => {
    server.fault = (seen) => (isPart(seen) || isAbort(seen) ? { kind: 'hang' } : undefined);
    const abort = new AbortController();
    const put = storage.put(newKey(), streamOf(madeBytes(20 * MIB)), abort.signal);
    const outcome = put.catch((error: Error) => error.message);
    await until(() => server.requests.some(isPart));
    abort.abort(new Error('client gone'));
    expect(await outcome).toBe('client gone');
  });
});

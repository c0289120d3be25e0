import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import type { S3Config } from '../../src/storage/s3/config.ts';
import { madeBytes, sha256 } from '../contract/made-bytes.ts';
import { countRows, createMedia, putToNode } from '../support/binaries.ts';
import { answersDuringOutage, askOfServerThatSaysLater } from '../support/bucket-outage.ts';
import { pause } from '../support/pause.ts';
import type { Fault, SeenRequest } from '../support/s3-fault.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import {
  createS3Repository,
  fileIn,
  holdingsOf,
  keysInRows,
  notesOf,
  s3Scheme,
  schemesAnd,
} from '../support/s3-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const UNHEALTHY = { message: 'The database or the file store is temporarily unavailable.' };

/** They take as long as the program is patient, and begin before everything else. */
const away = answersDuringOutage();
const later = askOfServerThatSaysLater();

let server: S3Server;
let repository: TestRepository;
let node: EntityJson;
beforeAll(async () => {
  server = await startS3Server();
  repository = await createS3Repository(server.config);
  node = await repository.node();
});
afterEach(async () => {
  server.fault = undefined;
  expect(await holdingsOf(server.config)).toEqual(await keysInRows(repository));
  expect(await notesOf(repository)).toEqual([]);
});
afterAll(async () => {
  await repository.stop();
  await server.close();
});

const zip = { type: 'file', contentType: 'application/zip' };

const isPart = ({ method, query }: SeenRequest) => method === 'PUT' && query.has('partNumber');
const isDownload = ({ method, key }: SeenRequest) => method === 'GET' && key !== '';

/** Returns the fault for the first `times` matching requests. */
function first(times: number, isMeant: (seen: SeenRequest) => boolean, fault: Fault): void {
  let left = times;
  server.fault = (seen) => (isMeant(seen) && left-- > 0 ? fault : undefined);
}

async function put(body: Uint8Array<ArrayBuffer>, at = repository): Promise<{ id: number; path: string }> {
  const item = await at.node();
  const media = await createMedia(at, { node: item, ...zip, uri: 's3://faults/a.zip', body });
  return fileIn(media, 'field_media_file');
}

async function expectWhole({ path }: { path: string }, body: Uint8Array, at = repository): Promise<void> {
  const response = await at.get(path, 'admin');
  expect({ status: response.status, sha256: sha256(await response.bytes()) }).toEqual({
    status: 200,
    sha256: sha256(body),
  });
}

/** A body that is sent piece by piece; before each, `before` may do something. */
function inPieces(pieces: number, before: (index: number) => unknown): ReadableStream<Uint8Array> {
  let index = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        await before(index);
        if (index++ === pieces) controller.close();
        else controller.enqueue(madeBytes(MIB));
      },
    },
    { highWaterMark: 0 },
  );
}

/** A PUT of a stream to the node, with the rest of its request. */
function stream(body: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<Response> {
  const path = async () =>
    `/node/${node.nid[0].value}/media/file/${await repository.termId('http://pcdm.org/use#OriginalFile')}`;
  const headers = { 'Content-Type': 'application/zip', 'Content-Location': 's3://faults/stream.zip' };
  return path().then((at) =>
    repository.fetch(at, { method: 'PUT', as: 'admin', headers, body, ...(signal && { signal }) }),
  );
}

describe('a bucket that is unavailable when the repository starts', () => {
  it('does not affect local stores, and works once it is available', async () => {
    const late = await startS3Server();
    await late.goDown();
    const site = await createS3Repository(late.config);
    const health = await site.get('/healthcheck');
    expect({ status: health.status, body: await health.json() }).toEqual({ status: 503, body: UNHEALTHY });
    const local = { ...zip, uri: 'public://a.zip', body: 'x' };
    expect((await putToNode(site, { node: await site.node(), ...local })).status).toBe(201);
    // It is waited for, for a while.
    const body = madeBytes(9 * MIB);
    const waiting = put(body, site);
    await pause(500);
    await late.comeUp();
    await expectWhole(await waiting, body, site);
    expect((await site.get('/healthcheck')).status).toBe(200);
    const warnings = site.log.filter(({ scheme }) => scheme === 's3');
    expect(warnings.map(({ level, msg }) => ({ level, msg }))).toEqual([
      { level: 'error', msg: 'the store s3 cannot be used: files cannot be stored in it, or read' },
      { level: 'warn', msg: 'a store cannot be used: unused objects of earlier runs are not removed yet' },
    ]);
    expect(JSON.stringify(warnings)).toContain(`${late.endpoint} does not answer`);
    await site.stop();
    await late.close();
  });

  it('does not prevent a first start that stores its public files there', async () => {
    const late = await startS3Server();
    await late.goDown();
    const common = { name: 'public', storeIn: 's3' } as const;
    const open = { ...common, driver: 'local', folder: 'files/public' } as const;
    const site = await createTestRepository({ schemes: schemesAnd(s3Scheme(late.config), open) });
    const made = { ...zip, uri: 'private://a.zip', body: 'x' };
    expect((await putToNode(site, { node: await site.node(), ...made })).status).toBe(201);
    await late.comeUp();
    await site.restart();
    const icon = await site.get('/sites/default/files/media-icons/generic.png');
    expect({ status: icon.status, type: icon.headers.get('content-type') }).toEqual({ status: 200, type: 'image/png' });
    expect(await holdingsOf(late.config)).toEqual(await keysInRows(site));
    await site.stop();
    await late.close();
  });

  it('does not delay the start, and loses its discarded objects once it is available', async () => {
    const late = await startS3Server();
    const site = await createS3Repository(late.config);
    const [kept, ...gone] = await Promise.all(Array.from({ length: 8 }, () => put(madeBytes(100), site)));
    await late.goDown();
    for (const { id } of gone) expect((await site.delete(`/entity/file/${id}?_format=json`, 'admin')).status).toBe(204);
    expect(await countRows(site, 'discarded_object')).toBe(7);
    await site.restart();
    expect(await countRows(site, 'discarded_object')).toBe(7);
    await late.comeUp();
    await until(async () => (await countRows(site, 'discarded_object')) === 0);
    expect(await holdingsOf(late.config)).toEqual(await keysInRows(site));
    await expectWhole(kept as { path: string }, madeBytes(100), site);
    await site.stop();
    await late.close();
  }, 20_000);
});

describe('an unusable bucket', () => {
  const wrong = (more: object) => ({
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    sessionToken: undefined,
    ...more,
  });
  it.each([
    ['it is missing', { bucket: 'no-such-bucket' }, 'there is no such bucket'],
    [
      'it does not know the access key',
      { credentials: { from: 'configuration', keys: wrong({ accessKeyId: 'NOBODY' }) } },
      'does not know this access key',
    ],
    [
      'it has another secret',
      { credentials: { from: 'configuration', keys: wrong({ secretAccessKey: 'a-wrong-secret' }) } },
      'does not belong to the access key',
    ],
  ])('makes uploads fail, and only the log has the reason: %s', async (_, difference, why) => {
    const site = await createS3Repository({ ...server.config, ...difference } as S3Config);
    const response = await putToNode(site, {
      node: await site.node(),
      ...zip,
      uri: 's3://a.zip',
      body: madeBytes(9 * MIB),
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 500,
      body: { message: 'The file could not be stored.' },
    });
    const health = await site.get('/healthcheck');
    expect({ status: health.status, body: await health.json() }).toEqual({ status: 503, body: UNHEALTHY });
    expect((await site.get('/node/1?_format=json', 'admin')).status).toBe(200);
    const log = JSON.stringify(site.log);
    expect(log).toContain(why);
    expect(log).not.toContain('a-wrong-secret');
    expect({ media: await countRows(site, 'media'), notes: await notesOf(site) }).toEqual({ media: 0, notes: [] });
    await site.stop();
  });
});

describe('an upload', () => {
  it('succeeds if the server answers every request twice with 503', async () => {
    const refusals = new Map<string, number>();
    server.fault = ({ method, key, query }) => {
      const what = `${method} ${key} ${query}`;
      refusals.set(what, (refusals.get(what) ?? 0) + 1);
      return (refusals.get(what) ?? 0) <= 2 ? { kind: 'answer', status: 503, code: 'SlowDown' } : undefined;
    };
    const body = madeBytes(20 * MIB);
    await expectWhole(await put(body), body);
    expect(refusals.size).toBeGreaterThan(5);
  });

  it('continues after a short outage of the bucket', async () => {
    const body = inPieces(20, async (index) => {
      if (index !== 10) return;
      await until(() => server.requests.some(isPart));
      await server.goDown();
      void pause(300).then(() => server.comeUp());
    });
    server.requests.length = 0;
    expect((await stream(body)).status).toBe(201);
    await expectWhole(
      { path: '/_flysystem/s3/faults/stream.zip' },
      Buffer.concat(Array<Uint8Array>(20).fill(madeBytes(MIB))),
    );
  });

  it.each([
    ['small', 2],
    ['in parts', 20],
  ])('leaves nothing if its client disconnects (%s)', async (_, pieces) => {
    const [rows, gone] = [await countRows(repository, 'file'), new AbortController()];
    server.requests.length = 0;
    const body = inPieces(pieces, async (index) => {
      if (index === 10) await until(() => server.requests.some(isPart));
      if (index !== pieces - 1) return;
      await until(() => server.requests.length > 0);
      gone.abort();
      await new Promise(() => undefined);
    });
    await expect(stream(body, gone.signal)).rejects.toThrow();
    await until(async () => (await notesOf(repository)).length === 0);
    expect(await countRows(repository, 'file')).toBe(rows);
    expect(server.requests.some(isPart)).toBe(pieces > 10);
  });

  it('succeeds with a slow server, as does its download', async () => {
    server.fault = () => ({ kind: 'delay', ms: 100 });
    const body = madeBytes(20 * MIB);
    await expectWhole(await put(body), body);
  });
});

describe('a download', () => {
  const body = madeBytes(30 * MIB);
  let file: { path: string };
  beforeAll(async () => {
    file = await put(body);
  });

  it.each([
    ['a while', 7 * MIB],
    ['an odd number of bytes', 3 * MIB + 1],
  ])('is whole if its connection to the bucket is cut after %s', async (_, afterBytes) => {
    let turn = 0;
    server.fault = (seen) => (isDownload(seen) && turn++ < 3 ? { kind: 'cut answer', afterBytes } : undefined);
    await expectWhole(file, body);
    expect(turn).toBeGreaterThan(3);
  });

  it('resumes after a short outage of the bucket', async () => {
    const response = await repository.get(file.path, 'admin');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const hasher = new Bun.CryptoHasher('sha256');
    hasher.update((await reader.read()).value as Uint8Array);
    await server.goDown();
    void pause(300).then(() => server.comeUp());
    for (let part = await reader.read(); !part.done; part = await reader.read()) hasher.update(part.value);
    expect(hasher.digest('hex')).toBe(sha256(body));
  });

  it('returns 500 if its object is missing in the bucket', async () => {
    const { path } = await put(madeBytes(100));
    const { rows } = await repository.running.services.database.client.execute(
      "SELECT storage_key FROM file WHERE uri LIKE 's3://%' ORDER BY id DESC LIMIT 1",
    );
    const { storage } = repository.running.services.schemes.get('s3') ?? {};
    await storage?.remove(String(rows[0]?.[0]));
    const response = await repository.get(path, 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 500,
      body: { message: 'The content of this file is temporarily unavailable.' },
    });
    await repository.running.services.database.write([
      { sql: 'DELETE FROM file WHERE storage_key = ?', args: [String(rows[0]?.[0])] },
    ]);
  });
});

describe('the health of the repository', () => {
  it('is unaffected by one failed request', async () => {
    const site = await createS3Repository({ ...server.config, prefix: 'health/' });
    first(1, ({ method, key }) => method === 'GET' && key === '', {
      kind: 'answer',
      status: 500,
      code: 'InternalError',
    });
    await site.restart();
    expect((await site.get('/healthcheck')).status).toBe(200);
    expect(server.requests.filter(({ status, key }) => status === 500 && key === '')).toHaveLength(1);
    expect(site.log.filter(({ scheme }) => scheme === 's3')).toEqual([]);
    await site.stop();
  });

  it('is checked with few requests to the bucket', async () => {
    server.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 50 }, () => repository.get('/healthcheck')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(server.requests.length).toBeLessThan(5);
  });
});

describe('a permanent outage of the bucket', () => {
  const NOT_NOW = { status: 503, text: '{"message":"The file store does not answer at present."}', retryAfter: '10' };

  it('makes uploads fail with 503 and Retry-After, and notes their remains', async () => {
    const { answers, made, left, noted } = await away;
    expect({ middle: answers.middle, put: answers.put }).toEqual({ middle: NOT_NOW, put: NOT_NOW });
    expect(made).toBe(0);
    // Nothing could be removed while the bucket was away: the start of the next process does it.
    expect(left).toEqual([expect.stringMatching(/^upload of /)]);
    expect(noted).toContain(left[0]?.slice('upload of '.length) ?? '');
  }, 60_000);

  it('makes new downloads fail with the same message', async () => {
    const { get, head } = (await away).answers;
    expect({ get, head }).toEqual({ get: NOT_NOW, head: { ...NOT_NOW, text: '' } });
  }, 60_000);

  it('visibly aborts running downloads', async () => {
    const { bytes, isWhole } = (await away).download;
    expect(bytes).toBeWithin(1, 30 * MIB);
    expect(isWhole).toBe(false);
  }, 60_000);

  it('is logged once for each request', async () => {
    const log = (await away).log.filter(({ level, msg }) => level !== 'info' && !msg.startsWith('stopping'));
    expect(log.filter(({ status }) => status === 503)).toHaveLength(4);
    expect(log.map(({ msg }) => msg)).toContain('the download of s3://there.zip was interrupted');
    for (const line of log) expect(JSON.stringify(line)).toContain('ECONNREFUSED');
    expect(JSON.stringify(log)).not.toContain('Signature=');
  }, 60_000);

  it('has the same effect as a server that always answers 503', async () => {
    expect(await later).toEqual({ told: NOT_NOW, made: 0, left: [] });
  }, 60_000);
});

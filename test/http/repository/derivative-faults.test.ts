import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { retryJobs } from '../../../src/jobs/find-jobs.ts';
import { auditServices } from '../../support/audit.ts';
import { createMedia, settledFiles } from '../../support/binaries.ts';
import {
  contentOf,
  type DerivativeSite,
  hurry,
  type JobRow,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { type Answerer, describedSource, replyHead, type StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const FITS = 'https://projects.iq.harvard.edu/fits';
const XML = 'application/xml';
const MAX_ATTEMPTS = 3;
const RULES = 'actions: { generate_a_technical_metadata_derivative: { timeout: 2 } }\n';

let folder: string;
let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
let sound: number;
beforeAll(async () => {
  folder = await emptyFolder();
  await writeFile(join(folder, 'rules.yaml'), RULES);
  site = await startDerivativeSite({ rulesFile: join(folder, 'rules.yaml'), maxAttempts: MAX_ATTEMPTS });
  ({ repository, stub } = site);
  sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
});
afterEach(() => {
  expect(stub.problems).toEqual([]);
  expect(stub.overlaps).toEqual([]);
  stub.answer = describedSource;
  stub.calls.length = 0;
  repository.log.length = 0;
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.stop();
});

/** A file on a node of which technical metadata are made, and nothing else. */
async function upload(text = 'text'): Promise<EntityJson> {
  const node = await repository.node({ field_model: [{ target_id: sound }] });
  await createMedia(repository, {
    node,
    type: 'file',
    uri: 'public://faults/a.txt',
    contentType: 'text/plain',
    body: text,
  });
  return node;
}

const jobOf = async (node: EntityJson) => (await jobsOf(repository, node))[0] as JobRow;

/** Waits until the job of a node has been tried and has no lease, and returns it. */
const tried = (node: EntityJson, attempts = 1) =>
  until(
    async () => {
      const job = await jobOf(node);
      return job.lease === null && (job.message !== null || job.state !== 'queued') && job.attempts >= attempts && job;
    },
    { what: `attempt ${attempts} is over` },
  );

const metadataOf = async (node: EntityJson) => (await mediaByUse(repository, node)).get(FITS);

/** Writes, and resolves when the bytes have left. */
const sent = (socket: Socket, text: string) => new Promise<void>((done) => socket.write(text, () => done()));

/** The body is written after this head, and the connection ends. */
const cut =
  (head: Record<string, string | number>, ...parts: string[]): Answerer =>
  () =>
  async (socket) => {
    socket.write(replyHead(200, { 'Content-Type': XML, ...head }));
    for (const part of parts) {
      await sent(socket, part);
    }
    socket.destroy();
  };

const says =
  (status: number, body: string, headers = {}): Answerer =>
  () => ({
    status,
    type: 'text/plain',
    body,
    headers,
  });

describe('temporary errors of a processor', () => {
  it.each<[string, Answerer, number | null, RegExp, string | null]>([
    ['500', says(500, 'convert: no images\n'), 500, /answered 500: convert: no images$/, 'convert: no images'],
    ['424', says(424, 'The source cannot be read.'), 424, /answered 424/, 'The source cannot be read.'],
    [
      'another Content-Type',
      () => ({ type: 'text/html', body: '<p>' }),
      200,
      /text\/html instead of application\/xml/,
      null,
    ],
    [
      'less than its Content-Length',
      cut({ 'Content-Length': 1000 }, 'a', 'b'),
      200,
      /was truncated after \d+ bytes/,
      null,
    ],
    [
      'no last chunk',
      cut({ 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n', '5\r\nde'),
      200,
      /was truncated after \d+ bytes/,
      null,
    ],
    ['no answer in time', () => () => {}, null, /did not begin its answer within 2 seconds/, null],
    [
      'no end of the answer in time',
      () => (socket) => void socket.write(`${replyHead(200, { 'Content-Type': XML, 'Content-Length': 9 })}abc`),
      null,
      /did not finish its answer within 2 seconds/,
      null,
    ],
    [
      'a closed connection',
      () => (socket) => void socket.destroy(),
      null,
      /closed the connection without an answer/,
      null,
    ],
  ])('are retried until the derivative is created once: %s', async (_, answer, status, message, stderr) => {
    stub.answer = answer;
    const node = await upload();
    const job = await tried(node);
    expect(job).toMatchObject({ state: 'queued', attempts: 1, status, stderr });
    expect(job.message).toMatch(message);
    // Half a minute, give or take a fifth of it.
    const waits = job.available_at - Date.now() / 1000;
    expect(waits).toBeGreaterThan(20);
    expect(waits).toBeLessThan(37);
    expect(await metadataOf(node)).toBeUndefined();
    stub.answer = describedSource;
    await hurry(repository);
    expect(await settled(repository, node)).toMatchObject([
      { state: 'done', attempts: 2, status: null, message: null },
    ]);
    expect(await contentOf(repository, (await metadataOf(node)) as EntityJson, 'field_media_file')).toBe(
      `${XML} -\ntext`,
    );
    expect(stub.calls).toHaveLength(2);
    expect(repository.failures()).toEqual([]);
  });

  it.each<[string, Answerer]>([
    ['503 with Retry-After', says(503, 'Too many commands run.', { 'Retry-After': '1' })],
    ['503 with Retry-After 0', says(503, 'Too many commands run.', { 'Retry-After': '0' })],
    ['429', says(429, 'Slower.')],
  ])('do not count as an attempt: %s', async (_, answer) => {
    stub.answer = answer;
    const node = await upload();
    const job = await tried(node, 0);
    expect(job).toMatchObject({ state: 'queued', attempts: 0 });
    expect(job.available_at).toBeGreaterThan(Date.now() / 1000);
    stub.answer = describedSource;
    await hurry(repository);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
  });
});

describe('permanent errors of a processor', () => {
  it.each<[string, Answerer, number, RegExp]>([
    ['400', says(400, 'No command for this type.'), 400, /answered 400: No command for this type\.$/],
    ['413', says(413, 'The source is too large.'), 413, /answered 413/],
    ['an empty body', () => ({ body: '' }), 200, /sent an empty answer/],
    ['no chunk but the last', cut({ 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'), 200, /sent an empty answer/],
    [
      'a redirect',
      () => ({ status: 302, headers: { Location: 'http://127.0.0.1:1/x' } }),
      302,
      /redirect to http:\/\/127\.0\.0\.1:1, which is not followed/,
    ],
  ])('fail the job until an administrator retries it: %s', async (_, answer, status, message) => {
    stub.answer = answer;
    const node = await upload();
    const [job] = (await settled(repository, node)) as [JobRow];
    expect(job).toMatchObject({ state: 'failed', attempts: 1, status, lease: null });
    expect(job.message).toMatch(message);
    expect(await metadataOf(node)).toBeUndefined();
    const line = await until(() => repository.failures()[0], { what: 'the failure is logged' });
    expect(line).toMatchObject({ msgId: `urn:uuid:${job.event_id}`, status, job: job.id, attempt: 1 });
    expect(line.msgId).toBe(stub.calls[0]?.event.id);
    expect(line.msg).toContain(`repo derivatives retry ${job.id}`);
    stub.answer = describedSource;
    expect(await retryJobs(repository.running.services.database, [job.id])).toBe(1);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1, message: null }]);
    expect(await metadataOf(node)).toBeDefined();
  });
});

describe('a job that fails every time', () => {
  it('ends as failed after the last attempt, with status, message and last line', async () => {
    stub.answer = says(500, 'Segmentation fault');
    const node = await upload();
    const attempts: number[] = [];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const job = await tried(node, attempt);
      attempts.push(job.attempts);
      expect(job.state).toBe(attempt < MAX_ATTEMPTS ? 'queued' : 'failed');
      await hurry(repository);
    }
    expect(attempts).toEqual([1, 2, 3]);
    expect(await jobOf(node)).toMatchObject({ status: 500, stderr: 'Segmentation fault', lease: null });
    expect(stub.calls).toHaveLength(MAX_ATTEMPTS);
    const ids = new Set(stub.calls.map(({ event }) => event.id));
    expect(ids.size).toBe(1);
    const logged = () => repository.log.filter(({ msgId }) => ids.has(msgId));
    const lines = await until(() => logged().length === MAX_ATTEMPTS && logged(), { what: 'all attempts are logged' });
    expect(lines.map(({ level, attempt }) => [level, attempt])).toEqual([
      ['warn', 1],
      ['warn', 2],
      ['error', 3],
    ]);

    stub.answer = describedSource;
    expect(await retryJobs(repository.running.services.database, { failedOf: undefined })).toBe(1);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
  });

  it('is retried with all attempts when the bytes of its source change', async () => {
    stub.answer = says(400, 'This is no text.');
    const node = await upload();
    expect(await settled(repository, node)).toMatchObject([{ state: 'failed', version: 1 }]);
    stub.answer = describedSource;
    const path = `/node/${node.nid[0].value}/media/file/${await repository.termId('http://pcdm.org/use#OriginalFile')}`;
    expect((await repository.put(path, 'better', { 'Content-Type': 'text/plain' }, 'admin')).status).toBe(204);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1, version: 2 }]);
    expect(await contentOf(repository, (await metadataOf(node)) as EntityJson, 'field_media_file')).toEndWith('better');
  });
});

describe('a slow processor', () => {
  it('is read to its end, byte by byte', async () => {
    stub.answer = () => async (socket) => {
      socket.write(replyHead(200, { 'Content-Type': XML, 'Transfer-Encoding': 'chunked' }));
      for (const letter of 'slowly') {
        await sent(socket, `1\r\n${letter}\r\n`);
      }
      socket.end('0\r\n\r\n');
    };
    const node = await upload();
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(await contentOf(repository, (await metadataOf(node)) as EntityJson, 'field_media_file')).toBe('slowly');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { peakRssMb } from '../bench/report.ts';
import { rawHead } from '../support/binaries.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { pause } from '../support/pause.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { USE } from '../support/site-builder.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 500 * MIB;
const FIRST_BYTES = 64 * MIB;
const MAX_RSS_MB = 150;
/** For all of the slow readers together. */
const MAX_GROWTH_MB = 64;
/** For `clear_refs` (proc(5)): resets the peak of resident memory. */
const RESET_PEAK = '5';
/** What slow readers read. */
const READ_BYTES = 2 * 1024 * 1024;
const CHUNK = new Uint8Array(256 * 1024).map((_, index) => index % 251);

let folder: string;
let repository: ServerProcess;
let path: string;
beforeAll(async () => {
  folder = await emptyFolder();
  // The first start fills the database, which is another matter.
  await (await startServer({ mode: 'repository', data: folder })).stop();
  repository = await startServer({ mode: 'repository', data: folder });
  const { node, termId } = repository.build;
  path = `/node/${await node('image', 'Big')}/media/file/${await termId(USE.original)}`;
  // A first transfer, after which what start and password have taken is given back; from there on the peak counts.
  expect((await put(bigBody(FIRST_BYTES).body)).status).toBe(201);
  await writeFile(`/proc/${repository.pid}/clear_refs`, RESET_PEAK);
});
afterAll(async () => {
  await repository.stop();
});

const put = (body: ReadableStream<Uint8Array>) =>
  repository.fetch(path, {
    method: 'PUT',
    body,
    headers: { 'Content-Type': 'application/zip', 'Content-Location': 'public://big.zip' },
  });

/** The file, made while it is sent. */
function bigBody(bytes = FILE_BYTES): { body: ReadableStream<Uint8Array>; sha256: () => string } {
  const hasher = new Bun.CryptoHasher('sha256');
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      hasher.update(CHUNK);
      controller.enqueue(CHUNK.slice());
      sent += CHUNK.byteLength;
      if (sent >= bytes) controller.close();
    },
  });
  return { body, sha256: () => hasher.digest('base64') };
}

describe('a file of 500 MiB', () => {
  it('replaces another and is downloaded within 150 MB of memory', async () => {
    for (let round = 0; round < 2; round++) {
      const { body, sha256 } = bigBody();
      const response = await put(body);
      expect(response.status).toBe(204);
      const got = await repository.fetch('/sites/default/files/big.zip');
      expect(got.headers.get('repr-digest')).toBe(`sha-256=:${sha256()}:`);
      const hasher = new Bun.CryptoHasher('sha256');
      for await (const chunk of got.body as ReadableStream<Uint8Array>) hasher.update(chunk);
      expect(got.headers.get('repr-digest')).toBe(`sha-256=:${hasher.digest('base64')}:`);
    }
    const peakMb = await peakRssMb(repository.pid);
    expect(peakMb).toBeLessThan(MAX_RSS_MB);
  }, 60_000);

  it('waits for slow readers in limited memory, also for several ranges', async () => {
    await writeFile(`/proc/${repository.pid}/clear_refs`, RESET_PEAK);
    const beforeMb = await peakRssMb(repository.pid);
    const port = Number(new URL(repository.url).port);
    const readers = ['', 'bytes=0-1,4-5'].flatMap((range) => Array.from({ length: 4 }, () => slowReader(port, range)));
    await until(() => readers.every(({ bytes }) => bytes() > READ_BYTES));
    for (const reader of readers) reader.socket.destroy();
    for (const { bytes } of readers) {
      expect(bytes()).toBeGreaterThan(0);
      expect(bytes()).toBeLessThan(FILE_BYTES / 4);
    }
    expect((await peakRssMb(repository.pid)) - beforeMb).toBeLessThan(MAX_GROWTH_MB);
    expect((await repository.fetch('/healthcheck')).status).toBe(200);
  }, 30_000);
});

/** Takes a little at a time. */
function slowReader(port: number, range: string) {
  const socket = connect(port, '127.0.0.1');
  let bytes = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    socket.pause();
    void pause(20).then(() => socket.resume());
  });
  socket.write(rawHead('GET', '/sites/default/files/big.zip', range === '' ? {} : { Range: range }));
  return { socket, bytes: () => bytes };
}

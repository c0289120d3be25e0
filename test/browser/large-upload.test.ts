import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { statfsSync } from 'node:fs';
import { open, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { peakRssMb } from '../bench/report.ts';
import { type Visit, visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { ADMIN_PASSWORD, copyFirstStart, type EntityJson } from '../support/test-repository.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
/** No whole number of parts. The full size is more than 32 bits count. */
const LENGTH = sized(1, 5) * GIB + 12_345;
/** The checksum of the file of that length that `largeFile` makes. Computing it would take a processor from the upload. */
const SHA256 = sized(
  'cdbaa34222a5335853ad6ece829e5e4619063a28287542ee90f0437d7742903b',
  '1686559c966c65f1a913a84e3f62e48410a64da8e80b9d81700f7aad5a95a83b',
);
/** The parts, the file that they are joined to, and what the machine needs. */
const ROOM_BYTES = sized(4, 12) * GIB;
/** The memory of a server that has received one half and joined both. */
const MAX_RSS_MB = 200;
/** Larger than the disks of machines that run tests. A sparse file of this size is possible on them. */
const TOO_LARGE = 8_000 * GIB;
const JSON_BODY = { 'Content-Type': 'application/json' };

let folder: string;
let data: string;
let server: ServerProcess;
let node: number;
let seen: Visit;
beforeAll(async () => {
  folder = await emptyFolder();
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < ROOM_BYTES) throw new Error(`this test needs ${ROOM_BYTES / GIB} GiB in ${folder}`);
  data = join(folder, 'data');
  await copyFirstStart(data);
  server = await startServer({ from: 'source', data });
  const [term] = await json<EntityJson[]>('/term_from_uri?_format=json&uri=http://purl.org/coar/resource_type/c_c513');
  const body = {
    type: 'islandora_object',
    title: [{ value: 'A film' }],
    field_model: [{ target_id: term?.tid[0].value }],
  };
  node = (await json('/node?_format=json', { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) })).nid[0]
    .value;
  seen = await visit(`${server.url}/user/login`);
  await seen.page.getByLabel('User name').fill('admin');
  await seen.page.locator('#pass').fill(ADMIN_PASSWORD);
  await Promise.all([seen.page.waitForNavigation(), seen.page.click('main form button[type=submit]')]);
}, 60_000);
afterAll(async () => {
  await seen?.close();
  await server?.stop();
  await rm(folder, { recursive: true });
});

async function json<T = EntityJson>(path: string, init?: RequestInit): Promise<T> {
  return (await (await server.fetch(path, init)).json()) as T;
}

/** Makes a sparse file whose bytes differ from those of any other place at each GiB and at its end. */
async function largeFile(name: string, bytes: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '');
  await truncate(path, bytes);
  const file = await open(path, 'r+');
  for (let at = 0; at < Math.min(bytes, LENGTH); at += GIB) await file.write(`byte ${at}`, at);
  await file.write('end', bytes - 3);
  await file.close();
  return path;
}

async function choose(path: string): Promise<void> {
  const { page } = seen;
  await page.goto(`${server.url}/node/${node}/upload`);
  await page.waitForSelector('form[data-state=ready]');
  await page.setInputFiles('input[type=file]', path);
  await page.click('form.upload button[type=submit]');
}

describe(`a file of ${sized(1, 5)} GiB`, () => {
  it('is uploaded with bounded memory, even if the server is killed halfway', async () => {
    const path = await largeFile('film.zip', LENGTH);
    const { page } = seen;
    let upload = '';
    page.on('request', (request) => {
      if (request.method() === 'PATCH') upload = new URL(request.url()).pathname;
    });
    await choose(path);
    await page.waitForFunction(
      () => (document.querySelector('.upload-list progress') as HTMLProgressElement).value >= 0.5,
      undefined,
      { timeout: 120_000 },
    );
    const { port } = server;
    await server.kill();
    server = await startServer({ from: 'source', data, port });
    const { received } = await json(upload);
    // What the browser has sent and the server has not stored yet.
    expect(received).toBeGreaterThan(LENGTH / 2 - 128 * MIB);
    expect(received).toBeLessThan(LENGTH);
    await page.waitForSelector('.upload-list > .done', { timeout: 180_000 });

    expect(await page.textContent('.upload-list code')).toBe(SHA256);
    const answer = await json(upload);
    expect(answer).toMatchObject({ attached: true, bytes: LENGTH, received: LENGTH });
    const [media] = await json<EntityJson[]>(`/node/${node}/media?_format=json`);
    expect(media?.field_file_size[0].value).toBe(LENGTH);
    const stored = (await run(['find', join(data, 'files'), '-type', 'f', '-size', '+1G'])).trim().split('\n');
    expect(stored).toHaveLength(1);
    // Byte by byte, beside the checksum of the server.
    await run(['cmp', path, stored[0] as string]);
    expect(await peakRssMb(server.pid)).toBeLessThan(MAX_RSS_MB);
    expect(server.complaints).toEqual([]);
  }, 400_000);
});

describe('a file larger than the free space', () => {
  it('is rejected with a reason before it is sent', async () => {
    const { page } = seen;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await choose(await largeFile('too-large.zip', TOO_LARGE));
    await page.waitForSelector('.upload-list > .failed');
    expect(await page.textContent('.upload-list .state')).toMatch(
      /^The server has no room for this file\. It needs 17\.2 TB of space until it is saved, and .+ are free\.$/,
    );
    expect(sent).not.toContain('PATCH');
  });
});

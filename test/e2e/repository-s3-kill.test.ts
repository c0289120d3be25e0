import { afterAll, beforeAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import Libsql from 'libsql';
import { readEnv } from '../../src/base/env.ts';
import { createS3Storage } from '../../src/storage/s3/s3.ts';
import { madeBytes, sha256 } from '../contract/made-bytes.ts';
import { auditRepository } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { removedBy } from '../support/kill-load.ts';
import { pause } from '../support/pause.ts';
import { createRandom, type Random } from '../support/random.ts';
import { openTestBucket, s3Scheme, schemesAnd, type TestBucket } from '../support/s3-site.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(readEnv('REPO_KILL_ROUNDS') ?? sized(4, 10));
const CLIENTS = 6;
const MIN_LOAD_MS = 150;
const MAX_LOAD_MS = 700;
const MIB = 1024 * 1024;
const OLD_ONES = 10;
/** Uploads of a round that are there before its kill, and how long that may take. */
const MIN_ANSWERED = 2;
const MAX_WAIT_S = 20;

/** An upload that was answered. */
interface Answered {
  readonly path: string;
  readonly sha256: string;
}

const seed = Number(readEnv('REPO_KILL_SEED') ?? Math.floor(Math.random() * 2 ** 31));
let bucket: TestBucket;
let folder: string;
beforeAll(async () => {
  bucket = await openTestBucket();
  folder = await emptyFolder();
});
afterAll(async () => {
  await bucket.close();
});

it(`a repository killed ${ROUNDS} times during uploads to a bucket keeps all confirmed files, and no others`, async () => {
  const random = createRandom(seed);
  console.log(`seed ${seed}: REPO_KILL_SEED=${seed} repeats the choices`);
  const start = () => startServer({ data: folder, settings: { schemes: schemesAnd(s3Scheme(bucket.config)) } });
  let server = await start();
  const [model, use] = [
    await server.build.termId('http://purl.org/coar/resource_type/c_c513'),
    await server.build.termId('http://pcdm.org/use#OriginalFile'),
  ];
  const answered: Answered[] = [];
  const counts = { cleared: 0, checked: 0, unfinished: 0 };
  for (let round = 1; round <= ROUNDS; round++) {
    const fresh: Answered[] = [];
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      upload({ server, random, model, use, name: `${round}-${index}` }, fresh),
    );
    await Promise.race([pause(MIN_LOAD_MS + random.below(MAX_LOAD_MS - MIN_LOAD_MS)), ...clients]);
    // A machine that is busy with other things may not have come so far by then.
    await until(() => fresh.length >= MIN_ANSWERED, { seconds: MAX_WAIT_S });
    await server.kill();
    await Promise.all(clients);
    expect(server.complaints).toEqual([]);
    server = await start();
    counts.cleared += removedBy(server);
    answered.push(...fresh);
    const old = answered.length === 0 ? [] : Array.from({ length: OLD_ONES }, () => random.pick(answered));
    for (const each of new Set(round === ROUNDS ? answered : [...fresh, ...old])) {
      const response = await server.fetch(each.path);
      expect({ path: each.path, status: response.status, sha256: sha256(await response.bytes()) }).toEqual({
        path: each.path,
        status: 200,
        sha256: each.sha256,
      });
      counts.checked += 1;
    }
    expect(await auditBucket(round === ROUNDS)).toEqual([]);
  }
  await server.stop();
  counts.unfinished = (await bucket.holdings()).filter((name) => name.startsWith('upload')).length;
  console.log(`${ROUNDS} rounds: ${answered.length} uploads answered; ${JSON.stringify(counts)}`);
  expect(answered.length).toBeGreaterThan(ROUNDS);
  expect(counts.cleared).toBeGreaterThan(0);
}, 120_000);

interface Client {
  server: ServerProcess;
  random: Random;
  model: number;
  use: number;
  name: string;
}

/** Puts new files, and every other time others over them, until the server is gone; notes what was answered. */
async function upload({ server, random, model, use, name }: Client, answered: Answered[]): Promise<void> {
  const send = async (
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string>,
  ) => {
    const response = await server.fetch(path, { method, body, headers });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  for (let turn = 0; ; turn++) {
    const body = JSON.stringify({
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: name }],
      field_model: [{ target_id: model }],
    });
    const isGone = await goneIf(async () => {
      const made = await send('POST', '/node?_format=json', body, { 'Content-Type': 'application/json' });
      const node = /\d+$/.exec(made.headers.get('location') ?? '')?.[0];
      for (let time = 0; time <= turn % 2; time++) {
        const isLarge = random.below(3) === 0;
        const bytes = madeBytes(isLarge ? 9 * MIB + random.below(6 * MIB) : 1 + random.below(50_000));
        const path = `/_flysystem/s3/kill/${name}-${turn}.zip`;
        const headers = { 'Content-Type': 'application/zip', 'Content-Location': `s3://kill/${name}-${turn}.zip` };
        // While it is replaced, either may be found.
        const before = answered.findIndex((each) => each.path === path);
        if (before >= 0) answered.splice(before, 1);
        await send('PUT', `/node/${node}/media/file/${use}`, bytes, headers);
        answered.push({ path, sha256: sha256(bytes) });
      }
    });
    if (isGone) return;
  }
}

/** Sends requests that the kill of the server interrupts. */
async function goneIf(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (['ECONNRESET', 'ConnectionRefused', 'ConnectionClosed', 'ECONNREFUSED'].includes(code)) return true;
    throw error;
  }
}

/** Returns the differences between bucket and rows, in words. */
async function auditBucket(isDeep: boolean): Promise<string[]> {
  const storage = await createS3Storage(bucket.config, {
    stagingFolder: join(folder, 'looking'),
    readEnv: (name) => process.env[name],
    warn: () => undefined,
  });
  const database = new Libsql(join(folder, 'repository.db'), { readonly: true });
  try {
    const all = async (sql: string) => database.prepare(sql).all() as Record<string, unknown>[];
    return await auditRepository({ all, stores: new Map([['s3', storage]]) }, isDeep);
  } finally {
    database.close();
  }
}

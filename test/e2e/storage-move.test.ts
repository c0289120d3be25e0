import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Libsql from 'libsql';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import type { SchemeConfig } from '../../src/config/schemes.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { openStores } from '../../src/server/open-stores.ts';
import { auditRepository } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { pause } from '../support/pause.ts';
import { createRandom, type Random } from '../support/random.ts';
import { S3_KEYS, type S3Server, startS3Process } from '../support/s3-process.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';

const KILLS = Number(readEnv('REPO_KILL_ROUNDS') ?? sized(4, 12));
const FILES = sized(120, 240);
const LARGE_FILES = 2;
const LARGE_BYTES = 20 * 1024 * 1024;
const CLIENTS = 3;
const BUCKET = 'moved';
/** A program that only starts is killed in vain. */
const MIN_RUN_MS = 500;
const MAX_RUN_MS = 1_300;

const seed = Number(readEnv('REPO_KILL_SEED') ?? Math.floor(Math.random() * 2 ** 31));

let s3: S3Server;
let folder: string;
let dataFolder: string;
beforeAll(async () => {
  s3 = await startS3Process(BUCKET);
  folder = await emptyFolder();
  dataFolder = join(folder, 'data');
});
afterAll(async () => {
  await s3.stop();
});

/** The usual schemes, with the bucket beside them. */
function schemesWith(storeIn?: string, endpoint = s3.endpoint): SchemeConfig[] {
  const [common, ...others] = DEFAULT_SERVER_CONFIG.schemes as [SchemeConfig, ...SchemeConfig[]];
  const config = {
    ...{ endpoint, region: 'us-east-1', bucket: BUCKET, prefix: 'files/', pathStyle: true },
    credentials: { from: 'configuration' as const, keys: { ...S3_KEYS, sessionToken: undefined } },
    ...{ encryption: undefined, storageClass: undefined },
  };
  const bucket = {
    name: 's3',

    storeIn: undefined,
    driver: 's3',
    s3: config,
    delivery: 'stream',
  } as const;
  return [{ ...common, storeIn }, ...others, bucket];
}

const start = (storeIn?: string) => startServer({ data: dataFolder, settings: { schemes: schemesWith(storeIn) } });

/** `repo storage move`, with the same schemes. */
async function startMove(from: string, to: string, options: string[] = [], endpoint = s3.endpoint) {
  const config = `data: ${dataFolder}
schemes:
  public: { storeIn: ${to} }
  s3:
    s3:
      endpoint: ${endpoint}
      bucket: ${BUCKET}
      prefix: files/
      credentials: { accessKeyId: ${S3_KEYS.accessKeyId}, secretAccessKey: ${S3_KEYS.secretAccessKey} }
`;
  const file = join(folder, 'repository.yaml');
  await writeFile(file, config);
  const words = ['storage', 'move', '--from', from, '--to', to, '--config', file, ...options];
  const child = Bun.spawn([process.execPath, resolve(import.meta.dir, '../../src/main.ts'), ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return {
    kill: () => child.kill('SIGKILL'),
    async end() {
      const [out, errors] = await output;
      return { code: await child.exited, out, errors };
    },
  };
}

const rows = <T>(sql: string): T[] => {
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  try {
    return database.prepare(sql).raw().all() as T[];
  } finally {
    database.close();
  }
};
const isIn = (store: string) => `coalesce(stored_in, substr(uri, 1, instr(uri, ':') - 1)) = '${store}'`;
const countIn = (store: string) => rows<[number]>(`SELECT count(*) FROM file WHERE ${isIn(store)}`)[0]?.[0];

/** s3rver fails to list what is removed meanwhile. */
async function keysInBucket(): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { contents = [] } = await s3.client.list({ prefix: 'files/' });
      return contents.map(({ key }) => key.slice('files/'.length));
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}

/** Returns all inconsistencies while nothing runs. */
async function faults(): Promise<string[]> {
  const config = { ...DEFAULT_SERVER_CONFIG, dataFolder, schemes: schemesWith() };
  const schemes = await openStores(config, createLog({ level: 'silent', format: 'json' }));
  const stores = new Map([...schemes].map(([name, { storage }]) => [name, storage]));
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  try {
    return await auditRepository(
      { all: async (sql) => database.prepare(sql).all() as Record<string, unknown>[], stores },
      true,
    );
  } finally {
    database.close();
  }
}

interface Item {
  readonly mediaId: number;
  readonly fileId: number;
  readonly url: string;
  /** Undefined: it was deleted. */
  sha256: string | undefined;
}

const hash = (bytes: Uint8Array) => Bun.SHA256.hash(bytes, 'hex');

/** A client that alone reads, replaces and deletes its files, and checks each answer. */
class Client {
  readonly counts = { read: 0, partsRead: 0, replaced: 0, deleted: 0 };
  isDone = false;

  constructor(
    readonly items: Item[],
    readonly random: Random,
  ) {}

  async work(server: ServerProcess): Promise<void> {
    while (!this.isDone) await this.#step(server, this.random.pick(this.items));
  }

  async #step(server: ServerProcess, item: Item): Promise<void> {
    const choice = this.random.below(100);
    if (choice < 70 || item.sha256 === undefined) return this.#read(server, item);
    if (choice < 97) {
      const body = this.random.bytes(1 + this.random.below(4_000));
      const headers = { 'Content-Type': 'text/plain' };
      const response = await server.fetch(`/media/${item.mediaId}/source`, { method: 'PUT', body, headers });
      expect(response.status).toBe(204);
      item.sha256 = hash(body);
      this.counts.replaced += 1;
    } else {
      expect((await server.fetch(`/entity/file/${item.fileId}`, { method: 'DELETE' })).status).toBe(204);
      item.sha256 = undefined;
      this.counts.deleted += 1;
    }
  }

  async #read(server: ServerProcess, { url, sha256 }: Item): Promise<void> {
    const response = await server.fetch(url);
    const bytes = await response.bytes();
    expect({ status: response.status, sha256: sha256 && hash(bytes) }).toEqual({
      status: sha256 === undefined ? 404 : 200,
      sha256,
    });
    this.counts.read += 1;
    if (sha256 === undefined) return;
    expect(response.headers.get('etag')).toBe(`"${sha256}"`);
    const part = await server.fetch(url, { headers: { Range: 'bytes=-1' } });
    expect({ status: part.status, bytes: await part.bytes() }).toEqual({ status: 206, bytes: bytes.slice(-1) });
    this.counts.partsRead += 1;
  }
}

async function upload(server: ServerProcess, node: number, name: string, body: Uint8Array<ArrayBuffer>): Promise<Item> {
  const media = await server.build.media(node, { media: 'file', uri: `public://${name}`, bytes: body });
  const { target_id: fileId, url } = media.field_media_file[0];
  return { mediaId: media.mid[0].value, fileId, url: new URL(url, server.url).pathname, sha256: hash(body) };
}

describe('a move to S3 beside a running server', () => {
  it(`loses or doubles no file after ${KILLS} kills, and every response stays correct`, async () => {
    console.log(`seed ${seed}: REPO_KILL_SEED=${seed} repeats the choices`);
    const random = createRandom(seed);
    const first = await start();
    const items: Item[] = [];
    for (let index = 0; index < FILES; index++) {
      const size = index < LARGE_FILES ? LARGE_BYTES : 1 + random.below(3_000);
      items.push(await upload(first, await first.build.node('image', 'N'), `${index}.txt`, random.bytes(size)));
    }
    await first.stop();

    // From here on new files, and new bytes of old ones, go to the bucket.
    const server = await start('s3');
    const small = items.slice(LARGE_FILES);
    const share = Math.ceil(small.length / CLIENTS);
    const clients = Array.from(
      { length: CLIENTS },
      (_, index) => new Client(small.slice(index * share, (index + 1) * share), createRandom(random.below(2 ** 31))),
    );
    const works = Promise.all(clients.map((client) => client.work(server)));
    const found = { killed: 0, copiesWithoutRow: 0, oldCopiesNoted: 0 };
    const names = (sql: string) => new Set(rows<[string]>(sql).map(([key]) => key));
    for (let round = 1; round <= KILLS; round++) {
      const move = await startMove('public', 's3', ['--rate', '8MB/s', '--concurrency', '4', '--quiet']);
      await Promise.race([pause(MIN_RUN_MS + random.below(MAX_RUN_MS - MIN_RUN_MS)), works]);
      move.kill();
      if ((await move.end()).code === 137) found.killed += 1;
      found.oldCopiesNoted += names("SELECT storage_key FROM discarded_object WHERE scheme = 'public'").size;
      const named = names('SELECT storage_key FROM file UNION SELECT storage_key FROM discarded_object');
      found.copiesWithoutRow += (await keysInBucket()).filter((key) => !named.has(key)).length;
    }
    const last = await (await startMove('public', 's3', ['--quiet'])).end();
    expect({ code: last.code, errors: last.errors }).toEqual({ code: 0, errors: '' });
    expect(last.out).toMatch(/^Moved \d+ files of .* from public to s3\.\n$/);
    for (const client of clients) client.isDone = true;
    await works;
    for (const item of items) {
      const response = await server.fetch(item.url);
      expect({ status: response.status, sha256: item.sha256 && hash(await response.bytes()) }).toEqual({
        status: item.sha256 === undefined ? 404 : 200,
        sha256: item.sha256,
      });
    }
    await server.stop();
    const counts = clients.map((client) => client.counts);
    console.log(JSON.stringify({ files: FILES, ...found, ...sum(counts) }));
    expect(server.complaints).toEqual([]);
    expect(countIn('public')).toBe(0);
    expect(await faults()).toEqual([]);
    expect(found.killed).toBeGreaterThan(KILLS / 2);
    expect(sum(counts).replaced).toBeGreaterThan(sized(5, 20));
  }, 240_000);

  it('is reversed by the same command while the server is stopped', async () => {
    const before = rows<[number, string, string, number]>('SELECT id, uri, sha256, changed FROM file ORDER BY id');
    const plan = await (await startMove('s3', 'public', ['--dry-run'])).end();
    expect(plan).toMatchObject({ code: 0, errors: '' });
    expect(plan.out).toStartWith(`${countIn('s3')} files of `);
    const { code, out } = await (await startMove('s3', 'public', ['--concurrency', '8'])).end();
    expect({ code, out }).toEqual({ code: 0, out: plan.out.replace(/^(.*) would be moved from/, 'Moved $1 from') });
    expect(countIn('s3')).toBe(0);
    expect(rows('SELECT id, uri, sha256, changed FROM file ORDER BY id')).toEqual(before);
    expect(await faults()).toEqual([]);
    expect(await keysInBucket()).toEqual([]);
  }, 60_000);
});

describe('a failing move', () => {
  it('names a damaged file, moves the others, and exits with 1', async () => {
    const [row] = rows<[number, string, string]>('SELECT id, uri, storage_key FROM file ORDER BY id LIMIT 1 OFFSET 9');
    const [id, uri, key] = row ?? [0, '', ''];
    const path = join(dataFolder, 'files/public', key);
    const bytes = await Bun.file(path).bytes();
    await writeFile(
      path,
      bytes.map((byte) => byte ^ 1),
    );
    const { code, out, errors } = await (await startMove('public', 's3', ['--limit', '20', '--quiet'])).end();
    await writeFile(path, bytes);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^Moved 19 files of /) });
    const [failure, ...rest] = errors.split('\n');
    expect(failure).toBe(
      `Not moved: file ${id}, ${uri}: it is damaged; expected ${bytes.length} bytes with SHA-256 ${hash(bytes)}, ` +
        `found ${bytes.length} bytes with SHA-256 ${hash(bytes.map((byte) => byte ^ 1))}`,
    );
    expect(rest[0]).toBe('1 file could not be moved; see above.');
    expect(rest[1]).toMatch(/^\d+ files of .* remain in public\.$/);
    expect(await faults()).toEqual([]);
  }, 30_000);

  it('reports an unavailable bucket, and changes nothing', async () => {
    const before = countIn('public');
    const move = await startMove('public', 's3', ['--quiet'], `http://127.0.0.1:${await freePort()}`);
    const { code, out, errors } = await move.end();
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toContain('does not answer at present');
    expect(countIn('public')).toBe(before);
    expect(await faults()).toEqual([]);
  }, 60_000);

  it.each([
    ['an unknown scheme', ['publik', 's3'], 'Unknown storage scheme publik; did you mean public?'],
    ['the same scheme twice', ['s3', 's3'], '--from and --to must differ.'],
  ])('rejects %s', async (_, [from, to], message) => {
    const { code, errors } = await (await startMove(from as string, to as string)).end();
    expect({ code, error: errors.trim() }).toEqual({ code: 1, error: message });
  });
});

function sum(counts: readonly Client['counts'][]): Client['counts'] {
  const all = { read: 0, partsRead: 0, replaced: 0, deleted: 0 };
  for (const each of counts) for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += each[name];
  return all;
}

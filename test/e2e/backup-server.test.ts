import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { createLog } from '../../src/base/log.ts';
import type { SchemeConfig } from '../../src/config/schemes.ts';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import { type BackupRequest, backUpRepository } from '../../src/server/back-up-repository.ts';
import { openPlace } from '../../src/server/backup-place.ts';
import { openStores } from '../../src/server/open-stores.ts';
import { type RestoreRequest, restoreRepository } from '../../src/server/restore-repository.ts';
import { findBackups } from '../../src/upkeep/backup/manifest.ts';
import { prune } from '../../src/upkeep/backup/prune.ts';
import { connectToServer, snapshotServer } from '../../src/upkeep/backup/snapshot-server.ts';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { pause } from '../support/pause.ts';
import { rejection } from '../support/rejection.ts';
import { S3_KEYS, type S3Server, startS3Process } from '../support/s3-process.ts';
import { compareRepositories } from '../support/same-repository.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const BUCKET = 'backups';
const PLACE = `s3://${BUCKET}/a place`;
const folder = await emptyFolder();
const log = createLog({ level: 'silent', format: 'json' });
let s3: S3Server;
let server: Sqld;
let repository: TestRepository;
let use: number;

beforeAll(async () => {
  [s3, server] = await Promise.all([startS3Process(BUCKET), startSqld()]);
  repository = await createTestRepository({ database: at(server), schemes: schemes() });
  use = await repository.termId('http://pcdm.org/use#OriginalFile');
}, 60_000);
afterAll(async () => {
  await repository.stop();
  await Promise.all([s3.stop(), server.stop()]);
});

const at = ({ url }: Sqld) => ({ url, authToken: undefined, syncUrl: undefined });
const IN_FILE = { url: undefined, authToken: undefined, syncUrl: undefined };

/** As usual, and one whose files are in the bucket that backups are in, too. */
function schemes(): readonly SchemeConfig[] {
  const bucket = {
    endpoint: s3.endpoint,
    region: 'us-east-1',
    bucket: BUCKET,
    prefix: 'store/',
    pathStyle: true,
    credentials: { from: 'configuration', keys: { ...S3_KEYS, sessionToken: undefined } },
    encryption: undefined,
    storageClass: undefined,
  } as const;
  const inBucket = {
    name: 'bucket',

    storeIn: undefined,
    driver: 's3',
    s3: bucket,
    delivery: 'stream',
  } as const;
  return [...DEFAULT_SERVER_CONFIG.schemes, inBucket];
}

function configOf(dataFolder: string, database: RepositoryConfig['database']): RepositoryConfig {
  return { ...DEFAULT_SERVER_CONFIG, dataFolder, database, schemes: schemes() };
}

function backUp(
  address: string,
  config = configOf(repository.dataFolder, at(server)),
  request: Partial<BackupRequest> = {},
) {
  const { signal } = new AbortController();
  const usual = { isRechecked: false, bytesPerSecond: undefined, onProgress() {}, signal };
  return backUpRepository(config, { address, ...usual, ...request }, log);
}

function restore(address: string, config: RepositoryConfig, request: Partial<RestoreRequest> = {}) {
  const { signal } = new AbortController();
  const usual = { backup: undefined, acceptsLoss: false, bytesPerSecond: undefined, onProgress() {}, signal };
  return restoreRepository(config, { address, ...usual, ...request }, log);
}

async function put(uri: string, text: string): Promise<number> {
  const node = await repository.node();
  const headers = { 'Content-Type': 'text/plain', 'Content-Location': uri };
  const response = await repository.put(`/node/${node.nid[0].value}/media/file/${use}`, text, headers, 'admin');
  expect(response.status).toBe(201);
  return Number(/\/(\d+)$/.exec(response.headers.get('location') ?? '')?.[1]);
}

async function compare(left: RepositoryConfig, right: RepositoryConfig) {
  const stores = await Promise.all(
    [left, right].map(async (config) => {
      const opened = await openStores(config, log);
      return new Map([...opened].map(([name, { storage }]) => [name, storage]));
    }),
  );
  const databases = [join(left.dataFolder, 'repository.db'), join(right.dataFolder, 'repository.db')] as const;
  return compareRepositories(databases, [stores[0] ?? new Map(), stores[1] ?? new Map()]);
}

const messageOf = async (work: Promise<unknown>) => ((await rejection(work)) as Error).message;

describe('a repository on a libSQL server', () => {
  it('is backed up with a text that is not UTF-8, which is reported', async () => {
    const node = await repository.node();
    const nid = node.nid[0].value;
    const { client } = repository.running.services.database;
    await client.execute(`UPDATE node SET label = cast(x'41ff42' as text) WHERE id = ${nid}`);
    const problems: string[] = [];
    const { database } = await backUp(join(folder, 'damaged'), undefined, {
      onDamagedValue: ({ subject, detail }) => void problems.push(`${subject}: ${detail}`),
    });
    expect(database.bytes).toBeGreaterThan(0);
    expect(problems).toEqual([expect.stringContaining(`node ${nid}: the text in its column label is not valid UTF-8`)]);
    await client.execute(`UPDATE node SET label = 'A' WHERE id = ${nid}`);
    await repository.delete(`/node/${nid}?_format=json`, 'admin');
  });

  it('is backed up consistently under write load', async () => {
    let isDone = false;
    let written = 0;
    const write = async (name: string) => {
      for (let index = 0; !isDone; index++) {
        const media = await put(
          `${index % 2 ? 'public' : 'private'}://${name}/${index}.txt`,
          `${name} ${index}`.repeat(500),
        );
        const headers = { 'Content-Type': 'text/plain' };
        if (index % 3 === 0) await repository.put(`/media/${media}/source`, `other ${index}`, headers, 'admin');
        if (index % 5 === 0) await repository.delete(`/media/${media}?_format=json`, 'admin');
        written += 1;
      }
    };
    const writers = ['a', 'b', 'c'].map(write);
    const place = join(folder, 'busy');
    const counts: number[] = [];
    for (let count = 0; count < 3; count++) {
      const least = written + 20;
      await until(() => written > least);
      const { backup, files, damaged } = await backUp(place, undefined, { bytesPerSecond: 200_000 });
      expect(damaged).toEqual([]);
      counts.push(files.count);
      const data = join(folder, `busy-${count}`);
      const usual = { ...configOf(data, IN_FILE), schemes: DEFAULT_SERVER_CONFIG.schemes };
      expect((await restore(place, usual, { backup })).isDone).toBe(true);
      expect(await audit(data, true)).toEqual([]);
    }
    isDone = true;
    await Promise.all(writers);
    expect(repository.failures()).toEqual([]);
    console.log(`${written} files written meanwhile; the backups hold ${counts.join(', ')} files`);
    expect(counts[2]).toBeGreaterThan(counts[0] ?? 0);
  }, 90_000);

  it('is restored identically from a bucket to another server, and from there to a file', async () => {
    await put('bucket://in-s3.txt', 'in the bucket');
    const made = await backUp(PLACE);
    expect(Object.keys(made.stores)).toContain('bucket');
    const other = await startSqld();
    try {
      await s3.client.list({ prefix: 'store/' }).then(async ({ contents = [] }) => {
        for (const { key } of contents) await s3.client.delete(key);
      });
      const onServer = configOf(join(folder, 'on-server'), at(other));
      expect(await restore(PLACE, onServer)).toMatchObject({
        isDone: true,
        files: { lost: 0, files: made.files.count },
      });
      const again = await backUp(PLACE, onServer);
      expect(again.files.added).toBe(0);

      const [first, second] = [configOf(join(folder, 'first'), IN_FILE), configOf(join(folder, 'second'), IN_FILE)];
      await restore(PLACE, first, { backup: made.backup });
      await restore(PLACE, second, { backup: again.backup });
      const compared = await compare(first, second);
      expect(compared.differences).toEqual([]);
      expect(compared.files).toBe(made.files.count);
      const keys = (config: RepositoryConfig) => readdir(join(config.dataFolder, 'keys'));
      expect((await keys(first)).sort()).toEqual(['jwt-rsa.pem', 'secret.key']);
      console.log(`server to server to file: ${JSON.stringify(compared)}`);
      expect(await messageOf(restore(PLACE, onServer))).toContain('already has tables');
    } finally {
      await other.stop();
    }
  }, 60_000);

  it('cannot be backed up after an interrupted restore, until a restore completes', async () => {
    const other = await startSqld();
    try {
      const config = configOf(join(folder, 'broken-off'), at(other));
      const onProgress = ({ rows }: { rows: number }) => {
        if (rows > 500) throw new Error('enough');
      };
      expect(await messageOf(restore(PLACE, config, { onProgress }))).toContain('enough');
      expect(await messageOf(backUp(join(folder, 'of-nothing'), config))).toContain('There is no repository');
      expect(await restore(PLACE, config)).toMatchObject({ isDone: true });
      expect((await backUp(join(folder, 'of-restored'), config)).damaged).toEqual([]);
    } finally {
      await other.stop();
    }
  }, 60_000);

  it('is copied with large rows and 64-bit integers unchanged', async () => {
    const other = await startSqld();
    const client = connectToServer({ url: other.url, authToken: undefined });
    const file = join(folder, 'large-rows.db');
    try {
      await client.execute('CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x TEXT, r REAL, b BLOB)');
      for (let index = 0; index < 12; index++) {
        const args = ['é'.repeat(1_500_000), index / 3, Uint8Array.of(0, index)];
        await client.execute({ sql: 'INSERT INTO t (x, r, b) VALUES (?, ?, ?)', args });
      }
      await client.execute("INSERT INTO t (id, x) VALUES (9007199254740993, 'beyond what a float can hold')");
      let rows = 0;
      await snapshotServer({ url: other.url, authToken: undefined }, file, (count) => {
        rows += count;
      });
      expect(rows).toBe(13);
      const sums = 'SELECT count(*), sum(length(x)), sum(r), sum(length(b)), max(id) FROM t';
      const copy = new Libsql(file, { readonly: true });
      const copied = copy.prepare(sums).raw(true).safeIntegers(true).get();
      const counted = (await client.execute(sums)).rows[0];
      expect(copied).toEqual(Array.from({ length: 5 }, (_, index) => counted?.[index]));
      expect(copy.prepare('SELECT * FROM sqlite_sequence').safeIntegers(true).raw(true).all()).toEqual([
        ['t', 9007199254740993n],
      ]);
      copy.close();
    } finally {
      client.close();
      await other.stop();
    }
  }, 60_000);

  it('is named in the error if its server is unreachable', async () => {
    const config = configOf(join(folder, 'away'), { ...IN_FILE, url: 'http://127.0.0.1:9' });
    expect(await messageOf(restore(PLACE, config))).toContain('The database http://127.0.0.1:9 cannot be read');
  });
});

describe('a backup place in a bucket', () => {
  it('accepts one backup at a time, and another after an abort', async () => {
    const place = `s3://${BUCKET}/locked`;
    const ended = new AbortController();
    const slow = backUp(place, undefined, { bytesPerSecond: 50_000, signal: ended.signal });
    // It copies files once it has the lock.
    await until(async () => ((await s3.client.list({ prefix: 'locked/files/' })).contents ?? []).length > 0);
    expect(await messageOf(backUp(place))).toContain('is under way');
    ended.abort(new Error('enough'));
    expect(await messageOf(slow)).toBe('enough');
    expect((await s3.client.list({ prefix: 'locked/locks/' })).contents ?? []).toEqual([]);
    expect((await backUp(place)).damaged).toEqual([]);
  }, 60_000);

  it('completes in the next backup after its server was killed', async () => {
    const place = `s3://${BUCKET}/cut`;
    const ended = new AbortController();
    const slow = messageOf(backUp(place, undefined, { bytesPerSecond: 100_000, signal: ended.signal }));
    await until(async () => ((await s3.client.list({ prefix: 'cut/files/' })).contents ?? []).length > 0);
    await s3.kill();
    await pause(500);
    ended.abort(new Error('enough'));
    await s3.restart();
    expect(await slow).not.toBe('');
    expect(await findBackups(openPlace(place, configOf(folder, IN_FILE)))).toEqual([]);
    await removeLocks('cut/locks/');
    expect((await backUp(place)).damaged).toEqual([]);
    const data = join(folder, 'after-cut');
    expect((await restore(place, configOf(data, IN_FILE))).isDone).toBe(true);
  }, 90_000);

  it('keeps other objects of the bucket when it is pruned', async () => {
    const config = configOf(folder, IN_FILE);
    await s3.client.write('a place/files/ab/notes.txt', 'by hand');
    const before = await findBackups(openPlace(PLACE, config));
    const { backup } = await backUp(PLACE);
    const pruned = await prune(openPlace(PLACE, config), { keep: 1, isDryRun: false });
    expect(pruned.backups).toHaveLength(before.length);
    expect((await findBackups(openPlace(PLACE, config))).map((listed) => listed.backup)).toEqual([backup]);
    expect(await s3.client.exists('a place/files/ab/notes.txt')).toBe(true);
    expect((await restore(PLACE, configOf(join(folder, 'pruned'), IN_FILE))).isDone).toBe(true);
  }, 60_000);
});

async function removeLocks(prefix: string): Promise<void> {
  for (const { key } of (await s3.client.list({ prefix })).contents ?? []) await s3.client.delete(key);
}

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../src/base/log.ts';
import type { SchemeConfig } from '../../src/config/schemes.ts';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/remote/open-database.ts';
import { openRepository } from '../../src/server/open-repository.ts';
import { auditServices } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';
import { type StubProcessor, startStubProcessor } from '../support/stub-processor.ts';
import type { EntityJson } from '../support/test-repository.ts';
import { itIsOneRepository } from '../support/two-servers.ts';
import { until } from '../support/until.ts';

const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });

let folder: string;
let sqld: Sqld;
let s3: S3Server;
beforeAll(async () => {
  folder = await emptyFolder();
  [sqld, s3] = await Promise.all([startSqld(), startS3Server()]);
});
afterAll(async () => {
  await Promise.all([sqld.stop(), s3.close()]);
});

/** The configuration of both: every scheme is in the bucket. */
function shared(): Pick<RepositoryConfig, 'database' | 'schemes'> {
  const inBucket = (name: string): SchemeConfig => ({
    name,
    storeIn: undefined,
    driver: 's3',
    delivery: 'stream',
    s3: { ...s3.config, prefix: `${name}/` },
  });
  return {
    database: { ...DEFAULT_SERVER_CONFIG.database, url: sqld.url },
    schemes: ['public', 'private', 'fedora', 's3'].map(inBucket),
  };
}

const AWAY = 'The database cannot be reached at present.';

describe('two servers on one libSQL server and one bucket', () => {
  const one = itIsOneRepository(async () => {
    const overrides = shared();
    const configOf = (name: string) => ({ ...DEFAULT_SERVER_CONFIG, ...overrides, dataFolder: join(folder, name) });
    // Both find an empty database.
    const starting = ['a', 'b'].map((name) =>
      startServer({ data: join(folder, name), settings: overrides, expectedComplaints: [AWAY] }),
    );
    const [a, b] = await Promise.all(starting);
    if (a === undefined || b === undefined) throw new Error('two were to start');
    const beside = await openRepository(configOf('beside'), log);
    return {
      servers: [a, b],
      beside,
      async audit() {
        const open = await openRepository(configOf('audit'), log);
        try {
          return await auditServices(open.services, true);
        } finally {
          await open.close();
        }
      },
      remove: async () => undefined,
    };
  }, 's3');

  it('keep no file in a data folder', async () => {
    const kept = new Bun.Glob('**/*').scan({ cwd: join(folder, 'a'), onlyFiles: true });
    expect(await Array.fromAsync(kept)).toEqual([]);
  });

  it('return 503 while the database is unavailable, and recover', async () => {
    await sqld.kill();
    const refused = await one.createNode(0);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await sqld.restart();
    expect((await one.createNode(0)).status).toBe(201);
    expect((await one.createNode(1)).status).toBe(201);
    await until(() => one.two.servers[0].log.some((line) => JSON.stringify(line).includes(AWAY)));
  });
});

describe('two servers that share a queue of derivatives', () => {
  const NODES = 12;
  let stub: StubProcessor;
  let servers: ServerProcess[];
  let database: Database;
  beforeAll(async () => {
    stub = await startStubProcessor();
    const derivatives = { ...DEFAULT_SERVER_CONFIG.derivatives, processors: [stub.url] };
    const settings = { ...shared(), derivatives };
    // There is no public address of these here.
    const expectedComplaints = ['no baseUrl'];
    servers = await Promise.all(
      ['c', 'd'].map((name) => startServer({ data: join(folder, name), settings, expectedComplaints })),
    );
    database = await openDatabase({ file: undefined, url: sqld.url, authToken: undefined, syncUrl: undefined });
  });
  afterAll(async () => {
    await database.close();
    for (const server of servers) await server.stop();
    await stub.down();
    expect(servers.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  const server = (index: number) => servers[index % 2] as ServerProcess;

  it('make each derivative once, for uploads to either', async () => {
    const nodes: number[] = [];
    for (let index = 0; index < NODES; index++) {
      const node = await server(index).build.node('image', 'A picture');
      nodes.push(node);
      const uri = `s3://pictures/${index}.png`;
      await server(index + 1).build.upload(node, { uri, bytes: `picture ${index}` });
    }
    await until(
      async () =>
        (await database.client.first("SELECT 1 FROM derivative_job WHERE state = 'queued' LIMIT 1", [])) === undefined,
      { what: 'the jobs have settled', seconds: 60 },
    );
    const { rows } = await database.client.execute({
      sql: `SELECT state, count(*) FROM derivative_job WHERE node_id IN (SELECT value FROM json_each(?)) GROUP BY state`,
      args: [JSON.stringify(nodes)],
    });
    // Service file, thumbnail and technical metadata.
    expect(rows.map((row) => ({ state: row[0], count: row[1] }))).toEqual([{ state: 'done', count: 3 * NODES }]);
    for (const [index, node] of nodes.entries()) {
      const media = (await (await server(index).fetch(`/node/${node}/media?_format=json`)).json()) as EntityJson[];
      expect(media).toHaveLength(4);
    }
    expect({ problems: stub.problems, overlaps: stub.overlaps }).toEqual({ problems: [], overlaps: [] });
    const askers = new Set(stub.calls.map(({ source }) => new URL(source).origin));
    expect([...askers].sort()).toEqual(servers.map(({ url }) => url).sort());
  }, 90_000);
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { OutcomeUnknownError } from '../../src/database/errors.ts';
import { parseRemoteAddress } from '../../src/database/remote/remote-address.ts';
import { createRemoteClient } from '../../src/database/remote/remote-client.ts';
import { RemoteConnection } from '../../src/database/remote/remote-connection.ts';
import { pause } from '../support/pause.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const NODES = 40;

let servers: Sqld[] = [];
const repositories: TestRepository[] = [];

beforeAll(async () => {
  const primary = await startSqld();
  const replicas = [await startSqld({ primary: primary.grpcUrl }), await startSqld({ primary: primary.grpcUrl })];
  servers = [primary, ...replicas];
  for (const { url } of [...replicas, primary])
    repositories.push(await createTestRepository({ database: { ...DEFAULT_SERVER_CONFIG.database, url } }));
});
afterAll(async () => {
  for (const repository of repositories.splice(0)) await repository.stop();
  for (const server of servers.splice(0).reverse()) await server.stop();
});

describe('repositories on two replicas and their primary', () => {
  it('read their own writes at once, and those of the others soon', async () => {
    let late = 0;
    let slowestMs = 0;
    for (let count = 0; count < NODES; count++) {
      const [writer, ...others] = repositories.map((_, at) => repositories[(at + count) % repositories.length]) as [
        TestRepository,
        ...TestRepository[],
      ];
      const { nid, title } = await writer.node({ title: [{ value: `Number ${count}` }] });
      const path = `/node/${nid[0].value}?_format=json`;
      expect((await writer.get(path)).status).toBe(200);
      for (const other of others) {
        const start = performance.now();
        let isFirst = true;
        const response = await until(async () => {
          const found = await other.get(path);
          if (found.status === 200) return found;
          if (isFirst) late++;
          isFirst = false;
        });
        slowestMs = Math.max(slowestMs, performance.now() - start);
        expect((await response.json()).title).toEqual(title);
      }
    }
    const figures = { nodes: NODES, readElsewhere: 2 * NODES, notThereAtOnce: late, slowestMs: Math.round(slowestMs) };
    console.log(JSON.stringify(figures));
  }, 60_000);

  it('save one version and revision for each successful PATCH', async () => {
    const [one, two] = repositories as [TestRepository, TestRepository];
    const node = await one.node();
    const path = `/node/${node.nid[0].value}?_format=json`;
    const bundle = { type: [{ target_id: 'islandora_object' }] };
    const patches = await Promise.all(
      [one, two, one, two].map((repository, at) =>
        repository.patch(path, { ...bundle, title: [{ value: `Title ${at}` }] }, 'admin'),
      ),
    );
    const done = patches.filter(({ status }) => status === 200).length;
    expect(done).toBeGreaterThan(0);
    const { database } = one.running.services;
    const counts = async () => {
      const revisions = '(SELECT count(*) FROM node_revision WHERE entity_id = node.id)';
      const row = await database.client.first(`SELECT version, ${revisions} FROM node WHERE id = ?`, [
        node.nid[0].value,
      ]);
      return [Number(row?.[0]), Number(row?.[1])];
    };
    // The last change may be the other's, which this one's replica has soon.
    await until(async () => (await counts())[0] === 1 + done);
    const [version, revisions] = await counts();
    expect({ version, revisions }).toEqual({ version: 1 + done, revisions: 1 + done });
  });

  it.each([
    ['x', 4_400_000],
    ['漢', 1_600_000],
  ])(
    'reject text too long for replication with 413, and accept other writes meanwhile: %s × %d',
    async (char, count) => {
      const [one] = repositories as [TestRepository];
      const long = { field_description: [{ value: char.repeat(count) }] };
      const body = { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Long' }], ...long };
      const [refused, ...others] = await Promise.all([
        one.post('/node?_format=json', { ...body, field_model: (await one.node()).field_model }, 'admin'),
        ...Array.from({ length: 8 }, async (_, index) => {
          await pause(index * 5);
          return one.node();
        }),
      ]);
      expect(refused.status).toBe(413);
      expect(others.every(({ nid }) => nid[0].value > 0)).toBe(true);
    },
  );
});

describe('a replica that has lost its primary', () => {
  it('answers reads, and fails batches in write mode', async () => {
    const primary = await startSqld();
    const replica = await startSqld({ primary: primary.grpcUrl });
    const repository = await createTestRepository({
      database: { ...DEFAULT_SERVER_CONFIG.database, url: primary.url },
    });
    const { base, authToken } = parseRemoteAddress(replica.url, undefined);
    const client = createRemoteClient(new RemoteConnection({ base, authToken }, { timeoutMs: 2_000 }));
    const count = { sql: 'SELECT count(*) FROM file', args: [] };
    const [there] = await client.batch([count], 'write');
    await repository.stop();
    // One that has nothing yet passes on reads, too.
    await pause(2_000);
    await primary.kill();
    expect((await client.execute(count)).rows).toEqual(there?.rows ?? []);
    await expect(client.batch([count], 'write')).rejects.toThrow(OutcomeUnknownError);
    await client.finish();
    await replica.stop();
    await primary.stop();
  });
});

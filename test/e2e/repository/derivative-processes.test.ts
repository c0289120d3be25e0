import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import Libsql from 'libsql';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { audit } from '../../support/audit.ts';
import { pngHead } from '../../support/binaries.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import { describedSource, type StubProcessor, startStubProcessor } from '../../support/stub-processor.ts';
import { until } from '../../support/until.ts';

const NODES = 34;
/** Service file, thumbnail and technical metadata. */
const JOBS = 3 * NODES;

let folder: string;
let stub: StubProcessor;
let servers: ServerProcess[];
let settings: { derivatives: typeof DEFAULT_SERVER_CONFIG.derivatives };

const start = () => startServer({ data: folder, settings, expectedComplaints: ['no baseUrl is configured'] });

beforeAll(async () => {
  folder = await emptyFolder();
  stub = await startStubProcessor();
  settings = { derivatives: { ...DEFAULT_SERVER_CONFIG.derivatives, processors: [stub.url], maxConcurrent: 8 } };
  const first = await start();
  servers = [first, await start()];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await stub.down();
});

const server = (index: number) => servers[index % servers.length] as ServerProcess;

async function upload(index: number): Promise<void> {
  const { node, upload } = server(index).build;
  const bytes = pngHead(1, 1, `image ${index}`);
  await upload(await node('image', 'A title'), { uri: `public://two/${index}.png`, bytes });
}

function count(sql: string): number {
  const database = new Libsql(join(folder, 'repository.db'), { readonly: true });
  try {
    return Number(Object.values(database.prepare(sql).get() as Record<string, unknown>)[0]);
  } finally {
    database.close();
  }
}

const allDone = (jobs: number) =>
  until(() => count("SELECT count(*) FROM derivative_job WHERE state = 'done'") === jobs, {
    what: 'all jobs are done',
  });

describe('two repositories on one data folder', () => {
  it('do every job once', async () => {
    const askers = new Set<string>();
    stub.answer = async (call) => {
      // The first ones wait until both have jobs in hand.
      askers.add(new URL(call.source).host);
      await until(() => askers.size === servers.length);
      return describedSource(call);
    };
    await Promise.all(Array.from({ length: NODES }, (_, index) => upload(index)));
    await allDone(JOBS);
    expect(stub.calls).toHaveLength(JOBS);
    expect(new Set(stub.calls.map(({ destination }) => destination)).size).toBe(JOBS);
    expect([...stub.problems, ...stub.overlaps]).toEqual([]);
    expect(count('SELECT count(*) FROM media')).toBe(NODES + JOBS);
    for (const { url } of servers) expect(askers).toContain(new URL(url).host);
    for (const { complaints } of servers) expect(complaints).toEqual([]);
  }, 15_000);

  it('take over the running jobs of a killed one', async () => {
    const [killed] = servers.splice(0, 1) as [ServerProcess];
    const survivor = server(0);
    await survivor.stop();
    servers.length = 0;
    servers.push(killed);
    stub.answer = () => () => {};
    stub.calls.length = 0;
    await upload(NODES);
    await until(() => stub.calls.length === 3, { what: 'it has all three in hand' });
    await killed.kill();
    expect(count('SELECT count(*) FROM derivative_job WHERE lease IS NOT NULL')).toBe(3);
    stub.answer = describedSource;
    servers.splice(0, 1, await start());
    await allDone(JOBS + 3);
    expect(count('SELECT max(attempts) FROM derivative_job')).toBe(1);
    expect(stub.problems).toEqual([]);
    await server(0).stop();
    servers.length = 0;
    expect(await audit(folder, true)).toEqual([]);
  }, 15_000);
});

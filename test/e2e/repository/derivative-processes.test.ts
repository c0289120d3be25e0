import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import Libsql from 'libsql';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { audit } from '../../support/audit.ts';
import { pngHead } from '../../support/binaries.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { type RepositoryProcess, startRepositoryProcess } from '../../support/repository-process.ts';
import { describedSource, type StubProcessor, startStubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const NODES = 34;
/** Service file, thumbnail and technical metadata. */
const JOBS = 3 * NODES;

let folder: string;
let stub: StubProcessor;
let servers: RepositoryProcess[];
let overrides: { derivatives: typeof DEFAULT_SERVER_CONFIG.derivatives };

beforeAll(async () => {
  folder = await emptyFolder();
  stub = await startStubProcessor();
  overrides = { derivatives: { ...DEFAULT_SERVER_CONFIG.derivatives, processors: [stub.url], maxConcurrent: 8 } };
  const first = await startRepositoryProcess(folder, overrides).ready;
  servers = [first, await startRepositoryProcess(folder, overrides).ready];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await stub.down();
});

const server = (index: number) => servers[index % servers.length] as RepositoryProcess;

async function termId(uri: string): Promise<number> {
  const response = await server(0).fetch(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`);
  return ((await response.json()) as EntityJson[])[0]?.tid[0].value;
}

async function upload(index: number, model: number, use: number): Promise<void> {
  const body = {
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: 'A title' }],
    field_model: [{ target_id: model }],
  };
  const headers = { 'Content-Type': 'application/json' };
  const made = await server(index).fetch('/node?_format=json', { method: 'POST', headers, body: JSON.stringify(body) });
  const { nid } = (await made.json()) as EntityJson;
  const put = await server(index).fetch(`/node/${nid[0].value}/media/image/${use}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'image/png', 'Content-Location': `public://two/${index}.png` },
    body: new Uint8Array(pngHead(1, 1, `image ${index}`)),
  });
  expect(put.status).toBe(201);
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
    const model = await termId('http://purl.org/coar/resource_type/c_c513');
    const use = await termId('http://pcdm.org/use#OriginalFile');
    const askers = new Set<string>();
    stub.answer = async (call) => {
      // The first ones wait until both have jobs in hand.
      askers.add(new URL(call.source).host);
      await until(() => askers.size === servers.length);
      return describedSource(call);
    };
    await Promise.all(Array.from({ length: NODES }, (_, index) => upload(index, model, use)));
    await allDone(JOBS);
    expect(stub.calls).toHaveLength(JOBS);
    expect(new Set(stub.calls.map(({ destination }) => destination)).size).toBe(JOBS);
    expect([...stub.problems, ...stub.overlaps]).toEqual([]);
    expect(count('SELECT count(*) FROM media')).toBe(NODES + JOBS);
    for (const { url } of servers) expect(askers).toContain(new URL(url).host);
    for (const { complaints } of servers)
      expect(complaints.filter((line) => !line.includes('no baseUrl is configured'))).toEqual([]);
  }, 15_000);

  it('take over from one that was killed what it had in hand', async () => {
    const model = await termId('http://purl.org/coar/resource_type/c_c513');
    const use = await termId('http://pcdm.org/use#OriginalFile');
    const [killed] = servers.splice(0, 1) as [RepositoryProcess];
    const survivor = server(0);
    await survivor.stop();
    servers.length = 0;
    servers.push(killed);
    stub.answer = () => () => {};
    stub.calls.length = 0;
    await upload(NODES, model, use);
    await until(() => stub.calls.length === 3, { what: 'it has all three in hand' });
    await killed.kill();
    expect(count('SELECT count(*) FROM derivative_job WHERE lease IS NOT NULL')).toBe(3);
    stub.answer = describedSource;
    servers.splice(0, 1, await startRepositoryProcess(folder, overrides).ready);
    await allDone(JOBS + 3);
    expect(count('SELECT max(attempts) FROM derivative_job')).toBe(1);
    expect(stub.problems).toEqual([]);
    await server(0).stop();
    servers.length = 0;
    expect(await audit(folder, true)).toEqual([]);
  }, 15_000);
});

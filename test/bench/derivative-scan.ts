import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { copyNode } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { PNG } from '../support/repository-routes.ts';
import { startServer } from '../support/server-process.ts';
import type { EntityJson } from '../support/test-repository.ts';
import { type Figure, peakRssMb, report } from './report.ts';

/**
 * Time and memory of `repo derivatives scan` over many nodes of four media each, once with nothing missing and once with
 * all three derivatives of each node: `bun test/bench/derivative-scan.ts [nodes]`.
 */

const NODES = Number(process.argv[2] ?? 100_000);
const FEW_NODES = NODES / 10;
const NODES_AT_A_TIME = 10_000;
const LOOK_EVERY_MS = 20;
const MAX_GROWTH = 1.2;
const USES = ['http://pcdm.org/use#ServiceFile', 'http://pcdm.org/use#ThumbnailImage'];

const folder = await emptyFolder();
const file = join(folder, 'repository.db');
const figures: Figure[] = [];
try {
  const node = await makeNode();
  const peaks: number[] = [];
  let copied = 0;
  for (const nodes of [FEW_NODES, NODES]) {
    while (copied < nodes) {
      const count = Math.min(NODES_AT_A_TIME, nodes - copied);
      await copy(node, count, copied);
      copied += count;
    }
    await change('DELETE FROM derivative_job');
    const complete = await measure(`${nodes} nodes, nothing missing`);
    await change("UPDATE file SET changed = changed + 10 WHERE uri LIKE '%/original.png%'");
    const missing = await measure(`${nodes} nodes, everything older than its source`);
    await change("UPDATE file SET changed = changed - 10 WHERE uri LIKE '%/original.png%'");
    peaks.push(Math.max(complete, missing));
  }
  const [few = 0, many = 0] = peaks;
  figures.push({ name: 'growth of peak memory', ours: `${few} to ${many} MB`, limit: MAX_GROWTH, value: many / few });
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('Scan for missing derivatives', figures);

/** Scans in a process of its own and returns its peak memory in MB. */
async function measure(name: string): Promise<number> {
  const start = performance.now();
  const main = join(import.meta.dir, '../../src/main.ts');
  const command = [process.execPath, main, 'derivatives', 'scan', '--quiet', '--data', folder];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  let peak = 0;
  // What the system tells at the end counts the memory of this process too, which the other one began as.
  const look = setInterval(async () => {
    // Nothing is to be seen of one that has just ended.
    const seen = await peakRssMb(child.pid).catch(() => 0);
    if (seen > peak) peak = seen;
  }, LOOK_EVERY_MS);
  const said = (await new Response(child.stdout).text()).trim();
  clearInterval(look);
  if ((await child.exited) !== 0) throw new Error(`the scan failed: ${said}`);
  const seconds = (performance.now() - start) / 1_000;
  console.log(`${name}: ${seconds.toFixed(1)} s, ${peak} MB. ${said}`);
  return peak;
}

async function change(sql: string): Promise<void> {
  const database = openLocalDatabase(file);
  await database.write([{ sql, args: [] }]);
  await database.close();
}

async function copy(node: number, count: number, number: number): Promise<void> {
  const database = openLocalDatabase(file);
  await copyNode(database, node, count, `copy${number}`);
  await database.close();
}

/** A node with an image, its derivatives and technical metadata. */
async function makeNode(): Promise<number> {
  const server = await startServer({ from: 'source', data: folder });
  const termId = async (uri: string) => {
    const response = await server.fetch(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`);
    return ((await response.json()) as EntityJson[])[0]?.tid[0].value as number;
  };
  const model = await termId('http://purl.org/coar/resource_type/c_c513');
  const made = await server.fetch('/node?_format=json', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'islandora_object', title: ['An image'], field_model: [{ target_id: model }] }),
  });
  const id = ((await made.json()) as EntityJson).nid[0].value as number;
  const put = async (type: string, use: string, name: string, contentType: string) => {
    const response = await server.fetch(`/node/${id}/media/${type}/${await termId(use)}`, {
      method: 'PUT',
      headers: { 'Content-Type': contentType, 'Content-Location': `public://scan/${name}` },
      body: PNG,
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  };
  await put('image', 'http://pcdm.org/use#OriginalFile', 'original.png', 'image/png');
  for (const [index, use] of USES.entries()) await put('image', use, `${index}.png`, 'image/png');
  await put('fits_technical_metadata', 'https://projects.iq.harvard.edu/fits', 'a.xml', 'application/xml');
  await server.stop();
  return id;
}

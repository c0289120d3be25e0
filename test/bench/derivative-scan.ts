import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { copyNode } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { PNG } from '../support/repository-routes.ts';
import { startServer } from '../support/server-process.ts';
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
  const { node, upload } = server.build;
  const id = await node('image', 'An image');
  const put = (use: string, name: string, more = {}) =>
    upload(id, { use, uri: `public://scan/${name}`, bytes: PNG, ...more });
  await put('original', 'original.png');
  for (const [index, use] of USES.entries()) await put(use, `${index}.png`);
  const xml = { media: 'fits_technical_metadata', mimeType: 'application/xml' };
  await put('https://projects.iq.harvard.edu/fits', 'a.xml', xml);
  await server.stop();
  return id;
}

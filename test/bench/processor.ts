import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { download, postMany, postSlowly, readSlowly, serveSlowly } from './load.ts';
import { best, type Figure, peakRssMb, report } from './report.ts';

/**
 * The processor's figures, each a ratio to a baseline of the same run. `make bench` prints them; `processor.ts sizes` measures
 * only the requests of several sizes.
 */

const ROUNDS = 3;
const KIB = 1024;
const SIZES = [
  { name: '1 KiB', bytes: KIB, clients: 8, requests: 2_000 },
  { name: '64 KiB', bytes: 64 * KIB, clients: 8, requests: 2_000 },
  { name: '1 MiB', bytes: KIB ** 2, clients: 8, requests: 1_000 },
  { name: '10 MiB', bytes: 10 * KIB ** 2, clients: 4, requests: 160 },
];
const LARGE_BYTES = 2 * 1024 ** 3;
const SLOW_BYTES_PER_S = 1_000_000;
const SLOW_SECONDS = 10;

const CONFIG = `
allowedMimeTypes: ["*"]
maxConcurrent: 16
maxQueued: 200
cmdByMimeType:
  default: { cmd: cat, contentType: application/octet-stream }
`;

const folder = await emptyFolder();
const large = join(folder, 'large.bin');
const figures: Figure[] = [];
try {
  const config = join(folder, 'cat.yaml');
  await writeFile(config, CONFIG);
  await writeFile(large, '');
  await truncate(large, LARGE_BYTES);
  await measureSizes(config);
  if (process.argv[2] !== 'sizes') {
    await measureLarge(config);
    await measureSlow(config);
    figures.push(...(await measureCrowd()));
    figures.push(...(await measureStart(config)));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('processor', figures);

/** Photographs and pages are of 1 to 20 MB, texts smaller. */
async function measureSizes(config: string): Promise<void> {
  const bare = await startBare();
  const ours = await startServer({ mode: 'processor', config, args: ['--log-level', 'info'] });
  for (const { name, bytes, clients, requests } of SIZES) {
    const body = new Uint8Array(bytes);
    const rates = { bare: [] as number[], ours: [] as number[] };
    for (const url of [bare.url, ours.url]) await postMany(url, body, requests / 4, clients);
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.bare.push(await postMany(bare.url, body, requests, clients));
      rates.ours.push(await postMany(ours.url, body, requests, clients));
    }
    figures.push({
      name: `POST ${name} through cat, ${clients} at a time`,
      ours: `${best(rates.ours).toFixed(0)} /s`,
      baseline: `${best(rates.bare).toFixed(0)} /s`,
      ratio: best(rates.ours) / best(rates.bare),
      target: 0.9,
    });
  }
  const rss = await peakRssMb(ours.pid);
  figures.push({ name: 'peak memory after that', ours: `${rss} MB`, limit: 120, value: rss });
  await ours.stop();
  bare.stop();
}

async function measureLarge(config: string): Promise<void> {
  const bare = await startBare();
  const ours = await startServer({ mode: 'processor', config, args: ['--log-level', 'info'] });
  const big = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    big.bare.push(await download(bare.url, large));
    big.ours.push(await download(ours.url, large));
  }
  figures.push({
    name: 'POST 2 GiB through cat',
    ours: `${best(big.ours).toFixed(0)} MB/s`,
    baseline: `${best(big.bare).toFixed(0)} MB/s`,
    ratio: best(big.ours) / best(big.bare),
    target: 0.9,
  });
  figures.push({
    name: 'peak memory after 2 GiB',
    ours: `${await peakRssMb(ours.pid)} MB`,
    limit: 150,
    value: await peakRssMb(ours.pid),
  });
  await ours.stop();
  bare.stop();
}

async function measureSlow(config: string): Promise<void> {
  for (const [name, load] of [
    ['a client that reads', (url: string) => readSlowly(url, large, SLOW_BYTES_PER_S, SLOW_SECONDS)],
    ['a client that sends', (url: string) => postSlowly(url, SLOW_BYTES_PER_S, SLOW_SECONDS)],
    ['a source that sends', (url: string) => serveSlowly(url, LARGE_BYTES, SLOW_BYTES_PER_S, SLOW_SECONDS)],
  ] as const) {
    const service = await startServer({ mode: 'processor', config });
    await load(service.url);
    const value = await peakRssMb(service.pid);
    figures.push({ name: `peak memory with ${name} 1 MB/s`, ours: `${value} MB`, limit: 150, value });
    await service.stop();
  }
}

async function startBare() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'bare-server.ts')], { stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  return { url: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/`, stop: () => child.kill() };
}

/** 200 requests at once for 4 slots: counts children from outside, and the answers. */
async function measureCrowd(): Promise<Figure[]> {
  const config = join(folder, 'four.yaml');
  const script = 'cat; sleep 0.05';
  const slow = `{ cmd: sh, args: [-c, "${script}"] }`;
  await writeFile(
    config,
    `allowedMimeTypes: ["*"]\nmaxConcurrent: 4\nmaxQueued: 100\ncmdByMimeType:\n  default: ${slow}\n`,
  );
  const service = await startServer({ mode: 'processor', config, args: ['--log-level', 'warn'] });
  let mostCommands = 0;
  const watch = setInterval(() => {
    // Not the watcher of the process groups, which is a child of the service too.
    const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=,args=', '--ppid', String(service.pid)]);
    const alive = stdout
      .toString()
      .split('\n')
      .filter((child) => child.endsWith(`sh -c ${script}`) && !child.startsWith('Z'));
    mostCommands = Math.max(mostCommands, alive.length);
  }, 20);
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const response = await fetch(service.url, {
        method: 'POST',
        body: 'x',
        headers: { 'Content-Type': 'text/plain' },
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  clearInterval(watch);
  await service.stop();
  const count = (status: number) => statuses.filter((s) => s === status).length;
  return [
    {
      name: '200 at once, 4 slots: most commands at a time',
      ours: String(mostCommands),
      limit: 4,
      value: mostCommands,
    },
    {
      name: '200 at once, 4 slots, queue of 100: answered 200 / 503',
      ours: `${count(200)} / ${count(503)}`,
      limit: 0,
      value: 200 - count(200) - count(503),
    },
  ];
}

async function measureStart(config: string): Promise<Figure[]> {
  const versions: number[] = [];
  const starts: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    let startedAt = performance.now();
    Bun.spawnSync([EXECUTABLE, 'version']);
    versions.push(performance.now() - startedAt);
    startedAt = performance.now();
    const service = await startServer({ mode: 'processor', config });
    await fetch(`${service.url}/healthcheck`);
    starts.push(performance.now() - startedAt);
    await service.stop();
  }
  const worst = (values: number[]) => Math.max(...values);
  return [
    {
      name: 'repo version, slowest of 10',
      ours: `${worst(versions).toFixed(0)} ms`,
      limit: 60,
      value: worst(versions),
    },
    {
      name: 'start until ready, slowest of 10',
      ours: `${worst(starts).toFixed(0)} ms`,
      limit: 250,
      value: worst(starts),
    },
  ];
}

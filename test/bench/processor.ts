import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startExecutable } from '../support/executable.ts';
import { download, postMany, postSlowly, readSlowly, serveSlowly } from './load.ts';
import { best, type Figure, peakRssMb, report } from './report.ts';

/** The processor's figures, each a ratio to a baseline of the same run. `make bench` prints them. */

const ROUNDS = 3;
const SMALL_REQUESTS = 2_000;
const SMALL_CLIENTS = 8;
const SMALL_BYTES = 1024;
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
const figures: Figure[] = [];
try {
  const config = join(folder, 'cat.yaml');
  await writeFile(config, CONFIG);
  const large = join(folder, 'large.bin');
  await writeFile(large, '');
  await truncate(large, LARGE_BYTES);

  const bare = await startBare();
  const ours = await startExecutable(config, { args: ['--log-level', 'info'] });

  const small = { bare: [] as number[], ours: [] as number[] };
  const body = new Uint8Array(SMALL_BYTES);
  for (const url of [bare.url, ours.url]) await postMany(url, body, SMALL_REQUESTS / 4, SMALL_CLIENTS);
  for (let round = 0; round < ROUNDS; round += 1) {
    small.bare.push(await postMany(bare.url, body, SMALL_REQUESTS, SMALL_CLIENTS));
    small.ours.push(await postMany(ours.url, body, SMALL_REQUESTS, SMALL_CLIENTS));
  }
  figures.push({
    name: `POST 1 KiB through cat, ${SMALL_CLIENTS} at a time`,
    ours: `${best(small.ours).toFixed(0)} /s`,
    baseline: `${best(small.bare).toFixed(0)} /s`,
    ratio: best(small.ours) / best(small.bare),
    target: 0.8,
  });

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
    name: 'peak memory after that',
    ours: `${await peakRssMb(ours.pid)} MB`,
    limit: 150,
    value: await peakRssMb(ours.pid),
  });
  await ours.stop();
  bare.stop();

  for (const [name, load] of [
    ['a client that reads', (url: string) => readSlowly(url, large, SLOW_BYTES_PER_S, SLOW_SECONDS)],
    ['a client that sends', (url: string) => postSlowly(url, SLOW_BYTES_PER_S, SLOW_SECONDS)],
    ['a source that sends', (url: string) => serveSlowly(url, LARGE_BYTES, SLOW_BYTES_PER_S, SLOW_SECONDS)],
  ] as const) {
    const service = await startExecutable(config);
    await load(service.url);
    const value = await peakRssMb(service.pid);
    figures.push({ name: `peak memory with ${name} 1 MB/s`, ours: `${value} MB`, limit: 150, value });
    await service.stop();
  }

  figures.push(...(await measureCrowd()));
  figures.push(...(await measureStart(config)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('processor', figures);

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
  const service = await startExecutable(config, { args: ['--log-level', 'warn'] });
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
    const service = await startExecutable(config);
    await fetch(`${service.url}healthcheck`);
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

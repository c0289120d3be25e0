import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { type S3Server, startS3Process } from '../support/s3-process.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { startSqld } from '../support/sqld.ts';
import { ADMIN_PASSWORD } from '../support/test-repository.ts';
import { load } from './raw-load.ts';
import { best, type Figure, inTurns, peakRssMb, ratioOf, report } from './report.ts';
import { makeSite, requests } from './repository-load.ts';

/**
 * What more than one machine costs: uploads to S3, a database on a server, and what a second worker brings. One of them
 * alone: `scale.ts upload`, `reads` or `workers`.
 */

const ROUNDS = 3;
const SECONDS = 3;
const CLIENTS = 32;
const LARGE_BYTES = 1024 ** 3;
const BUCKET = 'bench';

const wanted = process.argv[2];
const folder = await emptyFolder();
const figures: Figure[] = [];
const env = { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
const serve = (name: string, args: string[], more: Record<string, string> = {}) =>
  startServer({ mode: 'repository', data: join(folder, name), args, env: { ...env, ...more } });
try {
  const parts = { upload: uploadToS3, reads: remoteReads, workers: secondWorker };
  for (const [name, measure] of Object.entries(parts)) if (wanted === undefined || wanted === name) await measure();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('More than one machine', figures);

async function uploadToS3(): Promise<void> {
  const s3 = await startS3Process(BUCKET, 'bare');
  const config = join(folder, 's3.yaml');
  const keys = 'credentials: { accessKeyId: S3RVER, secretAccessKey: S3RVER }';
  await writeFile(
    config,
    `schemes:\n  s3: { access: private, s3: { endpoint: "${s3.endpoint}", bucket: ${BUCKET}, ${keys} } }\n`,
  );
  const server = await serve('s3', ['--config', config]);
  const file = join(folder, 'large');
  await writeLarge(file);
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    const { node, uses } = await makeSite(server.url);
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await put(server, `node/${node}/media/file/${uses[round]}`, file, `s3://large-${round}.zip`));
      bare.push(await bareUpload(s3, `bare-${round}`, file));
      await s3.empty();
    }
    const peak = await peakRssMb(server.pid);
    const rates = [best(ours) / 1e6, best(bare) / 1e6] as const;
    figures.push(ratioOf('PUT of 1 GiB to S3, to Bun’s own writer', rates, 0.8, 'MB/s'));
    figures.push({ name: 'peak memory of that', ours: `${peak} MB`, value: peak, limit: 200 });
  } finally {
    await server.stop();
    await s3.stop();
    await rm(file);
  }
}

async function remoteReads(): Promise<void> {
  const sqld = await startSqld();
  const server = await serve('remote', [], { REPO_DATABASE_URL: sqld.url });
  try {
    const { node } = await makeSite(server.url);
    const script = `${import.meta.dir}/bare-query.ts`;
    const child = Bun.spawn([process.execPath, script, sqld.url, String(node)], { stdout: 'pipe' });
    const { value } = await child.stdout.getReader().read();
    const barePort = Number(new TextDecoder().decode(value));
    const rates = await inTurns(
      () => rate(server.port, requests.get(`/node/${node}?_format=json`)),
      () => rate(barePort, requests.get('/')),
    );
    child.kill();
    figures.push(ratioOf('GET with a remote database, to a bare server with one query', rates, 0.5));
  } finally {
    await server.stop();
    await sqld.stop();
  }
}

/** Measures the gain of a second process of a server without work on this machine, the limit for workers. */
async function secondWorker(): Promise<void> {
  const rates: Record<'one' | 'two' | 'bareOne' | 'bareTwo', number[]> = { one: [], two: [], bareOne: [], bareTwo: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const [workers, key] of [
      ['1', 'one'],
      ['2', 'two'],
    ] as const) {
      const server = await serve('workers', ['--workers', workers]);
      try {
        const { node } = await makeSite(server.url);
        rates[key].push(await rate(server.port, requests.get(`/node/${node}?_format=json`)));
      } finally {
        await server.stop();
      }
      rates[key === 'one' ? 'bareOne' : 'bareTwo'].push(await bareRate(Number(workers)));
    }
  console.log(
    `two bare servers on one port, to one: ${(best(rates.bareTwo) / best(rates.bareOne)).toFixed(2)} ` +
      `on ${availableParallelism()} cores that the clients share`,
  );
  figures.push(ratioOf('GET with two workers, to one', [best(rates.two), best(rates.one)], 1.6));
}

async function bareRate(processes: number): Promise<number> {
  const script = `${import.meta.dir}/bare-shared.ts`;
  const body = join(folder, 'body');
  await writeFile(body, 'x'.repeat(4_500));
  const first = Bun.spawn([process.execPath, script, body, '0'], { stdout: 'pipe' });
  const port = Number(new TextDecoder().decode((await first.stdout.getReader().read()).value));
  const children = [first];
  while (children.length < processes) {
    const next = Bun.spawn([process.execPath, script, body, String(port)], { stdout: 'pipe' });
    await next.stdout.getReader().read();
    children.push(next);
  }
  try {
    return await rate(port, requests.get('/'));
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exited));
  }
}

async function rate(port: number, request: string): Promise<number> {
  const next = () => request;
  return (await load({ port, connections: CLIENTS, seconds: SECONDS, next, statuses: [200] })).perSecond;
}

async function writeLarge(path: string): Promise<void> {
  const writer = Bun.file(path).writer();
  const block = crypto.getRandomValues(new Uint8Array(64 * 1024));
  for (let bytes = 0; bytes < LARGE_BYTES; bytes += block.length) {
    writer.write(block);
    if (bytes % (16 * 1024 * 1024) === 0) await writer.flush();
  }
  await writer.end();
}

async function put({ url }: ServerProcess, path: string, file: string, location: string): Promise<number> {
  const command = ['curl', '-sSf', '-o', '/dev/null', '-X', 'PUT', '-T', file, '-u', `admin:${ADMIN_PASSWORD}`];
  const headers = ['-H', 'Content-Type: application/zip', '-H', `Content-Location: ${location}`];
  const startedAt = performance.now();
  const child = Bun.spawn([...command, ...headers, `${url}/${path}`], { stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error('the upload failed');
  return LARGE_BYTES / ((performance.now() - startedAt) / 1000);
}

async function bareUpload({ endpoint }: S3Server, key: string, file: string): Promise<number> {
  const script = `${import.meta.dir}/bare-upload.ts`;
  const child = Bun.spawn([process.execPath, script, endpoint, BUCKET, key, file], { stdout: 'pipe' });
  return Number(await new Response(child.stdout).text());
}

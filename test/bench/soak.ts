import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { pngHead } from '../support/binaries.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createRandom } from '../support/random.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import type { EntityJson } from '../support/test-repository.ts';
import { type Figure, report } from './report.ts';
import { ask, headers, nextRequest, type Site } from './soak-traffic.ts';
import { writeTable } from './write-table.ts';

/**
 * Hours of mixed traffic at half of what the program can do: readers 90 %, uploads with a derivative each 5 %, edits 5 %. Requests
 * arrive at their time, whether earlier ones are answered or not, and are measured from then on. `REPO_SOAK_MINUTES=60` is a
 * shorter run; the default is eight hours. Prints a line every ten minutes.
 */

const MINUTES = Number(process.env.REPO_SOAK_MINUTES ?? 480);
const NODES = 20_000;
const THUMBNAILS = 200;
const THUMBNAIL_BYTES = 20_000;
/** Half of a run that is shorter than a minute. */
const CAPACITY_SECONDS = Math.min(30, MINUTES * 30);
const CAPACITY_CLIENTS = 16;
const REPORT_MINUTES = Math.min(10, MINUTES / 6);
const MAX_P99_MS = 50;
const MAX_MEMORY_GROWTH = 1.05;
/** More at once means that the program cannot keep up. */
const MAX_UNDER_WAY = 2_000;
const LONGEST_WAIT_FOR_JOBS_MS = 60_000;
const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';
/** Not that of the uploads nor of their derivatives, which would replace it. */
const PICTURE = 'http://pcdm.org/use#IntermediateFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';

const random = createRandom(7);
const folder = await emptyFolder();
const figures: Figure[] = [];
let server: ServerProcess | undefined;
try {
  server = await start();
  const site = await fill(server);
  const capacity = await measureCapacity(site);
  console.log(`capacity of the mixed traffic: ${capacity.toFixed(0)} requests a second; the run is at half of it`);
  await soak(server, site, capacity / 2);
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
report(`Soak of ${MINUTES} minutes`, figures);

/** Starts everything in one process, with one derivative for each text that is uploaded. */
async function start(): Promise<ServerProcess> {
  const rules = join(folder, 'rules.yaml');
  const contexts = ['audio_original_file', 'image_original_file', 'pages', 'pdf_original_file'].concat(
    ...['technical_metadata_on_ingest', 'video_original_file'],
  );
  await Bun.write(
    rules,
    JSON.stringify({
      actions: {
        copy: {
          label: 'Copy',
          source_term: ORIGINAL_FILE,
          derivative_term: 'http://pcdm.org/use#ServiceFile',
          source_mimetypes: ['text/plain'],
          mimetype: 'text/plain',
          destination_media_type: 'file',
          path: 'copies/[node:nid].txt',
        },
      },
      contexts: {
        ...Object.fromEntries(contexts.map((name) => [name, null])),
        copies: {
          label: 'Copies',
          conditions: [{ condition: 'media_has_term', uri: ORIGINAL_FILE }],
          actions: ['copy'],
        },
      },
    }),
  );
  const commands = join(folder, 'commands.yaml');
  await Bun.write(commands, JSON.stringify({ allowedMimeTypes: ['*'], cmdByMimeType: { default: { cmd: 'cat' } } }));
  const config = join(folder, 'repository.yaml');
  const data = join(folder, 'data');
  await Bun.write(
    config,
    JSON.stringify({ data, derivatives: { rules }, processor: commands, robots: { totalBudget: 0 } }),
  );
  return startServer({ config, args: ['--log-level', 'warn'] });
}

/** Imports nodes beside the running server, and gives some of them a picture with a thumbnail. */
async function fill({ url }: ServerProcess): Promise<Site> {
  const table = join(folder, 'nodes.csv');
  await writeTable(table, NODES);
  const terms = ['--create-terms', 'person', '--create-terms', 'subject'];
  const args = [table, '--data', join(folder, 'data'), ...terms, '--quiet'];
  const child = Bun.spawn([EXECUTABLE, 'import', ...args], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  const [, firstRow = ''] = (await Bun.file(join(folder, 'nodes.result.csv')).text()).split('\n', 2);
  const firstNode = Number(firstRow.split(',')[3]);
  const use = async (uri: string) => {
    const found = await fetch(`${url}/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`, { headers });
    return ((await found.json()) as EntityJson[])[0]?.tid[0].value as number;
  };
  const [originalFile, picture, thumbnail] = await Promise.all([ORIGINAL_FILE, PICTURE, THUMBNAIL].map(use));
  const put = async (node: number, term: number, name: string, body: Buffer) => {
    const response = await fetch(`${url}/node/${node}/media/image/${term}`, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'image/png', 'Content-Location': `public://${name}` },
      body: new Uint8Array(body),
    });
    if (response.status !== 201) throw new Error(`PUT of ${name}: ${response.status} ${await response.text()}`);
  };
  const thumbnails: string[] = [];
  for (let number = 0; number < THUMBNAILS; number++) {
    const name = `thumbnail-${number}.png`;
    await put(firstNode + number, picture as number, `picture-${number}.png`, pngHead(1_200, 900));
    await put(firstNode + number, thumbnail as number, name, pngHead(240, 180, 'x'.repeat(THUMBNAIL_BYTES)));
    thumbnails.push(`sites/default/files/${name}`);
  }
  return { url, firstNode, nodes: NODES, thumbnails, originalFile: originalFile as number };
}

/** Returns the requests a second of clients that ask again as soon as they are answered. */
async function measureCapacity(site: Site): Promise<number> {
  let asked = 0;
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > CAPACITY_SECONDS * 1_000;
  await Promise.all(
    Array.from({ length: CAPACITY_CLIENTS }, async () => {
      for (; !isOver(); asked++) await ask(nextRequest(site, random));
    }),
  );
  return asked / ((performance.now() - startedAt) / 1_000);
}

async function soak({ pid, log }: ServerProcess, site: Site, rate: number): Promise<void> {
  const begunAt = performance.now();
  const endsAt = begunAt + MINUTES * 60_000;
  const errors: string[] = [];
  const [all, memories]: [number[], number[]] = [[], []];
  let period: number[] = [];
  let underWay = 0;
  let reportAt = begunAt + REPORT_MINUTES * 60_000;
  const send = (dueAt: number) => {
    underWay += 1;
    ask(nextRequest(site, random))
      .then(() => period.push(performance.now() - dueAt))
      .catch((error: unknown) => errors.push(String(error)))
      .finally(() => {
        underWay -= 1;
      });
  };
  for (let dueAt = begunAt; dueAt < endsAt; dueAt += untilNext(rate)) {
    const wait = dueAt - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    if (underWay < MAX_UNDER_WAY) send(dueAt);
    else errors.push(`${MAX_UNDER_WAY} requests were under way`);
    if (performance.now() < reportAt && dueAt < endsAt) continue;
    reportAt += REPORT_MINUTES * 60_000;
    const memory = await residentMb(pid);
    memories.push(memory);
    period.sort((a, b) => a - b);
    const shown = [at(period, 0.5), at(period, 0.99), at(period, 1)].map((ms) => ms.toFixed(1)).join(', ');
    const minutes = ((performance.now() - begunAt) / 60_000).toFixed(0);
    console.log(
      `${minutes} minutes: ${period.length} requests; ms of the median, of 99 % and of the slowest: ${shown}; ${memory} MB; ${errors.length} errors`,
    );
    for (const time of period) all.push(time);
    period = [];
  }
  while (underWay > 0) await Bun.sleep(50);
  for (const time of period) all.push(time);
  all.sort((a, b) => a - b);
  const failedJobs = await whenJobsEnded();
  for (const error of new Set(errors.slice(0, 20))) console.log(error);
  const warnings = log.filter(({ level }) => Number(level) >= 40 || level === 'warn' || level === 'error');
  for (const line of warnings.slice(0, 20)) console.log(JSON.stringify(line));
  const p99 = at(all, 0.99);
  const count = all.length.toLocaleString('en');
  figures.push({
    name: `99 % of ${count} requests, ${rate.toFixed(0)} a second`,
    ours: `${p99.toFixed(1)} ms`,
    limit: MAX_P99_MS,
    value: p99,
  });
  figures.push({ name: 'requests that failed', ours: String(errors.length), limit: 0, value: errors.length });
  figures.push({ name: 'jobs that failed', ours: String(failedJobs), limit: 0, value: failedJobs });
  figures.push({
    name: 'warnings and errors in the log',
    ours: String(warnings.length),
    limit: 0,
    value: warnings.length,
  });
  // After the first hour, or the first third of a shorter run.
  const settled = memories.slice(Math.floor(Math.min(60, MINUTES / 3) / REPORT_MINUTES));
  const half = Math.ceil(settled.length / 2);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const growth = mean(settled.slice(half)) / mean(settled.slice(0, half));
  figures.push({
    name: `memory of the second half, to the first (${memories.join(', ')} MB)`,
    ours: growth.toFixed(3),
    limit: MAX_MEMORY_GROWTH,
    value: growth,
  });
}

/** Milliseconds until the next request of many independent readers: exponentially distributed. */
function untilNext(rate: number): number {
  return (-Math.log(1 - random.fraction()) / rate) * 1_000;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6);
}

/** Waits until no job is left. Returns the number of jobs that failed. Rejects if some never end. */
async function whenJobsEnded(): Promise<number> {
  const database = new Libsql(join(folder, 'data', 'repository.db'), { readonly: true });
  const count = (condition: string) =>
    (database.prepare(`SELECT count(*) AS jobs FROM derivative_job WHERE ${condition}`).get([]) as { jobs: number })
      .jobs;
  const deadline = performance.now() + LONGEST_WAIT_FOR_JOBS_MS;
  while (count("state = 'queued'") > 0) {
    if (performance.now() > deadline) throw new Error(`${count("state = 'queued'")} jobs are left`);
    await Bun.sleep(100);
  }
  const failed = count("state = 'failed'");
  database.close();
  return failed;
}

import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { basic, type EntityJson } from '../support/test-repository.ts';
import { best, type Figure, ratioOf, report } from './report.ts';

/**
 * What the making of derivatives costs those who upload and those who wait: uploads with rules to uploads without, the
 * draining of a queue to the processor's own rate, the time from a commit to the start of its job, and what the
 * dispatcher takes while there is nothing to do. `make bench` prints it; `uploads` or `queue` as an argument is one half.
 */

const ROUNDS = 6;
const SECONDS = 1.5;
const UPLOADERS = 8;
const PHOTOGRAPH_BYTES = 1024 ** 2;
/** More than are uploaded to in a round. */
const NODES_AT_LEAST = 3_000;
const JOBS = 1_000;
/** The jobs before those that are measured: the processor is asked for some time before its rate is taken, too. */
const JOBS_BEFORE = 2_000;
const AT_ONCE = 8;
const DRAINS = 3;
const MAX_START_MS = 50;
const STARTS = 40;
const IDLE_SECONDS = 20;
const MAX_IDLE_PERCENT = 1;

const IMAGE = 'http://purl.org/coar/resource_type/c_c513';
const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';
const CONTEXTS = [
  ...['audio_original_file', 'image_original_file', 'pages', 'pdf_original_file'],
  ...['technical_metadata_on_ingest', 'video_original_file'],
];

const folder = await emptyFolder();
const figures: Figure[] = [];
try {
  const [part] = process.argv.slice(2);
  if (part !== 'queue') await measureUploads();
  if (part !== 'uploads') await measureQueue();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('Derivatives', figures);

/** Uploads of a photograph, and of next to nothing, to nodes: with the default rules, three jobs each, and with none that apply. */
async function measureUploads(): Promise<void> {
  // It takes jobs and never answers: what making costs is not the question here.
  const silent = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: () => new Promise<Response>(() => {}),
  });
  const noRules = join(folder, 'no-rules.yaml');
  await Bun.write(noRules, `contexts: { ${CONTEXTS.map((name) => `${name}: null`).join(', ')} }\n`);
  const withRules = await startRepository('with', { processors: [silent.url.href], maxConcurrent: 4 });
  const without = await startRepository('without', { rules: noRules });
  const icon = await readFile(join(import.meta.dir, '../../src/repository/files/generic-icon.png'));
  const photograph = Buffer.concat([icon, Buffer.alloc(PHOTOGRAPH_BYTES - icon.byteLength, 'x')]);
  const [ours, bare] = [await prepareUploads(withRules), await prepareUploads(without)];
  for (const [image, name, target] of [
    [photograph, 'upload of 1 MiB with rules (three jobs), to one without', 0.95],
    [icon, `the same of ${icon.byteLength} bytes`, 0.95],
  ] as const) {
    const [rates, bareRates]: [number[], number[]] = [[], []];
    await bare(image);
    await ours(image);
    for (let round = 0; round < ROUNDS; round++) {
      // In changing order: what one round leaves for the disk to do is done in the next.
      if (round % 2 === 0) bareRates.push(await bare(image));
      rates.push(await ours(image));
      if (round % 2 === 1) bareRates.push(await bare(image));
    }
    figures.push(ratioOf(name, [best(rates), best(bareRates)], target));
  }
  const queued = countJobs(join(folder, 'with'));
  if (queued < 6 * ROUNDS) throw new Error('the uploads queued nothing');
  console.log(`uploads queued ${queued} jobs`);
  await Promise.all([withRules.stop(), without.stop()]);
  silent.stop(true);
}

/** Returns a function that uploads an image to a node each for a while, and answers uploads per second. */
async function prepareUploads(server: ServerProcess): Promise<(image: Buffer) => Promise<number>> {
  const site = await siteOf(server);
  const nodes: number[] = [];
  let number = 0;
  const headers = { Authorization: basic('admin'), 'Content-Type': 'image/png' };
  return async (image) => {
    while (nodes.length < NODES_AT_LEAST) nodes.push(...(await Promise.all(Array.from({ length: 32 }, site.node))));
    const body = new Uint8Array(image);
    const startedAt = performance.now();
    let uploads = 0;
    await Promise.all(
      Array.from({ length: UPLOADERS }, async () => {
        while (performance.now() - startedAt < SECONDS * 1000) {
          const node = nodes.pop();
          if (node === undefined) throw new Error('there are more uploads than nodes');
          number += 1;
          const response = await fetch(`${server.url}/node/${node}/media/image/${site.originalFile}`, {
            method: 'PUT',
            body,
            headers: { ...headers, 'Content-Location': `public://bench/${number}.png` },
          });
          if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
          uploads += 1;
        }
      }),
    );
    return uploads / ((performance.now() - startedAt) / 1000);
  };
}

/** A queue of jobs that `cat` does, in the same process and with a processor beside it. */
async function measureQueue(): Promise<void> {
  const rules = join(folder, 'copy.yaml');
  await Bun.write(
    rules,
    `actions:
  copy:
    label: Copy
    source_term: ${ORIGINAL_FILE}
    derivative_term: http://pcdm.org/use#ServiceFile
    source_mimetypes: [text/plain]
    mimetype: text/plain
    destination_media_type: file
    path: 'copies/[node:nid].txt'
contexts:
${CONTEXTS.map((name) => `  ${name}: null`).join('\n')}
  copies:
    label: Copies
    conditions: [{ condition: media_has_term, uri: '${ORIGINAL_FILE}' }]
    actions: [copy]
`,
  );
  const commands = join(folder, 'cat.yaml');
  await Bun.write(
    commands,
    `allowedMimeTypes: ["*"]\nmaxConcurrent: ${AT_ONCE}\ncmdByMimeType: { default: { cmd: cat } }\n`,
  );
  const full = join(folder, 'queue');
  await fillQueue(full, rules);
  const processor = await startServer({ mode: 'processor', config: commands });
  const source = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('x'.repeat(1024), { headers: { 'Content-Type': 'text/plain' } }),
  });
  const get: Record<string, string> = { 'Apix-Ldp-Resource': source.url.href, Accept: 'text/plain' };
  const post = { method: 'POST', body: 'x'.repeat(1024), headers: { 'Content-Type': 'text/plain' } };
  const [gets, posts]: [number[], number[]] = [[], []];
  const [beside, within]: [Drained[], Drained[]] = [[], []];
  await rateOf(processor.url, { headers: get });
  for (let round = 0; round < DRAINS; round++) {
    gets.push(await rateOf(processor.url, { headers: get }));
    posts.push(await rateOf(processor.url, post));
    beside.push(await drain(full, { rules, processors: [processor.url], maxConcurrent: AT_ONCE }));
    within.push(await drain(full, { rules }, commands));
  }
  source.stop(true);
  const own = best(gets);
  for (const [name, drained] of [
    [`${JOBS} queued jobs through cat, to GET / of the processor`, beside],
    ['the same with the processor within', within],
  ] as const) {
    figures.push(ratioOf(name, [best(drained.map(({ warm }) => warm)), own], 0.5));
    figures.push(ratioOf(`${name}, from the start of the server`, [best(drained.map(({ first }) => first)), own], 0.5));
  }
  console.log(`POST / of the processor: ${best(posts).toFixed(0)} /s`);
  await measureStarts(rules, processor);
  await processor.stop();
}

async function rateOf(url: string, init: RequestInit): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next++ < JOBS) {
        const response = await fetch(url, init);
        const { byteLength } = await response.arrayBuffer();
        if (response.status !== 200 || byteLength !== 1024) throw new Error(`${response.status}: ${byteLength} bytes`);
      }
    }),
  );
  return JOBS / ((performance.now() - startedAt) / 1000);
}

async function fillQueue(data: string, rules: string): Promise<void> {
  const server = await startRepository('queue', { rules }, data);
  const site = await siteOf(server);
  for (let made = 0; made < JOBS_BEFORE + JOBS; made += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => upload(server, site, `queue/${made + index}.txt`)));
  await server.stop();
}

/** Jobs per second: of the first after the start of a server, and of as many after `JOBS_BEFORE`. */
interface Drained {
  readonly first: number;
  readonly warm: number;
}

/** Starts a repository on a copy of a full queue, and lets it do all jobs. */
async function drain(full: string, derivatives: object, processor?: string): Promise<Drained> {
  // What was drained before stays: where many files have just been removed, the file system is slow to make others.
  const data = await mkdtemp(join(folder, 'drained-'));
  await cp(full, data, { recursive: true });
  const server = await startRepository('drain', derivatives, data, processor);
  const database = new Libsql(join(data, 'repository.db'), { readonly: true });
  const left = database.prepare('SELECT count(*) AS jobs FROM derivative_job WHERE ended_at IS NULL');
  while ((left.get([]) as { jobs: number }).jobs > 0) await Bun.sleep(20);
  const { startedAt, ...done } = database
    .prepare('SELECT min(started_at) AS startedAt, count(*) AS jobs FROM derivative_job WHERE attempts = 1')
    .get([]) as { startedAt: number; jobs: number };
  const nth = database.prepare('SELECT ended_at AS at FROM derivative_job ORDER BY ended_at LIMIT 1 OFFSET ?');
  const endOf = (job: number) => (nth.get([job - 1]) as { at: number }).at;
  const first = JOBS / (endOf(JOBS) - startedAt);
  const warm = JOBS / (endOf(JOBS_BEFORE + JOBS) - endOf(JOBS_BEFORE));
  database.close();
  await server.stop();
  if (done.jobs !== JOBS_BEFORE + JOBS) throw new Error(`${done.jobs} jobs were done at the first attempt`);
  return { first, warm };
}

/** Measures the wait of a job in an idle repository, and the CPU time of an idle repository. */
async function measureStarts(rules: string, processor: ServerProcess): Promise<void> {
  const data = join(folder, 'starts');
  const server = await startRepository('starts', { rules, processors: [processor.url] }, data);
  const site = await siteOf(server);
  for (let number = 0; number < STARTS; number++) {
    await upload(server, site, `starts/${number}.txt`);
    await Bun.sleep(60);
  }
  const database = new Libsql(join(data, 'repository.db'), { readonly: true });
  const waits = database
    .prepare('SELECT started_at - created_at AS wait FROM derivative_job WHERE started_at IS NOT NULL')
    .all([]) as { wait: number }[];
  database.close();
  if (waits.length !== STARTS) throw new Error(`${waits.length} of ${STARTS} jobs were started`);
  limit(
    'start of a job after its commit, slowest',
    Math.max(...waits.map(({ wait }) => wait * 1000)),
    'ms',
    MAX_START_MS,
  );
  const before = await cpuSeconds(server.pid);
  await Bun.sleep(IDLE_SECONDS * 1000);
  const percent = (((await cpuSeconds(server.pid)) - before) / IDLE_SECONDS) * 100;
  limit(`an idle repository, over ${IDLE_SECONDS} s`, percent, '% of a core', MAX_IDLE_PERCENT);
  await server.stop();
}

async function upload(server: ServerProcess, site: Site, path: string): Promise<void> {
  const response = await fetch(`${server.url}/node/${await site.node()}/media/file/${site.originalFile}`, {
    method: 'PUT',
    headers: { Authorization: basic('admin'), 'Content-Type': 'text/plain', 'Content-Location': `public://${path}` },
    body: 'x'.repeat(1024),
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
}

/** In user and kernel mode, as proc_pid_stat(5) counts. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function countJobs(data: string): number {
  const database = new Libsql(join(data, 'repository.db'), { readonly: true });
  const { jobs } = database.prepare('SELECT count(*) AS jobs FROM derivative_job').get([]) as { jobs: number };
  database.close();
  return jobs;
}

async function startRepository(
  name: string,
  derivatives: object,
  data = join(folder, name),
  processor?: string,
): Promise<ServerProcess> {
  const config = join(folder, `${name}.yaml`);
  await Bun.write(config, JSON.stringify({ data, derivatives, ...(processor && { processor }) }));
  const mode = processor === undefined ? 'repository' : 'all';
  return startServer({ mode, config, args: ['--log-level', 'info'] });
}

interface Site {
  readonly originalFile: number;
  /** Creates an image node and returns its id. */
  node(): Promise<number>;
}

async function siteOf(server: ServerProcess): Promise<Site> {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const term = async (uri: string) => {
    const response = await fetch(`${server.url}/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`, {
      headers,
    });
    return ((await response.json()) as EntityJson[])[0]?.tid[0].value as number;
  };
  const [model, originalFile] = [await term(IMAGE), await term(ORIGINAL_FILE)];
  const body = JSON.stringify({
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: 'A picture' }],
    field_model: [{ target_id: model }],
  });
  return {
    originalFile,
    async node() {
      const response = await fetch(`${server.url}/node?_format=json`, { method: 'POST', headers, body });
      return ((await response.json()) as EntityJson).nid[0].value as number;
    },
  };
}

function limit(name: string, value: number, unit: string, most: number): void {
  figures.push({ name, ours: `${value.toFixed(1)} ${unit}`, limit: most, value });
}

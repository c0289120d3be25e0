import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD, basic, type EntityJson } from '../support/test-repository.ts';
import { until } from '../support/until.ts';
import { type Figure, peakRssMb, report } from './report.ts';

/** The merge of a term that many nodes use: its answer, and the time until all of them have the other term. */

const NODES = Number(process.env.REPO_BENCH_NODES ?? 20_000);
const MAX_ANSWER_MS = 1_000;
/** 200,000 nodes within 5 minutes. */
const MIN_RATE = 200_000 / 300;
/** The 99th percentile of requests beside it, as a multiple of that before. */
const MAX_RATIO = 2;
const MERGE_SECONDS = 1_800;
const READS = 300;

const folder = await emptyFolder();
const env = { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
const serve = () => startServer({ mode: 'repository', data: join(folder, 'data'), args: ['--log-level', 'warn'] });
const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] as number;
try {
  await (await serve()).stop();
  await importNodes();
  const server = await serve();
  const json = async (path: string, body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}${path}`, { headers, ...init });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const total = async (word: string) => ((await json(`/search?_format=json&q=${word}`)) as { total: number }).total;
  const read = async (times: number[]) => {
    const asked = performance.now();
    await (await fetch(`${server.url}/node/${1 + Math.floor(Math.random() * NODES)}?_format=json`)).arrayBuffer();
    times.push(performance.now() - asked);
  };
  const [wrong] = (await json('/vocabulary/subject?_format=json')) as EntityJson[];
  const into = (await json('/taxonomy/term?_format=json', {
    vid: [{ target_id: 'subject' }],
    name: [{ value: 'Quaysides' }],
  })) as EntityJson;
  const before: number[] = [];
  while (before.length < READS) await read(before);
  const worked = cpuSeconds(server.pid);
  const begun = performance.now();
  await json(`/taxonomy/term/${wrong?.tid[0].value}/merge?_format=json`, { into: into.tid[0].value });
  const answeredMs = performance.now() - begun;
  const beside: number[] = [];
  let isDone = false;
  const reading = (async () => {
    while (!isDone) {
      await read(beside);
      await Bun.sleep(10);
    }
  })();
  await until(
    async () => {
      await Bun.sleep(500);
      return (await total('quaysides')) === NODES;
    },
    { seconds: MERGE_SECONDS },
  );
  const seconds = (performance.now() - begun) / 1000;
  isDone = true;
  await reading;
  const processor = cpuSeconds(server.pid) - worked;
  const [quietMs, besideMs] = [p99(before), p99(beside)];
  const figures: Figure[] = [
    { name: 'answer', ours: `${answeredMs.toFixed(0)} ms`, value: answeredMs, limit: MAX_ANSWER_MS },
    {
      name: 'nodes found under the new name',
      ours: `${Math.round(NODES / seconds)} /s, all after ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time`,
      baseline: `${Math.round(MIN_RATE)} /s`,
      ratio: NODES / seconds / MIN_RATE,
      target: 1,
    },
    {
      name: 'GET meanwhile, p99',
      ours: `${besideMs.toFixed(1)} ms, before ${quietMs.toFixed(1)} ms`,
      value: besideMs / quietMs,
      limit: MAX_RATIO,
    },
  ];
  const rss = await peakRssMb(server.pid);
  figures.push({ name: 'peak memory', ours: `${rss} MB`, value: rss, limit: 400 });
  report(`A term of ${NODES} nodes merged into another one`, figures);
  await server.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Returns the seconds of processor time of a process (proc(5), fields 14 and 15 in hundredths). */
function cpuSeconds(pid: number): number {
  const { stdout } = Bun.spawnSync(['cat', `/proc/${pid}/stat`]);
  const fields = stdout.toString().split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function importNodes(): Promise<void> {
  const table = join(folder, 'nodes.csv');
  const rows = Array.from({ length: NODES }, (_, row) => `r${row},Letter ${row},Digital Document,subject:Harbours`);
  await Bun.write(table, ['id,title,field_model,field_subject', ...rows, ''].join('\n'));
  const child = Bun.spawn(
    [EXECUTABLE, 'import', table, '--data', join(folder, 'data'), '--create-terms', 'subject', '--quiet'],
    { env, cwd: folder, stdout: 'ignore', stderr: 'pipe' },
  );
  const [complaints, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`repo import ended with ${code}: ${complaints}`);
}

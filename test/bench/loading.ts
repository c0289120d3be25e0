import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD, basic } from '../support/test-repository.ts';
import { best, type Figure, peakRssMb, report } from './report.ts';
import { insertRowsAgain } from './rows-again.ts';
import { writeFiles, writeTable } from './write-table.ts';

/**
 * What moving a collection in costs: the questions that Islandora Workbench begins with, and imports of tables without
 * and with files. One of them alone: `loading.ts start`, `nodes` or `files`.
 */

const NODES = 100_000;
const FILES = 400;
const FILE_BYTES = 4 * 1024 ** 2;
const ROUNDS = 3;
/** Each takes a second, and the machine's own speed changes from one to the next. */
const STARTS = 10;
/** In turns with the baseline: either takes long enough for the machine to change its speed. */
const IMPORTS = 3;
const LOOK_EVERY_MS = 100;

const wanted = process.argv[2];
const folder = await emptyFolder();
const figures: Figure[] = [];
const env = { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
try {
  const parts = { start: coldStart, nodes: importNodes, files: importFiles };
  for (const [name, measure] of Object.entries(parts)) if (wanted === undefined || wanted === name) await measure();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('Moving a collection in', figures);

/** The questions of a first `create`, each over a connection of its own (spec: loader-api, 1.1 and 1.2). */
async function coldStart(): Promise<void> {
  const spent: number[] = [];
  let requests = 0;
  for (let round = 0; round < STARTS; round++) {
    const server = await startServer({ mode: 'repository', data: join(folder, `start-${round}`) });
    try {
      const before = await processorMs(server.pid);
      const ask = async (path: string) => {
        const headers = { Authorization: basic('admin'), 'User-Agent': 'Islandora Workbench' };
        const response = await fetch(`${server.url}/${path}`, { headers, keepalive: false });
        if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
        requests += 1;
        return response.json();
      };
      for (const question of ['version', 'version', 'core_version', 'version'])
        await ask(`islandora_workbench_integration/${question}`);
      const display = 'entity/entity_form_display/node.islandora_object.default?_format=json';
      await ask(display);
      const { dependencies } = (await ask(display)) as { dependencies: { config: string[] } };
      for (const name of dependencies.config.flatMap((each) => each.match(/^field\.field\.(.+)$/)?.[1] ?? [])) {
        const field = name.slice(name.lastIndexOf('.') + 1);
        await ask(`entity/field_config/${name}?_format=json`);
        await ask(`entity/field_storage_config/node.${field}?_format=json`);
      }
      spent.push((await processorMs(server.pid)) - before);
    } finally {
      await server.stop();
    }
  }
  const value = Math.round(Math.min(...spent));
  const name = `processor time of the ${requests / STARTS} requests before a first create`;
  figures.push({ name, ours: `${value} ms`, value, limit: 150 });
}

async function importNodes(): Promise<void> {
  const table = join(folder, 'nodes.csv');
  await writeTable(table, NODES);
  const ours: number[] = [];
  const bare: number[] = [];
  let peakMb = 0;
  for (let round = 0; round < IMPORTS; round++) {
    const data = join(folder, `nodes-${round}`);
    await makeRepository(data);
    const run = await runImport([table, '--data', data]);
    ours.push(run.seconds);
    peakMb = Math.max(peakMb, run.peakMb);
    const again = await insertRowsAgain(join(data, 'repository.db'), join(folder, `again-${round}.db`));
    bare.push(again.seconds);
    const [spent, bareSpent] = [run.seconds.toFixed(1), again.seconds.toFixed(1)];
    console.log(`${NODES} nodes in ${spent} s; their ${again.rows} rows one by one in ${bareSpent} s`);
  }
  const [seconds, bareSeconds] = [Math.min(...ours), Math.min(...bare)];
  const rate = Math.round(NODES / seconds);
  const name = `import of ${NODES} nodes`;
  figures.push({
    name: `${name}, to bare inserts of the same rows`,
    ours: `${seconds.toFixed(1)} s`,
    baseline: `${bareSeconds.toFixed(1)} s`,
    ratio: bareSeconds / seconds,
    target: 0.2,
  });
  figures.push({
    name: `${name}, to 3000 a second`,
    ours: `${rate} /s`,
    baseline: '3000 /s',
    ratio: rate / 3_000,
    target: 1,
  });
  figures.push({ name: `peak memory of that`, ours: `${peakMb} MB`, value: peakMb, limit: 300 });
}

async function importFiles(): Promise<void> {
  const files = join(folder, 'letters');
  const names = await writeFiles(files, FILES, FILE_BYTES);
  const table = join(folder, 'files.csv');
  await writeTable(table, FILES, (row) => names[row - 1] as string);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const data = join(folder, `files-${round}`);
    await makeRepository(data);
    ours.push((await runImport([table, '--files', files, '--data', data])).seconds);
    bare.push(await copyAndSum(files, join(folder, `copy-${round}`)));
    await rm(data, { recursive: true });
  }
  const megabytes = (FILES * FILE_BYTES) / 1e6;
  const [rate, bareRate] = [best(ours.map((s) => megabytes / s)), best(bare.map((s) => megabytes / s))];
  figures.push({
    name: `import of ${FILES} files of 4 MiB, to cp, sync and sha256sum`,
    ours: `${Math.round(rate)} MB/s`,
    baseline: `${Math.round(bareRate)} MB/s`,
    ratio: rate / bareRate,
    target: 0.7,
  });
}

/** The entities of every new repository, which no import counts: the administrator, and the terms of the model. */
async function makeRepository(data: string): Promise<void> {
  const server = await startServer({ mode: 'repository', data });
  await server.stop();
}

async function runImport(args: string[]): Promise<{ seconds: number; peakMb: number }> {
  const startedAt = performance.now();
  const child = Bun.spawn([EXECUTABLE, 'import', ...args, '--create-terms', 'person', '--quiet'], {
    env,
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let peakMb = 0;
  const look = setInterval(async () => {
    // The process may have ended meanwhile.
    peakMb = Math.max(peakMb, await peakRssMb(child.pid).catch(() => 0));
  }, LOOK_EVERY_MS);
  const [text, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearInterval(look);
  if (code !== 0) throw new Error(`repo import ended with ${code}: ${text}${complaints}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakMb };
}

/** Measures the same by hand: copies, on the disk, and their checksums. */
async function copyAndSum(from: string, to: string): Promise<number> {
  const startedAt = performance.now();
  const script = 'cp -r "$0" "$1" && sync -f "$1" && cd "$1" && sha256sum * > /dev/null';
  const child = Bun.spawn(['sh', '-c', script, from, to]);
  if ((await child.exited) !== 0) throw new Error('cp or sha256sum has failed');
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(to, { recursive: true });
  return seconds;
}

/** Milliseconds that the threads of a process have been running so far (proc(5), schedstat). */
async function processorMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}

import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { migrations } from '../../src/database/migrate.ts';
import { openForReading } from '../../src/database/remote/open-database.ts';
import { createEngine } from '../../src/search/engine/create-engine.ts';
import type { SearchRunner, Viewer } from '../../src/search/search-types.ts';
import { createSetup } from '../../src/search/setup.ts';
import { SearchThreads } from '../../src/search/thread/search-threads.ts';
import { loadModel } from '../../src/server/load-model.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD } from '../support/test-repository.ts';
import { OPEN_ACCESS } from '../support/unrestricted.ts';
import { load } from './raw-load.ts';
import { type Figure, inTurns, ratioOf, report } from './report.ts';
import { requests } from './repository-load.ts';
import { searchTableIn, writeSearchTable } from './search-table.ts';

/**
 * Searches beside Lucene on the same table (search-table.ts), with the 25 best, total and facets: processor time, which other work on the
 * machine disturbs less, and the time of the slowest. `REPO_BENCH_ITEMS=200000` and `1000000` are the full sizes; the tables are kept in the
 * folder for temporary files. Lucene needs Java 17 and Maven.
 */

const ITEMS = Number(process.env.REPO_BENCH_ITEMS ?? 50_000);
const SIZE = 25;
const ROUNDS = 6;
const CACHE_KIB = 32 * 1024;
const CLIENTS = 32;
const LOAD_SECONDS = 5;
const THREAD_SECONDS = 2;
const LUCENE = resolve(import.meta.dir, 'lucene');

const ANYONE: Viewer = {
  id: 0,
  isAuthenticated: false,
  nodes: { published: true, unpublished: 'none' },
  terms: { published: true, unpublished: 'none' },
  viewsMedia: true,
  access: OPEN_ACCESS,
};

/** The rate of one core, the time of the slowest hundredth in milliseconds, and the size of the index or database. */
interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly bytesOfItem: number;
}

const model = await loadModel(DEFAULT_SERVER_CONFIG);
const folder = await filledFolder();
const data = join(folder, 'data');
const queries = (await Bun.file(searchTableIn(folder).queries).text()).split('\n');
const figures: Figure[] = [];
const lucene = await measureLucene();
await measureServer();
const place = {
  ...{ file: join(data, 'repository.db'), url: undefined, authToken: undefined, syncUrl: undefined },
  cacheKib: CACHE_KIB,
};
const database = await openForReading(place);
try {
  // The server has written the file.
  const snapshots = { file: join(data, 'search-nodes.cache'), isWritten: false };
  const engine = createEngine(database, createSetup(model), { snapshots });
  const start = performance.now();
  await engine.search(ANYONE, { text: '' });
  const first = performance.now() - start;
  const ours = await measureEngine(engine);
  figures.push(ratioOf('searches of a core, to Lucene', [ours.perSecond, lucene.perSecond], 0.5));
  const slowest = ours.p99Ms / lucene.p99Ms;
  const shown = `${slowest.toFixed(2)}: ${ours.p99Ms.toFixed(1)} to ${lucene.p99Ms.toFixed(1)} ms`;
  figures.push({ name: 'p99 of a search, to Lucene', ours: shown, value: slowest, limit: 3 });
  const ofMillion = (first / ITEMS) * 1e6;
  const ofFirst = `${ofMillion.toFixed(0)} ms: ${first.toFixed(0)} ms for ${ITEMS} items`;
  figures.push({ name: 'the first search of a million items', ours: ofFirst, value: ofMillion, limit: 300 });
  const kib = ours.bytesOfItem / 1e3;
  const ofSize = `${kib.toFixed(2)} KB, Lucene without the items ${(lucene.bytesOfItem / 1e3).toFixed(2)} KB`;
  figures.push({ name: 'database, for each item', ours: ofSize, value: kib, limit: 3.5 });
  await printTables();
} finally {
  await database.close();
}
await measureThreads();
report(`Searches of ${ITEMS.toLocaleString('en-US')} items beside Lucene`, figures);

async function measureEngine(engine: SearchRunner): Promise<Measured> {
  let [least, p99Ms] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    const times: number[] = [];
    const start = process.cpuUsage();
    for (const text of queries) {
      const begin = performance.now();
      await engine.search(ANYONE, { text, size: SIZE });
      times.push(performance.now() - begin);
    }
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1e6 / queries.length);
    times.sort((one, other) => one - other);
    p99Ms = Math.min(p99Ms, times[Math.floor(times.length * 0.99)] as number);
  }
  return { perSecond: 1 / least, p99Ms, bytesOfItem: Bun.file(join(data, 'repository.db')).size / ITEMS };
}

async function measureLucene(): Promise<Measured> {
  const file = join(folder, 'classpath');
  const resolveParts = ['-q', '-f', join(LUCENE, 'pom.xml'), 'dependency:build-classpath', `-Dmdep.outputFile=${file}`];
  await run(['mvn', ...resolveParts]);
  const printed = await run(['java', '-cp', await Bun.file(file).text(), join(LUCENE, 'Peer.java'), folder]);
  const { cpuMs, p99Ms, bytesOfItem } = JSON.parse(printed);
  return { perSecond: 1_000 / cpuMs, p99Ms, bytesOfItem };
}

/** Prints what takes the database, the largest first. */
async function printTables(): Promise<void> {
  const { rows } = await database.client.execute(
    'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC LIMIT 20',
  );
  console.log(`\nbytes of an item: ${rows.map((row) => `${row[0]} ${Math.round(Number(row[1]) / ITEMS)}`).join(', ')}`);
}

/** The rate of two threads to that of one, which needs two cores without other work. */
async function measureThreads(): Promise<void> {
  const pools = [2, 1].map(
    (threads) => new SearchThreads({ place, setup: createSetup(model) }, console.warn, { threads }),
  );
  // Bun waits for the messages of threads only while something else is open.
  const open = setInterval(() => {}, 1_000);
  const rateOf = (pool: SearchThreads) => async () => {
    const begin = performance.now();
    let sent = 0;
    const searchOn = async () => {
      while (performance.now() - begin < THREAD_SECONDS * 1_000)
        await pool.search(ANYONE, { text: queries[sent++ % queries.length] as string, size: SIZE });
    };
    await Promise.all(Array.from({ length: CLIENTS }, searchOn));
    return sent / ((performance.now() - begin) / 1_000);
  };
  try {
    const [two, one] = pools.map(rateOf) as [() => Promise<number>, () => Promise<number>];
    await two();
    figures.push(ratioOf('searches of two threads, to one', await inTurns(two, one), 1.8));
  } finally {
    clearInterval(open);
    for (const pool of pools) await pool.close();
  }
}

/** Prints the rates of a server, which the load of the clients and the other work of the machine share. */
async function measureServer(): Promise<void> {
  // The searches of strangers have a budget otherwise.
  const config = join(await emptyFolder(), 'repository.yaml');
  await writeFile(config, 'robots: { totalBudget: 0 }\n');
  const server = await startServer({ mode: 'repository', data, config, args: ['--log-level', 'warn'] });
  try {
    await (await fetch(`${server.url}/search?_format=json`)).arrayBuffer();
    const next = (_: number, sent: number) =>
      requests.get(
        `/search?_format=json&size=${SIZE}&q=${(queries[sent % queries.length] as string).replace(' ', '+')}`,
      );
    for (const connections of [1, CLIENTS]) {
      const { perSecond, p50 } = await load({
        port: server.port,
        connections,
        seconds: LOAD_SECONDS,
        next,
        statuses: [200],
      });
      console.log(`a server with ${connections} clients: ${perSecond.toFixed(0)} searches/s, p50 ${p50.toFixed(1)} ms`);
    }
  } finally {
    await server.stop();
  }
}

/** Returns the folder of the table, its queries and a repository with its items, which is made once for each version of the database. */
async function filledFolder(): Promise<string> {
  const made = join(tmpdir(), `repo-bench-search-peer-${ITEMS}-${migrations.length}`);
  if (existsSync(made)) return made;
  const unfinished = `${made}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  await writeSearchTable(unfinished, ITEMS);
  const filled = join(unfinished, 'data');
  await (await startServer({ mode: 'repository', data: filled })).stop();
  const { csv } = searchTableIn(unfinished);
  await run([EXECUTABLE, 'import', csv, '--data', filled, '--create-terms', 'subject', '--quiet']);
  await rename(unfinished, made);
  return made;
}

async function run(args: string[]): Promise<string> {
  const env = { ...process.env, REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
  const child = Bun.spawn(args, { env, stdout: 'pipe', stderr: 'pipe' });
  const [printed, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${complaints}`);
  return printed;
}

import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import type { Database } from '../../src/database/database.ts';
import { migrations } from '../../src/database/migrate.ts';
import { openForReading } from '../../src/database/remote/open-database.ts';
import { createEngine } from '../../src/search/engine/create-engine.ts';
import type { SearchQuery, Viewer } from '../../src/search/search-types.ts';
import { createSetup } from '../../src/search/setup.ts';
import { loadModel } from '../../src/server/load-model.ts';
import { createRandom } from '../support/random.ts';
import { startServer } from '../support/server-process.ts';
import { OPEN_ACCESS } from '../support/unrestricted.ts';
import { fillSearch } from './fill-search.ts';
import { type Load, type LoadResult, load } from './raw-load.ts';
import { type Figure, report } from './report.ts';
import { requests } from './repository-load.ts';

/**
 * How large the index is, and how long searches take: processor time of the thread, the least of several rounds. `REPO_BENCH_NODES=1000000` is the full
 * size, which takes minutes to generate; a tenth of the nodes has 2,000 words of extracted text. The repository is kept in
 * the folder for temporary files.
 */

const NODES = Number(process.env.REPO_BENCH_NODES ?? 50_000);
const ROUNDS = 7;
const CACHE_KIB = 32 * 1024;
const READERS = 4;
const SEARCHERS = 32;
const LOAD_SECONDS = 5;
/** The first nodes are collections. */
const COLLECTIONS = 500;

const ANYONE: Viewer = {
  id: 0,
  isAuthenticated: false,
  nodes: { published: true, unpublished: 'none' },
  terms: { published: true, unpublished: 'none' },
  viewsMedia: true,
  access: OPEN_ACCESS,
};

const model = await loadModel(DEFAULT_SERVER_CONFIG);
const figures: Figure[] = [];
const folder = await filledFolder();
const place = { file: join(folder, 'repository.db'), url: undefined, authToken: undefined, syncUrl: undefined };
const database = await openForReading({ ...place, cacheKib: CACHE_KIB });
const word = await wordsByFrequency(database);
try {
  await measureSize();
  await measureEngine();
  await measureClients();
} finally {
  await database.close();
}
report(`Search in ${NODES.toLocaleString('en-US')} nodes`, figures);

/** The index beside the texts that it finds: titles, descriptions and extracted text. */
async function measureSize(): Promise<void> {
  const sum = async (sql: string) => Number((await database.client.execute(sql)).rows[0]?.[0]);
  const tables = ['search_text_*', 'node_record*', 'extracted_text*', 'sqlite_autoindex_extracted_text*'];
  const names = tables.map((each) => `name GLOB '${each}'`).join(' OR ');
  const bytes = await sum(`SELECT sum(pgsize) FROM dbstat WHERE ${names}`);
  const own = await sum("SELECT sum(length(label) + length(document ->> '$.field_description[0].value')) FROM node");
  const stored = await database.client.execute('SELECT text FROM extracted_text LIMIT 1000');
  const sampled = stored.rows.reduce((all, row) => all + Bun.zstdDecompressSync(row[0] as ArrayBuffer).byteLength, 0);
  const extracted = (sampled / stored.rows.length) * (await sum('SELECT count(*) FROM extracted_text'));
  const ratio = bytes / (own + extracted);
  const ours = `${ratio.toFixed(2)} of ${Math.round((own + extracted) / 1e6)} MB`;
  figures.push({ name: 'size of the index, to that of the text', ours, value: ratio, limit: 1.3 });
}

/** The time of a GET while other clients search, to the time without them. */
async function measureClients(): Promise<void> {
  const server = await startServer({ mode: 'repository', data: folder, args: ['--log-level', 'warn'] });
  try {
    const random = createRandom(1);
    const get = () => requests.get(`/node/${COLLECTIONS + random.below(NODES - COLLECTIONS)}?_format=json`);
    const readers = () => clients(server.port, READERS, get, [200, 401, 403]);
    const queries = [word(1_000), word(NODES / 100), word(NODES / 12), `${word(1_000)}+${word(NODES / 100)}`];
    const search = (_: number, sent: number) =>
      requests.get(`/search?_format=json&q=${queries[sent % queries.length]}`);
    // The first search loads all nodes.
    await (await fetch(`${server.url}/search?_format=json`)).arrayBuffer();
    const alone = await readers();
    const searching = clients(server.port, SEARCHERS, search, [200]);
    const beside = await readers();
    const { perSecond } = await searching;
    const value = beside.p50 / alone.p50;
    const times = `${beside.p50.toFixed(1)} to ${alone.p50.toFixed(1)} ms, beside ${perSecond.toFixed(0)} searches/s`;
    const name = `a GET of ${READERS} clients while ${SEARCHERS} search, to one alone`;
    figures.push({ name, ours: `${value.toFixed(2)}: ${times}`, value, limit: 2 });
  } finally {
    await server.stop();
  }
}

function clients(port: number, connections: number, next: Load['next'], statuses: number[]): Promise<LoadResult> {
  return load({ port, connections, seconds: LOAD_SECONDS, next, statuses });
}

async function measureEngine(): Promise<void> {
  const engine = createEngine(database, createSetup(model));
  const search = (query: Partial<SearchQuery>) => () => engine.search(ANYONE, { text: '', ...query });
  const start = process.cpuUsage();
  await engine.search(ANYONE, { text: '' });
  console.log(`the first search, which loads all nodes: ${cpuMs(start).toFixed(0)} ms`);
  const common = word(NODES);
  const upTo10000 = word(Math.min(10_000, NODES / 5));
  await add('up to 10,000 hits, all facets, first page', 50, search({ text: upTo10000 }));
  await add('the same without facets', 10, search({ text: upTo10000, hasFacets: false }));
  await add('1,000 hits without facets', 10, search({ text: word(1_000), hasFacets: false }));
  await add('80,000 hits, all facets', 300, search({ text: word(80_000) }));
  await add('the most frequent word, all facets', 300, search({ text: common }));
  await add('everything, all facets', 300, search({}));
  await add('everything by title', 300, search({ sort: 'title' }));
  await add('the last page of everything', 300, search({ page: Math.floor((NODES * 0.97) / 20) }));
  await add('two frequent words', 300, search({ text: `${common} ${word(NODES / 3)}` }));
  await add('a phrase of them', 300, search({ text: `"${common} ${word(NODES / 3)}"` }));
  await add('words that begin with three letters', 300, search({ text: `${upTo10000.slice(0, 3)}*` }));
  await add('no result, another query suggested', 300, search({ text: `${word(1_000)}q` }));
  await add('titles and names that begin with a letter pair', 10, () => engine.suggest(ANYONE, upTo10000.slice(0, 2)));
}

async function add(name: string, limit: number, work: () => Promise<unknown>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    await work();
    least = Math.min(least, cpuMs(start));
  }
  figures.push({ name, ours: `${least.toFixed(1)} ms`, value: least, limit });
}

function cpuMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Returns a function that finds the word whose number of nodes is nearest to a number. */
async function wordsByFrequency({ client }: Database): Promise<(nodes: number) => string> {
  const { rows } = await client.execute("SELECT term, doc FROM search_word WHERE term < 'c' ORDER BY doc");
  return (nodes) => {
    const distance = (row: (typeof rows)[number]) => Math.abs((row[1] as number) - nodes);
    return String(rows.reduce((best, row) => (distance(row) < distance(best) ? row : best))[0]);
  };
}

/** Returns the data folder of the generated repository, which is made once for each version of the database. */
async function filledFolder(): Promise<string> {
  const made = join(tmpdir(), `repo-bench-search-${NODES}-${migrations.length}`);
  if (existsSync(made)) return made;
  const unfinished = `${made}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  const server = await startServer({ from: 'source', data: unfinished });
  await server.stop();
  const facetNumber = (name: string) => model.search.facets.findIndex((facet) => facet.name === name);
  fillSearch(join(unfinished, 'repository.db'), { nodes: NODES, withText: NODES / 10, facetNumber });
  await rename(unfinished, made);
  return made;
}

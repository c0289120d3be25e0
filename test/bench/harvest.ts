import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { fillRepository } from './fill.ts';
import { type Figure, peakRssMb, report } from './report.ts';

/** The sitemap, and harvests of a whole repository over OAI-PMH, in records a second. REPO_BENCH_NODES=1000000 is a large repository. */

const NODES = Number(process.env.REPO_BENCH_NODES ?? 100_000);
/** Records a second of one harvester, with all time, and with the processor time of the server alone. */
const MIN_RATE = 5_000;
/** Beyond the memory that the server has after the first part of a list. */
const MAX_GROWTH_MB = 250;
/** For 1,000,000 nodes. */
const MAX_SITEMAP_SECONDS = 10;
const TICKS_PER_SECOND = 100;
const RECORDS_A_SECOND = 50;
const FIRST_STAMP = 1_700_000_000;

const folder = await emptyFolder();
const figures: Figure[] = [];
let server: ServerProcess | undefined;
try {
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder);
  await fillRepository(dataFolder, NODES);
  addRecords(join(dataFolder, 'repository.db'));
  server = await startServer({ mode: 'repository', data: dataFolder, args: ['--log-level', 'warn'] });
  await measureSitemap(server);
  for (const format of ['oai_dc', 'mods', 'datacite']) await measure(server, 'ListRecords', format);
  await measure(server, 'ListIdentifiers', 'oai_dc');
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
report(`Harvests of ${NODES.toLocaleString('en')} records`, figures);

/** Adds the records of nodes that were copied, with the times of a repository that grew over months. */
function addRecords(file: string): void {
  const database = new Libsql(file);
  database.exec(`INSERT INTO node_record
      (nid, sequence, status, owner_id, bundle, created, changed, harvest_stamp, title_key, has_text, facets, collections, text_hash)
    SELECT id, (SELECT coalesce(max(sequence), 0) FROM node_record) + id, status, owner_id, bundle, changed, changed,
      ${FIRST_STAMP} + id / ${RECORDS_A_SECOND}, label, 0, x'', (SELECT json_group_array(target_id) FROM reference
        WHERE source_type = 'node' AND source_id = node.id AND field = 'field_member_of'), ''
    FROM node WHERE id NOT IN (SELECT nid FROM node_record)`);
  database.close();
}

async function measure({ url, pid }: ServerProcess, verb: string, format: string): Promise<void> {
  const address = `${url}/oai/request?verb=${verb}`;
  const start = performance.now();
  const processor = await processorSeconds(pid);
  let [records, bytes, memory] = [0, 0, 0];
  let next: string | undefined = `metadataPrefix=${format}`;
  while (next !== undefined) {
    const text: string = await (await fetch(`${address}&${next}`)).text();
    records += text.split('<header>').length - 1;
    bytes += text.length;
    if (memory === 0) memory = await peakRssMb(pid);
    const [, token]: (string | undefined)[] = /<resumptionToken [^>]*>([^<]+)</.exec(text) ?? [];
    next = token && `resumptionToken=${encodeURIComponent(token)}`;
  }
  if (records < NODES) throw new Error(`${verb} of ${format} lists ${records} of ${NODES} records`);
  const seconds = (performance.now() - start) / 1000;
  const busy = (await processorSeconds(pid)) - processor;
  const name = `${verb}, ${format}`;
  const rates = `${Math.round(records / seconds)} a second, ${Math.round(records / busy)} a second of processor time`;
  const figure = { baseline: `${MIN_RATE} a second`, ratio: records / busy / MIN_RATE, target: 1 };
  figures.push({ name, ours: `${rates}, ${Math.round(bytes / 1e6)} MB`, ...figure });
  const growth = (await peakRssMb(pid)) - memory;
  figures.push({
    name: `${name}: memory after its first part`,
    ours: `${growth} MB`,
    value: growth,
    limit: MAX_GROWTH_MB,
  });
}

/** Reads the index of the sitemap and all of its parts, one after the other. */
async function measureSitemap({ url, pid }: ServerProcess): Promise<void> {
  const memory = await peakRssMb(pid);
  const start = performance.now();
  const processor = await processorSeconds(pid);
  const index = await (await fetch(`${url}/sitemap.xml`)).text();
  let [addresses, bytes] = [0, 0];
  for (const [, part = ''] of index.matchAll(/<loc>([^<]+)</g)) {
    const text = await (await fetch(part)).text();
    addresses += text.split('<url>').length - 1;
    bytes += text.length;
  }
  if (addresses < NODES) throw new Error(`the sitemap lists ${addresses} of ${NODES} nodes`);
  const seconds = (performance.now() - start) / 1000;
  const busy = (await processorSeconds(pid)) - processor;
  const growth = (await peakRssMb(pid)) - memory;
  const ours = `${seconds.toFixed(1)} s, ${busy.toFixed(1)} s of processor time, ${Math.round(bytes / 1e6)} MB`;
  figures.push({ name: 'Sitemap', ours, value: busy, limit: (MAX_SITEMAP_SECONDS * NODES) / 1_000_000 });
  figures.push({ name: 'Sitemap: memory', ours: `${growth} MB`, value: growth, limit: MAX_GROWTH_MB });
}

/** Returns the processor time of a process so far, in seconds. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

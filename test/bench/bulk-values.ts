import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { confirmPage, movedTo, progressOf } from '../support/bulk-call.ts';
import { copyMembers } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { errorsOf, signedIn } from '../support/form-call.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { type Figure, peakRssMb, report } from './report.ts';

/**
 * One value is set in many items, and set back by the undo, beside readers. `bulk-values.ts 10000` with that number of items.
 */

const ITEMS = Number(process.argv[2] ?? 50_000);
/** The limit for 50,000 items, in seconds. */
const MAX_SECONDS = 60;
const MAX_RATIO = 2;
const READERS = 4;
/** The time between two reads of a reader, in milliseconds. */
const PAUSE_MS = 20;
const SECONDS = 1_800;
/** The time for which the latency without a change is measured, in milliseconds. */
const QUIET_MS = 10_000;

const folder = await emptyFolder();
const figures: Figure[] = [];
try {
  const data = join(folder, 'data');
  await mkdir(data);
  const serve = () => startServer({ mode: 'repository', data, args: ['--log-level', 'warn'] });
  let server = await serve();
  const { build } = server;
  const top = await build.node('collection', 'Letters of all years');
  const [present, next] = [await build.term('subject', 'Harbors'), await build.term('subject', 'Harbours')];
  const member = await build.node('image', 'Letter', { field_member_of: [top], field_subject: [present] });
  await server.stop();
  await fill(join(data, 'repository.db'), member);
  server = await serve();
  const database = new Libsql(join(data, 'repository.db'), { readonly: true });
  const open = ['search_pending', "run WHERE kind = 'index' AND state = 'running'"];
  const counts = open.map((rows) => database.prepare(`SELECT count(*) FROM ${rows}`).raw());
  const records = database.prepare('SELECT count(*) FROM node_record').raw();
  const isIndexed = () => Number((records.get() as number[])[0]) >= ITEMS;
  const isQuiet = () => isIndexed() && counts.every((count) => (count.get() as number[])[0] === 0);
  await until(isQuiet, { seconds: SECONDS });
  const quiet = await readersBeside(server, member, () => Bun.sleep(QUIET_MS));
  const browser = await signedIn(server, 'admin');
  const form = await (await confirmPage(browser, 'node', 'values', `collection=${top}`)).submit(
    { field: 'field_subject', operation: 'replace' },
    { button: ['do', 'edit'] },
  );
  const typed = { 'present.0.target_id': `Harbors (${present})`, 'value.0.target_id': `Harbours (${next})` };
  const previewAt = performance.now();
  const preview = await form.submit(typed, { button: ['do', 'preview'] });
  const previewMs = performance.now() - previewAt;
  if (preview.status !== 200) throw new Error(errorsOf(preview).join(' '));
  const path = movedTo(await preview.submit({}, { button: ['do', 'save'] }));
  await measure('set', path);
  const undo = movedTo(await (await browser.open(path)).submit({}, { action: `${path}/undo` }));
  await measure('undone', undo);
  const rss = await peakRssMb(server.pid);
  figures.push({ name: 'preview', ours: `${previewMs.toFixed(0)} ms`, value: previewMs, limit: 2_000 });
  figures.push({ name: 'peak memory', ours: `${rss} MB`, value: rss, limit: 500 });
  await server.stop();

  async function measure(name: string, run: string): Promise<void> {
    const begun = performance.now();
    const processor = await processorSeconds(server.pid);
    const times = await readersBeside(server, member, () =>
      until(async () => (await progressOf(browser, run)).state === 'done', { seconds: SECONDS }),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const used = (await processorSeconds(server.pid)) - processor;
    const { counts: results } = await progressOf(browser, run);
    if (results.done !== ITEMS) throw new Error(`${name}: ${JSON.stringify(results)}`);
    const limit = (MAX_SECONDS * ITEMS) / 50_000;
    const ratio = p99(times) / p99(quiet);
    figures.push(
      {
        name: `${name} in ${ITEMS} items`,
        ours: `${seconds.toFixed(1)} s (${used.toFixed(1)} s of processor time)`,
        value: seconds,
        limit,
      },
      {
        name: '  p99 of readers beside it',
        ours: `${p99(times).toFixed(1)} ms, ${p99(quiet).toFixed(1)} ms before`,
        value: ratio,
        limit: MAX_RATIO,
      },
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
report(`A value changed in ${ITEMS} items`, figures);

/** Copies a node, and lets the next start build the index: the copies are not in it. */
async function fill(file: string, node: number): Promise<void> {
  const database = openLocalDatabase(file);
  await copyMembers(database, node, ITEMS - 1);
  await database.write(["UPDATE search_index SET version = ''"]);
  await database.close();
}

/** Reads an item again and again until some work is done. Returns the times of the reads in milliseconds. */
async function readersBeside({ fetch }: ServerProcess, node: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const reader = async () => {
    while (!isOver) {
      const at = performance.now();
      const response = await fetch(`/node/${node}?_format=json`);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${response.status}`);
      times.push(performance.now() - at);
      await Bun.sleep(PAUSE_MS);
    }
  };
  const readers = Array.from({ length: READERS }, reader);
  await work();
  isOver = true;
  await Promise.all(readers);
  return times;
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

/** Returns the processor time of a process so far, in seconds. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text();
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
}

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { copyMembers } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { type Figure, peakRssMb, report } from './report.ts';

/**
 * One request that concerns many nodes, and the longest read and write of others beside it, until all of its work is done.
 * `large-changes.ts 1000` with that number of nodes.
 */

const NODES = Number(process.argv[2] ?? 100_000);
const MAX_ANSWER_MS = 300;
const MAX_OTHER_MS = 250;
const SECONDS = 1_800;
const READERS = 2;
const longest = (one: number, other: number) => Math.max(one, other);

const folder = await emptyFolder();
const figures: Figure[] = [];
const JSON_BODY = { 'Content-Type': 'application/json' };
try {
  const data = join(folder, 'data');
  await mkdir(data);
  const serve = () => startServer({ mode: 'repository', data, args: ['--log-level', 'warn'] });
  let server = await serve();
  const { build } = server;
  const top = await build.node('collection', 'Letters of all years');
  const term = await build.term('subject', 'Harbours');
  const member = await build.node('image', 'Letter', { field_member_of: [top], field_subject: [term] });
  const other = await build.node('image', 'Beside');
  await server.stop();
  await fill(join(data, 'repository.db'), member);
  server = await serve();
  const database = new Libsql(join(data, 'repository.db'), { readonly: true });
  const OPEN = [
    'search_pending',
    'search_pending_term',
    'removed_target',
    "run WHERE kind = 'index' AND state = 'running'",
  ];
  const counts = OPEN.map((rows) => database.prepare(`SELECT count(*) FROM ${rows}`).raw());
  const isQuiet = () => counts.every((count) => (count.get() as number[])[0] === 0);
  await until(isQuiet, { seconds: SECONDS });
  const patch = (path: string, body: object) =>
    server.fetch(`${path}?_format=json`, { method: 'PATCH', headers: JSON_BODY, body: JSON.stringify(body) });
  const remove = (path: string) => server.fetch(`${path}?_format=json`, { method: 'DELETE' });
  await measure('a renamed term', server, other, isQuiet, () =>
    patch(`/taxonomy/term/${term}`, { vid: [{ target_id: 'subject' }], name: [{ value: 'Quaysides' }] }),
  );
  await measure('an unpublished collection', server, other, isQuiet, () =>
    patch(`/node/${top}`, { type: [{ target_id: 'islandora_object' }], status: [{ value: false }] }),
  );
  await measure('a deleted term', server, other, isQuiet, () => remove(`/taxonomy/term/${term}`));
  await measure('a deleted collection', server, other, isQuiet, () => remove(`/node/${top}`));
  const rss = await peakRssMb(server.pid);
  figures.push({ name: 'peak memory', ours: `${rss} MB`, value: rss, limit: 500 });
  await server.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report(`Changes that concern ${NODES} nodes`, figures);

/** Copies a node, and lets the next start build the index: the copies are not in it. */
async function fill(file: string, member: number): Promise<void> {
  const database = openLocalDatabase(file);
  await copyMembers(database, member, NODES - 1);
  await database.write(["UPDATE search_index SET version = ''"]);
  await database.close();
}

async function measure(
  name: string,
  { fetch }: ServerProcess,
  other: number,
  isDone: () => boolean,
  change: () => Promise<Response>,
): Promise<void> {
  const begun = performance.now();
  let isOver = false;
  const [reads, writes]: [number[], number[]] = [[], []];
  const timed = async (times: number[], ask: () => Promise<Response>) => {
    while (!isOver) {
      const at = performance.now();
      const response = await ask();
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${response.status} beside ${name}`);
      times.push(performance.now() - at);
    }
  };
  let title = 0;
  const write = () =>
    fetch(`/node/${other}?_format=json`, {
      method: 'PATCH',
      headers: JSON_BODY,
      body: JSON.stringify({ type: [{ target_id: 'islandora_object' }], title: [{ value: `Beside ${title++}` }] }),
    });
  const beside = [
    ...Array.from({ length: READERS }, () => timed(reads, () => fetch(`/node/${other}?_format=json`))),
    timed(writes, write),
  ];
  await Bun.sleep(500);
  const changedAt = performance.now();
  const response = await change();
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  const answeredMs = performance.now() - changedAt;
  await until(isDone, { seconds: SECONDS });
  isOver = true;
  await Promise.all(beside);
  const seconds = (performance.now() - begun) / 1000;
  const [read, written] = [reads.reduce(longest), writes.reduce(longest)];
  figures.push(
    { name: `${name}: answer`, ours: `${answeredMs.toFixed(0)} ms`, value: answeredMs, limit: MAX_ANSWER_MS },
    {
      name: '  longest read beside it',
      ours: `${read.toFixed(0)} ms of ${reads.length}`,
      value: read,
      limit: MAX_OTHER_MS,
    },
    {
      name: '  longest write beside it',
      ours: `${written.toFixed(0)} ms of ${writes.length}`,
      value: written,
      limit: MAX_OTHER_MS,
    },
    { name: '  until all is done', ours: `${seconds.toFixed(1)} s`, value: seconds, limit: SECONDS },
  );
}

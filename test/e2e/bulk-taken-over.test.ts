import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import type Libsql from 'libsql';
import { confirmPage, endOf, movedTo, progressOf, runBulk } from '../support/bulk-call.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type FormBrowser, signedIn } from '../support/form-call.ts';
import { openBesideServer } from '../support/open-beside-server.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const ITEMS = sized(600, 2_000);

let folder: string;
let first: ServerProcess;
let second: ServerProcess;
let database: Libsql.Database;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
  first = await startServer({ from: 'source', data: folder });
  second = await startServer({ from: 'source', data: folder });
  database = openBesideServer(`${folder}/repository.db`);
}, 60_000);
afterAll(async () => {
  database.close();
  await Promise.all([first.kill(), second.kill()]);
  await rm(folder, { recursive: true, force: true });
});

const read = (sql: string) => database.prepare(sql).raw().all();
/** The lease of a run, and how far it is. */
const stateOf = (path: string) => {
  const id = path.split('/').at(-1);
  return {
    run: read(`SELECT state, lease, worked FROM run WHERE id = ${id}`),
    items: read(`SELECT state, count(*) FROM bulk_item WHERE run_id = ${id} GROUP BY state ORDER BY state`),
  };
};

async function createItems(count: number, title: string): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count)
    ids.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(100, count - ids.length) }, () => first.build.node('image', title)),
      )),
    );
  return ids;
}

/** Halts a process at a moment at which others can write. */
async function halt({ pid }: ServerProcess): Promise<void> {
  await until(async () => {
    process.kill(pid, 'SIGSTOP');
    try {
      database.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK; PRAGMA busy_timeout = 10000');
      return true;
    } catch {
      process.kill(pid, 'SIGCONT');
      return false;
    }
  });
}

it(`a bulk change of ${ITEMS} items that another process has taken over gets nothing more from the one before`, async () => {
  const spare = await createItems(3, 'Glass plate');
  await createItems(ITEMS, 'Glass negative');
  const [one, two] = [await signedIn(first, 'admin'), await signedIn(second, 'admin')];
  /** Lets a process look for runs: when a change of its own has ended twice, it has looked for others, too. */
  const looks = async (browser: FormBrowser) => {
    for (const action of ['unpublish', 'publish']) await runBulk(browser, 'node', action, spare);
  };

  const path = movedTo(await (await confirmPage(one, 'node', 'unpublish', 'title=Glass negative')).submit());
  await until(async () => (await progressOf(one, path)).counts.done >= ITEMS / 10, { seconds: 60 });
  await halt(first);
  const halted = stateOf(path);
  expect(halted.run).toEqual([['running', expect.stringMatching(`-${first.pid}-`), expect.any(Number)]]);

  // The process is not dead, and its lease has not expired.
  await looks(two);
  expect(stateOf(path)).toEqual(halted);

  database.exec(`UPDATE run SET lease_until = unixepoch() - 1 WHERE kind = 'bulk' AND state = 'running'`);
  await runBulk(two, 'node', 'unpublish', spare);
  await until(async () => (await progressOf(two, path)).counts.done >= ITEMS / 2, { seconds: 60 });
  await halt(second);
  const taken = stateOf(path);
  expect(taken.run).toEqual([['running', expect.stringMatching(`-${second.pid}-`), expect.any(Number)]]);

  process.kill(first.pid, 'SIGCONT');
  await looks(one);
  expect(stateOf(path)).toEqual(taken);

  process.kill(second.pid, 'SIGCONT');
  const { state, counts } = await endOf(two, path);
  expect({ state, counts }).toEqual({
    state: 'done',
    counts: { waiting: 0, done: ITEMS, unchanged: 0, skipped: 0, failed: 0 },
  });
  expect([await first.stop(), await second.stop()]).toEqual([0, 0]);
  expect([first.complaints, second.complaints]).toEqual([[], []]);
  expect(
    read(`SELECT count(*), count(DISTINCT entity_id) FROM node_revision
      WHERE log LIKE 'Unpublished (bulk%' AND entity_id NOT IN (${spare})`),
  ).toEqual([[ITEMS, ITEMS]]);
}, 240_000);

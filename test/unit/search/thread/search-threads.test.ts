import { afterEach, beforeEach, describe, expect, it, jest } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { SearchThreads } from '../../../../src/search/thread/search-threads.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { failure } from '../../../support/rejection.ts';
import { ANONYMOUS, nodeRow, SETUP } from '../../../support/search-rows.ts';
import { until } from '../../../support/until.ts';

const CRASHING = new URL('../../../support/crashing-worker.ts', import.meta.url).href;

const HALTING = new URL('../../../support/halting-worker.ts', import.meta.url).href;
const SILENT = new URL('../../../support/silent-worker.ts', import.meta.url).href;

let database: Database;
let databaseFile: string;
let thread: SearchThreads;
let warnings: string[];

const placeOf = (file: string) => ({ file, url: undefined, authToken: undefined, syncUrl: undefined, cacheKib: 1_024 });
const find = (text = 'harbour', signal?: AbortSignal) => thread.search(ANONYMOUS, { text }, { signal });

beforeEach(async () => {
  const file = join(await emptyFolder(), 'a.db');
  databaseFile = file;
  database = openLocalDatabase(file);
  await migrate(database.client, 1);
  await database.write([1, 2, 3].flatMap((nid) => nodeRow({ nid, title: `Harbour ${nid}` })));
  warnings = [];
  thread = new SearchThreads({ place: placeOf(file), setup: SETUP }, (message) => warnings.push(message));
});
afterEach(async () => {
  await thread.close();
  await database.close();
});

describe('the threads of searches', () => {
  it('answers searches and suggestions, and follows writes', async () => {
    expect((await find()).total).toBe(3);
    expect((await thread.suggest(ANONYMOUS, 'harbour 2')).map(({ text }) => text)).toEqual(['Harbour 2']);
    await database.write(nodeRow({ nid: 4, title: 'Harbour 4' }));
    expect((await find()).total).toBe(4);
  });

  it('passes on errors', async () => {
    const error = await failure(thread.search(ANONYMOUS, { text: 'harbour', after: 'forged' }));
    expect(error).toMatchObject({ kind: 'malformed' });
    expect((error as Error).message).toContain('"after" is not a position in this search');
  });

  it('refuses searches beyond a limit, with a retry time', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 80 }, () => find()));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(80 - 65);
    expect(refused[0]).toMatchObject({ reason: { kind: 'over-capacity', headers: { 'Retry-After': '2' } } });
    expect((await find()).total).toBe(3);
  });

  it('refuses a search that has waited too long for others, with a retry time', async () => {
    await thread.close();
    thread = new SearchThreads({ place: placeOf(''), setup: SETUP }, (message) => warnings.push(message), {
      program: SILENT,
    });
    jest.useFakeTimers();
    try {
      const [running, waiting] = [find(), find()];
      running.catch(() => {});
      const outcome = failure(waiting);
      jest.advanceTimersByTime(5_000);
      expect(await outcome).toMatchObject({ kind: 'over-capacity', headers: { 'Retry-After': '2' } });
    } finally {
      jest.useRealTimers();
    }
  });

  it('lets the networks of clients take turns', async () => {
    const order: string[] = [];
    const search = (network: string, number: number) =>
      thread.search(ANONYMOUS, { text: 'harbour' }, { network }).then(() => order.push(`${network} ${number}`));
    await Promise.all([1, 2, 3, 4].map((number) => search('many', number)).concat(search('one', 1)));
    expect(order).toEqual(['many 1', 'one 1', 'many 2', 'many 3', 'many 4']);
  });

  it('report a snapshot for the next start, and a folder in which it cannot be written', async () => {
    await database.write(['UPDATE node_record SET sequence = sequence + 30000']);
    const file = join(await emptyFolder(), 'nodes');
    const saved: string[] = [];
    const start = (place: string) => {
      const snapshots = { file: place, isWritten: true };
      const setup = { place: placeOf(databaseFile), setup: SETUP, snapshots };
      return new SearchThreads(setup, (message) => warnings.push(message), { onSaved: (token) => saved.push(token) });
    };
    for (const place of [file, join(file, 'missing', 'nodes')]) {
      await thread.close();
      thread = start(place);
      expect((await find()).total).toBe(3);
      await until(() => saved.length + warnings.length > (place === file ? 0 : 1));
    }
    expect(saved).toEqual([expect.stringMatching(/^30003:/)]);
    expect(warnings).toEqual(['the facts about nodes cannot be saved for the next start']);
  });

  it('run several searches at a time', async () => {
    await thread.close();
    thread = new SearchThreads({ place: placeOf(''), setup: SETUP }, (message) => warnings.push(message), {
      ...{ threads: 2, program: HALTING },
    });
    const order: string[] = [];
    const done = (text: string) => find(text).then(() => order.push(text));
    const halted = done('halt');
    await done('one');
    await done('two');
    expect(order).toEqual(['one', 'two']);
    await done('go on');
    await halted;
    expect(order).toEqual(['one', 'two', 'go on', 'halt']);
  });

  it('go on with a search while another one crashes', async () => {
    await thread.close();
    thread = new SearchThreads({ place: placeOf(''), setup: SETUP }, (message) => warnings.push(message), {
      ...{ threads: 2, program: CRASHING },
    });
    const outcomes = await Promise.allSettled([find('crash'), find('harbour'), find('ferry')]);
    expect(outcomes).toMatchObject([
      { reason: { kind: 'unavailable' } },
      { value: { total: 1 } },
      { value: { total: 1 } },
    ]);
    expect(warnings).toHaveLength(1);
  });

  it('refuses a search of the network with the most when too many wait', async () => {
    const search = (network: string) => thread.search(ANONYMOUS, { text: 'harbour' }, { network });
    const many = Promise.allSettled(Array.from({ length: 65 }, () => search('many')));
    expect((await search('one')).total).toBe(3);
    const refused = (await many).flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
    expect(refused).toEqual([64]);
  });

  it('finds those of some nodes that match, beside other searches', async () => {
    const [nids] = await Promise.all([thread.matching('title : ("2" OR "3")', [1, 2]), find()]);
    expect(nids).toEqual([2]);
    expect(await thread.matching('title : ("harbour")', [])).toEqual([]);
  });

  it('abandons a waiting or running search of a disconnected caller', async () => {
    const controller = new AbortController();
    const [running, waiting, other] = [find('harbour', controller.signal), find('harbour', controller.signal), find()];
    const outcomes = Promise.all([failure(running), failure(waiting)]);
    controller.abort();
    for (const error of await outcomes) expect(error).toMatchObject({ kind: 'client-gone' });
    expect((await other).total).toBe(3);
    expect(await failure(find('harbour', controller.signal))).toMatchObject({ kind: 'client-gone' });
  });

  it('fails the running search once if it crashes, and restarts for waiting ones', async () => {
    await thread.close();
    thread = new SearchThreads({ place: placeOf(''), setup: SETUP }, (message) => warnings.push(message), {
      program: CRASHING,
    });
    const outcomes = await Promise.allSettled([find('crash'), find('harbour'), find('end'), find('ferry')]);
    expect(outcomes).toMatchObject([
      { reason: { kind: 'unavailable', headers: { 'Retry-After': '2' } } },
      { value: { total: 1 } },
      { reason: { kind: 'unavailable' } },
      { value: { total: 1 } },
    ]);
    expect(warnings).toEqual(Array(2).fill('the thread of searches has ended; the next search starts another'));
  });

  it('fails while the database cannot be opened, and recovers', async () => {
    await thread.close();
    const file = join(await emptyFolder(), 'later', 'a.db');
    thread = new SearchThreads({ place: placeOf(file), setup: SETUP }, (message) => warnings.push(message));
    expect(await find().catch((error: unknown) => String(error))).toContain('cannot be opened');
    await mkdir(dirname(file));
    const later = openLocalDatabase(file);
    await migrate(later.client, 1);
    await later.write(nodeRow({ nid: 1, title: 'Harbour' }));
    expect((await find()).total).toBe(1);
    await later.close();
  });

  it('fails the remaining searches when it is closed', async () => {
    const outcomes = Promise.allSettled([find(), find(), thread.suggest(ANONYMOUS, 'harbour')]);
    await thread.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { kind: 'unavailable' } });
    expect(await failure(find())).toMatchObject({ kind: 'unavailable' });
    expect(warnings).toEqual([]);
  });
});

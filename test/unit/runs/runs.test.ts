import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { folderNameOf } from '../../../src/base/process-identity.ts';
import type { Database } from '../../../src/database/database.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { runs as table } from '../../../src/database/schema/runs.ts';
import { createRunTask } from '../../../src/runs/run-task.ts';
import { runsOf, TakenOver } from '../../../src/runs/runs.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { endedProcess } from '../../support/ended-process.ts';
import { rejection } from '../../support/rejection.ts';

const ITEM = "INSERT INTO setting VALUES ('written', '1')";

const runs = runsOf<{ readonly subject: string }, number, string>('bulk', 'change');
const others = runsOf<{ readonly subject: string }>('scan', 'scan');

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = await emptyFolder();
  database = openLocalDatabase(join(folder, 'a.db'));
  await migrate(database.client, 0);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

async function add(subject: string): Promise<number> {
  const { added } = await database.write({ added: runs.add({ about: { subject } }) });
  return added[0]?.id ?? 0;
}

async function taken() {
  const run = await runs.take(database);
  if (run === undefined) throw new Error('there is no run to take');
  return run;
}

const find = (id: number) => runs.find(database, eq(table.id, id));
const isWritten = async () =>
  (await database.client.first("SELECT 1 FROM setting WHERE name = 'written'", [])) !== undefined;
const settle = (held: Parameters<typeof runs.settle>[1]) =>
  runs.settle(database, held, { state: 'done', result: 'complete' }, [ITEM]);

describe('a run', () => {
  it('is taken by one process at a time, the one with the least work first', async () => {
    const [long, short] = [await add('long'), await add('short')];
    const first = await taken();
    await runs.change(database, first, { worked: 9, progress: 40 });
    await database.write([runs.release(first)]);
    expect([(await taken()).id, (await taken()).id, await runs.take(database)]).toEqual([short, long, undefined]);
    expect(await find(long)).toMatchObject({ about: { subject: 'long' }, progress: 40, worked: 9, isUnderWay: true });
    expect(await others.take(database)).toBeUndefined();
  });

  it('ends with its result and what is written in the same transaction', async () => {
    const id = await add('one');
    await settle(await taken());
    expect(await find(id)).toMatchObject({
      ...{ state: 'done', result: 'complete', isUnderWay: false, endedAt: expect.any(Number) },
    });
    expect(await isWritten()).toBe(true);
    expect(await runs.take(database)).toBeUndefined();
  });

  it.each([
    ['has expired', 'lease_until = unixepoch() - 1'],
    ['belongs to an ended process of this machine', `lease = '${folderNameOf(endedProcess())}/1'`],
  ])('moves to another process if its lease %s, and gets nothing more from the one before', async (_, change) => {
    await add('one');
    const before = await taken();
    await database.write([`UPDATE run SET ${change} WHERE kind = 'bulk'`]);
    const after = await taken();
    for (const late of [runs.change(database, before, { progress: 7 }, [ITEM]), settle(before)]) {
      const error = await rejection(late);
      expect(error).toBeInstanceOf(TakenOver);
      expect(error).toMatchObject({ kind: 'conflict', message: 'Another process has taken over this change.' });
    }
    await database.write([runs.release(before)]);
    expect(await find(after.id)).toMatchObject({ progress: undefined, state: 'running', isUnderWay: true });
    expect(await isWritten()).toBe(false);
  });

  it('is not taken if the statements before it forbid that', async () => {
    await add('one');
    const before = () => [ITEM, 'INSERT INTO guard (lost) VALUES (1)'];
    expect(await runs.take(database, { before })).toBeUndefined();
    expect(await isWritten()).toBe(false);
  });

  it('is added only if a condition holds', async () => {
    const id = await add('one');
    const about = { subject: 'another' };
    const { first, second } = await database.write({
      first: runs.add({ about, where: sql`NOT EXISTS (SELECT 1 FROM ${table})` }),
      second: runs.add({
        about,
        where: sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.id} = ${id})`,
        state: 'preparing',
      }),
    });
    expect({ first, second }).toEqual({ first: [], second: [{ id: id + 1 }] });
    expect((await taken()).id).toBe(id);
    expect(await runs.take(database)).toBeUndefined();
  });

  it('can be stopped, which its process notices at its next change', async () => {
    const id = await add('one');
    const held = await taken();
    expect([await runs.stop(database, id), await runs.stop(database, id), await others.stop(database, id)]).toEqual([
      ...[true, false, false],
    ]);
    expect(await rejection(settle(held))).toBeInstanceOf(TakenOver);
    expect(await find(id)).toMatchObject({ state: 'stopped', isUnderWay: false });
  });
});

describe('the task of a kind', () => {
  it('works on its runs in turns until all are settled, and leaves a run that was taken over', async () => {
    for (const subject of ['one', 'two', 'lost']) await add(subject);
    const done: string[] = [];
    const task = createRunTask(database, runs, {
      ...{ failure: 'nothing is done at present', lookMs: 1_000 },
      async work(run) {
        const { subject } = run.about;
        done.push(subject);
        if (subject === 'lost') await runs.stop(database, run.id);
        if (done.filter((each) => each === subject).length === 1) await runs.change(database, run, { worked: 1 });
        else await runs.settle(database, run, { state: 'done' });
      },
    });
    const signal = new AbortController().signal;
    while (await task.step(signal));
    expect(done).toEqual(['one', 'two', 'lost', 'one', 'two']);
    expect((await runs.list(database)).map(({ state }) => state)).toEqual(['stopped', 'done', 'done']);
  });
});

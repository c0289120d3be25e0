import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createImportPlace, type ImportPlace, openAndClose } from '../support/import-command.ts';
import { FORGET_INDEX } from '../support/run-rows.ts';
import { DAMAGED_INDEX } from '../support/search-index.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const NODES = 3_000;

const mounted = await emptyFolder();
const smallDisk = CAN_MOUNT ? mountSmallDisk(mounted, '64m') : undefined;

let place: ImportPlace;
beforeAll(async () => {
  place = await createImportPlace();
  await fill(place);
}, 120_000);
afterAll(async () => {
  await place.remove();
  smallDisk?.unmount();
});

async function fill(at: ImportPlace): Promise<void> {
  await openAndClose(at.data);
  const table = await at.table('nodes.csv', [
    'id,title,field_model,field_description',
    ...Array.from({ length: NODES }, (_, index) => `n${index},Item ${index},Image,A zeppelin of number ${index}`),
  ]);
  expect(await at.run(table)).toMatchObject({ code: 0 });
}

function reindex(at: ImportPlace, ...args: string[]) {
  const command = [EXECUTABLE, 'search', 'reindex', '--data', at.data, ...args];
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  return { child, outcome: outcomeOf(child) };
}

/** Leaves the database as an earlier version has it. */
function forgetIndex(at: ImportPlace): void {
  const database = new Libsql(join(at.data, 'repository.db'));
  for (const sql of ['DELETE FROM search_text', 'DELETE FROM node_record', ...FORGET_INDEX]) database.exec(sql);
  database.close();
}

const found = (at: ImportPlace) => at.count(`SELECT count(*) FROM search_text WHERE search_text MATCH 'zeppelin'`);
const position = (at: ImportPlace) => at.count("SELECT progress ->> 'done' FROM run WHERE kind = 'index'");

describe('an import', () => {
  it('is searchable as soon as it ends', () => {
    expect(found(place)).toBe(NODES);
  });
});

describe('repo search reindex', () => {
  it('resumes after a kill, and completes the index', async () => {
    forgetIndex(place);
    const first = reindex(place);
    await until(() => position(place) >= 500);
    first.child.kill('SIGKILL');
    await first.outcome;
    const done = position(place);
    expect(done).toBeLessThan(NODES);
    expect(found(place)).toBeGreaterThanOrEqual(done);
    const { code, out } = await reindex(place).outcome;
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`${NODES} nodes (resumed)`) });
    expect(found(place)).toBe(NODES);
    expect(place.count(`SELECT count(*) FROM node_record`)).toBe(NODES);
  }, 60_000);

  it('repairs a damaged index, as the error of a search suggests', async () => {
    const database = new Libsql(join(place.data, 'repository.db'));
    database.exec(`UPDATE search_text_data SET block = x'${DAMAGED_INDEX}' WHERE id = 10`);
    database.close();
    const search = Bun.spawn([EXECUTABLE, 'search', 'zeppelin', '--data', place.data], { stderr: 'pipe' });
    const { code, err } = await outcomeOf(search);
    expect({ code, err: err.trim() }).toEqual({
      code: 1,
      err: 'The database cannot be used at present: it is damaged (vtable constructor failed: search_text). Build the search index again with: repo search reindex.',
    });
    expect(await reindex(place).outcome).toMatchObject({ code: 0 });
    expect(found(place)).toBe(NODES);
  }, 60_000);

  it('stops on Ctrl-C and prints how to resume', async () => {
    const running = reindex(place, '--restart');
    await until(() => position(place) >= 200 && position(place) < NODES);
    running.child.kill('SIGINT');
    expect(await running.outcome).toMatchObject({ code: 1, err: expect.stringContaining('resume it') });
    expect(found(place)).toBe(NODES);
    expect((await reindex(place).outcome).code).toBe(0);
  }, 60_000);

  it('is done by one of two concurrent processes, and the other reports that', async () => {
    const outcomes = await Promise.all([reindex(place).outcome, reindex(place).outcome]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(outcomes.map(({ err }) => err).join('')).toContain('by another process');
    expect(found(place)).toBe(NODES);
  }, 60_000);
});

describe.if(CAN_MOUNT)('repo search reindex on a full disk', () => {
  it('reports it, keeps the index consistent, and completes it when there is space', async () => {
    const full = await createImportPlace({}, mounted);
    await fill(full);
    forgetIndex(full);
    const free = Number(Bun.spawnSync(['stat', '-f', '-c', '%a', mounted]).stdout.toString()) * 4096;
    await Bun.write(join(mounted, 'filler'), new Uint8Array(Math.max(0, free - 200_000)));
    const { code, err } = await reindex(full).outcome;
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/no room/i) });
    await rm(join(mounted, 'filler'));
    const database = new Libsql(join(full.data, 'repository.db'));
    expect(database.prepare('PRAGMA integrity_check').raw(true).all().flat()).toEqual(['ok']);
    database.close();
    await until(async () => (await reindex(full).outcome).code === 0, { seconds: 90 });
    expect(found(full)).toBe(NODES);
  }, 120_000);
});

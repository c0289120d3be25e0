import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../support/audit.ts';
import { createImportPlace, type ImportPlace, openAndClose, type RunningImport } from '../../support/import-command.ts';
import { EXECUTABLE, startServer } from '../../support/server-process.ts';
import { sized } from '../../support/size.ts';
import { until } from '../../support/until.ts';

const NODES = sized(600, 2_000);
const KILLS = sized(3, 20);

let place: ImportPlace;
let exported: string;
let table: string;
beforeAll(async () => {
  place = await createImportPlace();
  await openAndClose(place.data);
  const rows = Array.from({ length: NODES }, (_, at) => `${at},Harbor ${at},Image,0${at}`);
  await place.run(await place.table('nodes.csv', ['id,title,field_model,field_identifier', ...rows]));
  exported = await exportAll('before.csv');
  table = join(place.folder, 'changes.csv');
  await writeFile(table, exported.replaceAll('Harbor ', 'Harbour '));
}, 60_000);
afterAll(() => place.remove());

async function exportAll(name: string): Promise<string> {
  const file = join(place.folder, name);
  const words = ['export', file, '--for-update', '--data', place.data, '--quiet'];
  expect(Bun.spawnSync([EXECUTABLE, ...words]).exitCode).toBe(0);
  return readFile(file, 'utf8');
}

const RENAMED = "SELECT count(*) FROM node WHERE label LIKE 'Harbour %'";
const OPEN = "SELECT count(*) FROM run WHERE kind = 'bulk' AND state IN ('preparing', 'running')";
const REVISIONS = 'SELECT count(*) FROM node_revision';

/** The number of items that are changed when the process is killed for the `kill`th time. */
const momentOf = (kill: number) => Math.ceil((NODES / (KILLS + 1)) * (kill - Math.random()));

/** Kills a command, then the servers that continue its work, at random moments. The last server ends the work. */
async function killedOnce(start: () => RunningImport, progress: string): Promise<void> {
  const command = start();
  await command.until(progress, momentOf(1));
  command.kill('SIGKILL');
  await command.outcome;
  for (let kill = 2; kill <= KILLS + 1; kill++) {
    const server = await startServer({ from: 'source', data: place.data });
    const wanted = kill > KILLS ? NODES : momentOf(kill);
    await until(() => place.count(progress) >= wanted, { what: progress, seconds: 60 });
    if (kill <= KILLS) await server.kill();
    else {
      await until(() => place.count(OPEN) === 0, { what: OPEN, seconds: 60 });
      expect(server.complaints).toEqual([]);
      await server.stop();
    }
  }
}

const lastRun = () => String(place.count("SELECT max(id) FROM run WHERE kind = 'bulk'"));

describe(`a table that changes ${NODES} items`, () => {
  it(`changes and restores each once, although its processes are killed ${KILLS} times each`, async () => {
    const before = place.count(REVISIONS);
    await killedOnce(() => place.start(table, '--update'), RENAMED);
    expect([place.count(RENAMED), place.count(REVISIONS) - before]).toEqual([NODES, NODES]);
    expect(await place.run(table, '--update')).toMatchObject({
      code: 0,
      out: expect.stringContaining('changes nothing'),
    });
    const run = lastRun();
    await killedOnce(() => place.start('--undo', run), `SELECT ${NODES} - (${RENAMED})`);
    expect([place.count(RENAMED), place.count(REVISIONS) - before]).toEqual([0, 2 * NODES]);
    expect(await exportAll('undone.csv')).toBe(exported);
    expect(await place.run('--undo', run)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is undone already'),
    });
    expect(await audit(place.data, true)).toEqual([]);
  }, 480_000);

  it(`changes each once if the command is repeated after each of ${KILLS} kills`, async () => {
    const before = place.count(REVISIONS);
    for (let kill = 1; kill <= KILLS; kill++) {
      const command = place.start(table, '--update');
      await command.until(RENAMED, momentOf(kill));
      command.kill('SIGKILL');
      await command.outcome;
    }
    expect(await place.run(table, '--update')).toMatchObject({ code: 0, err: '' });
    expect([place.count(RENAMED), place.count(REVISIONS) - before]).toEqual([NODES, NODES]);
  }, 240_000);
});

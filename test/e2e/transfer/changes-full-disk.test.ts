import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../support/audit.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createImportPlace, type ImportPlace, openAndClose } from '../../support/import-command.ts';
import { EXECUTABLE, startServer } from '../../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk } from '../../support/small-disk.ts';
import { until } from '../../support/until.ts';

const disk = await emptyFolder();
const smallDisk = CAN_MOUNT ? mountSmallDisk(disk, '96m') : undefined;
const NODES = 600;
/** The room that is left for the changes, which need several times as much. */
const ROOM_BYTES = 1_500_000;

let place: ImportPlace;
let table: string;
let exported: string;
beforeAll(async () => {
  if (!CAN_MOUNT) return;
  place = await createImportPlace({}, disk);
  await openAndClose(place.data);
  const rows = Array.from({ length: NODES }, (_, at) => `${at},Harbor ${at},Image,${'x'.repeat(3_000)},Boats`);
  const header = 'id,title,field_model,field_description,field_subject';
  expect((await place.run(await place.table('nodes.csv', [header, ...rows]))).code).toBe(0);
  exported = await exportAll('before.csv');
  table = join(place.folder, 'changes.csv');
  await writeFile(table, exported.replaceAll('Harbor ', 'Harbour '));
}, 60_000);
afterAll(async () => {
  await place?.remove();
  smallDisk?.unmount();
});

async function exportAll(name: string): Promise<string> {
  const file = join(place.folder, name);
  Bun.spawnSync([EXECUTABLE, 'export', file, '--for-update', '--data', place.data, '--quiet']);
  return readFile(file, 'utf8');
}

async function fill(): Promise<void> {
  const free = Number(Bun.spawnSync(['df', '--output=avail', '-B1', disk]).stdout.toString().split('\n')[1]);
  await writeFile(join(disk, 'filler'), new Uint8Array(free - ROOM_BYTES));
}

const empty = () => rm(join(disk, 'filler'));
const OPEN = "SELECT count(*) FROM run WHERE kind IN ('bulk', 'merge') AND state IN ('preparing', 'running')";
const RENAMED = "SELECT count(*) FROM node WHERE label LIKE 'Harbour %'";
const STOPPED = /^Run \d+ has begun\. A running server continues it\.\nThere is no room left to save this\.$/m;
const REVISIONS = 'SELECT count(*) FROM node_revision';

/** Lets a server end the open work. */
async function endWork(): Promise<void> {
  const server = await startServer({ from: 'source', data: place.data });
  await until(() => place.count(OPEN) === 0, { what: OPEN, seconds: 60 });
  await server.stop();
}

describe.if(CAN_MOUNT)('a full disk', () => {
  it('stops a table of changes and its undoing, which continue when there is space', async () => {
    const before = place.count(REVISIONS);
    await fill();
    expect(await place.run(table, '--update')).toMatchObject({ code: 1, err: expect.stringMatching(STOPPED) });
    expect(place.count(RENAMED)).toBeWithin(1, NODES);
    await empty();
    await endWork();
    expect([place.count(RENAMED), place.count(REVISIONS) - before]).toEqual([NODES, NODES]);
    const run = String(place.count("SELECT max(id) FROM run WHERE kind = 'bulk'"));
    await fill();
    expect(await place.run('--undo', run)).toMatchObject({ code: 1, err: expect.stringMatching(STOPPED) });
    expect(place.count(RENAMED)).toBeWithin(1, NODES);
    await empty();
    await endWork();
    expect([place.count(RENAMED), place.count(REVISIONS) - before]).toEqual([0, 2 * NODES]);
    expect(await exportAll('undone.csv')).toBe(exported);
    expect(await audit(place.data, true)).toEqual([]);
  }, 120_000);

  it('stops a merge of terms, which continues when there is space', async () => {
    const term = "SELECT id FROM taxonomy_term WHERE folded_label = 'boats'";
    const uses = "SELECT count(*) FROM reference WHERE field = 'field_subject' AND target_id =";
    const from = place.count(term);
    const failure = 'references to merged terms cannot be moved at present';
    const server = await startServer({ from: 'source', data: place.data, expectedComplaints: [failure] });
    const into = await server.build.term('subject', 'Ships');
    await fill();
    const answer = await server.fetch(`/taxonomy/term/${from}/merge?_format=json`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ into }),
    });
    expect(answer.status).toBe(200);
    await until(() => server.log.some(({ msg }) => msg === failure), { what: failure, seconds: 60 });
    const moved = place.count(`${uses} ${into}`);
    expect(moved).toBeWithin(1, NODES);
    expect(moved + place.count(`${uses} ${from}`)).toBe(NODES);
    expect((await server.fetch(`/taxonomy/term/${into}?_format=json`)).status).toBe(200);
    await empty();
    await server.stop();
    await endWork();
    expect(place.count(`${uses} ${into}`)).toBe(NODES);
    expect(await audit(place.data, true)).toEqual([]);
  }, 120_000);
});

import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { copyMembers } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { pause } from '../support/pause.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart } from '../support/test-repository.ts';

/** More than one transaction gives sets to. */
const MEMBERS = sized(4_500, 40_000);
/** The moments at which a first rule is interrupted, in milliseconds. */
const MOMENTS = sized([5, 30, 80, 200], [2, 5, 10, 20, 30, 45, 60, 90, 120, 180, 250, 400, 800, 1_600]);
const SAMPLE = 40;

let folder: string;
let [shelf, box, first, last] = [0, 0, 0, 0];
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
  const server = await start();
  shelf = await server.build.node('collection', 'A shelf');
  box = await server.build.node('collection', 'A box', { field_member_of: [shelf] });
  first = await server.build.node('image', 'A letter', { field_member_of: [box] });
  await server.stop();
  const database = openLocalDatabase(join(folder, 'repository.db'));
  await copyMembers(database, first, MEMBERS);
  last = Number((await database.client.execute('SELECT max(id) FROM node')).rows[0]?.[0]);
  await database.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () => startServer({ from: 'source', data: folder, expectedComplaints: ['database-locked'] });
const setRule = ({ fetch }: ServerProcess, id: number, rule: readonly object[]) =>
  fetch(`/node/${id}?_format=json`, {
    method: 'PATCH',
    body: JSON.stringify({ type: 'islandora_object', access_rule: rule }),
    headers: { 'Content-Type': 'application/json' },
  });
const statusOf = async ({ url }: ServerProcess, id: number) => (await fetch(`${url}/node/${id}?_format=json`)).status;

/** Returns the statuses of the shelf, the box, and letters in it from the first to the last one. */
async function statusesOf(server: ServerProcess): Promise<Set<number>> {
  const letters = Array.from({ length: SAMPLE }, (_, at) => Math.round(first + ((last - first) * at) / (SAMPLE - 1)));
  return new Set(await Promise.all([shelf, box, ...letters].map((id) => statusOf(server, id))));
}

it('a first rule of a shelf closes all or nothing of it, whenever its process is killed', async () => {
  const other = await start();
  for (const moment of MOMENTS) {
    const server = await start();
    const answer = setRule(server, shelf, [{ preset: 'closed' }]).catch(() => undefined);
    await pause(moment);
    await server.kill();
    await answer;
    const now = await statusOf(other, shelf);
    expect([moment, await statusesOf(other)]).toEqual([moment, new Set([now])]);
    if (now === 401) expect((await setRule(other, shelf, [])).status).toBe(200);
    expect([moment, await statusesOf(other)]).toEqual([moment, new Set([200])]);
  }
  expect((await setRule(other, shelf, [{ preset: 'closed' }])).status).toBe(200);
  expect(await statusesOf(other)).toEqual(new Set([401]));
  expect(other.complaints).toEqual([]);
  await other.stop();
}, 240_000);

it('a rule of one process holds at the next request to another, for what is moved meanwhile, too', async () => {
  const [one, other] = [await start(), await start()];
  for (const rule of [[], [{ preset: 'closed' }], [], [{ level: 'closed', reason: 'Again' }]]) {
    expect((await setRule(one, shelf, rule)).status).toBe(200);
    expect(await statusesOf(other)).toEqual(new Set([rule.length === 0 ? 200 : 401]));
  }
  await setRule(one, shelf, []);
  const place = await other.build.node('collection', 'Another shelf');
  const moving = other.build.change(`/node/${box}`, { type: 'islandora_object', field_member_of: [place] });
  const closing = setRule(one, place, [{ preset: 'closed' }]);
  await moving;
  expect((await closing).status).toBe(200);
  for (const server of [one, other])
    expect(new Set([...(await statusesOf(server))].filter((status) => status !== 401))).toEqual(new Set([200]));
  expect(await statusOf(one, shelf)).toBe(200);
  for (const id of [place, box, first, last])
    expect([id, await statusOf(one, id), await statusOf(other, id)]).toEqual([id, 401, 401]);
  for (const server of [one, other]) {
    expect(server.complaints).toEqual([]);
    await server.stop();
  }
}, 240_000);

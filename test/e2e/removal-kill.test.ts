import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { audit } from '../support/audit.ts';
import { copyMembers } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { openBesideServer } from '../support/open-beside-server.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const MEMBERS = sized(4_000, 20_000);
const KILLS = 3;

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () => startServer({ from: 'source', data: folder });

it(`the references to a deleted collection of ${MEMBERS} members are removed, although the process is killed ${KILLS} times`, async () => {
  let server = await start();
  const top = await server.build.node('collection', 'Letters');
  const member = await server.build.node('image', 'Letter', { field_member_of: [top] });
  await server.stop();
  const filling = openLocalDatabase(`${folder}/repository.db`);
  await copyMembers(filling, member, MEMBERS - 1);
  await filling.close();
  server = await start();
  const database = openBesideServer(`${folder}/repository.db`);
  const count = (sql: string) => (database.prepare(`SELECT count(*) FROM ${sql}`).raw().get() as number[])[0] as number;
  const left = () => count(`reference WHERE target_type = 'node' AND target_id = ${top}`);

  await server.build.remove(`/node/${top}`);
  expect(left()).toBeGreaterThan(0);
  expect(await membershipOf(server, member + MEMBERS - 1)).toEqual([]);
  for (let kill = KILLS; kill > 0; kill--) {
    await until(() => left() <= (MEMBERS / (KILLS + 1)) * kill, { seconds: 60 });
    await server.kill();
    expect(left()).toBeGreaterThan(0);
    server = await start();
    expect(await membershipOf(server, member + MEMBERS - 1)).toEqual([]);
  }
  await until(() => count('removed_target') === 0 && count('search_pending') === 0, { seconds: 120 });
  expect(left()).toBe(0);
  expect(count(`node WHERE is_dangling = 1 AND version = 2`)).toBe(MEMBERS);
  expect(server.complaints).toEqual([]);
  await server.stop();
  database.close();
  expect(await audit(folder, true)).toEqual([]);
}, 240_000);

async function membershipOf({ build }: ServerProcess, node: number): Promise<unknown> {
  return (await build.read(`/node/${node}`)).field_member_of;
}

import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { audit } from '../support/audit.ts';
import { copyMembers } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { openBesideServer } from '../support/open-beside-server.ts';
import { startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const USES = sized(600, 20_000);
const KILLS = sized(4, 20);

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyFirstStart(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = () => startServer({ from: 'source', data: folder });

it(`a merge moves ${USES} references once each, although its process is killed ${KILLS} times`, async () => {
  let server = await start();
  const wrong = await server.build.term('subject', 'Harbors');
  const right = await server.build.term('subject', 'Harbours');
  const first = await server.build.node('image', 'Letter', { field_subject: [wrong] });
  await server.stop();
  const filling = openLocalDatabase(`${folder}/repository.db`);
  await copyMembers(filling, first, USES - 1);
  await filling.close();
  server = await start();
  const database = openBesideServer(`${folder}/repository.db`);
  const count = (sql: string) => (database.prepare(`SELECT count(*) FROM ${sql}`).raw().get() as number[])[0] as number;
  const uses = (term: number) => count(`reference WHERE target_type = 'taxonomy_term' AND target_id = ${term}`);

  const headers = { 'Content-Type': 'application/json' };
  const path = `/taxonomy/term/${wrong}/merge?_format=json`;
  await server.build.send(path, 200, { method: 'POST', body: JSON.stringify({ into: right }), headers, as: 'admin' });
  for (let kill = KILLS; kill > 0; kill--) {
    await until(() => uses(wrong) <= (USES / (KILLS + 1)) * (kill + Math.random()), { seconds: 60 });
    await server.kill();
    expect(uses(wrong) + uses(right)).toBe(USES);
    server = await start();
    const { headers: answered } = await server.fetch(`/taxonomy/term/${wrong}?_format=json`);
    expect(answered.get('location')).toEndWith(`/taxonomy/term/${right}?_format=json`);
  }
  await until(() => count(`run WHERE kind = 'merge' AND ended_at IS NULL`) === 0, { seconds: 120 });
  await until(() => count('search_pending') + count('search_pending_term') === 0, { seconds: 120 });
  expect([uses(wrong), uses(right), count(`taxonomy_term WHERE id = ${wrong}`)]).toEqual([0, USES, 0]);
  expect(count(`node WHERE version = 2`)).toBe(USES);
  expect(count(`node_revision WHERE log LIKE 'Merged the term%'`)).toBe(USES);
  expect(server.complaints).toEqual([]);
  await server.stop();
  database.close();
  expect(await audit(folder, true)).toEqual([]);
}, 240_000);

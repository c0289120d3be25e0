import { afterAll, beforeAll, expect, it, spyOn } from 'bun:test';
import { resolve } from 'node:path';
import { run } from '../../../src/cli/run.ts';
import { audit } from '../../support/audit.ts';
import { countIn, outcomeOf } from '../../support/command-outcome.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const MAIN = resolve(import.meta.dir, '../../../src/main.ts');
const NODES = 60;

let folder: string;
let target: TestRepository;

beforeAll(async () => {
  folder = await emptyFolder();
  const source = await createTestRepository();
  try {
    const use = await source.termId('http://pcdm.org/use#OriginalFile');
    const { nid } = await source.node({ title: [{ value: 'Above' }] });
    for (let number = 1; number < NODES; number++) {
      const member = { field_member_of: [{ target_id: nid[0].value }] };
      const made = await source.node({ title: [{ value: `Node ${number}` }], ...member });
      const headers = { 'Content-Type': 'image/png', 'Content-Location': `public://kill/${number}.png` };
      await source.put(`/node/${made.nid[0].value}/media/image/${use}`, image(number), headers, 'admin');
    }
    const said = spyOn(console, 'log').mockImplementation(() => {});
    expect(await run(['export', '--ocfl', folder, '--data', source.dataFolder, '--quiet'])).toBe(0);
    said.mockRestore();
  } finally {
    await source.stop();
  }
  target = await createTestRepository();
}, 60_000);

afterAll(async () => {
  await target?.stop();
});

it('an import of packages continues after a kill and an abort, and creates nothing twice', async () => {
  for (const [signal, least] of [
    ['SIGKILL', 5],
    ['SIGKILL', 20],
    ['SIGINT', 35],
  ] as const) {
    const child = start();
    await until(async () => child.exitCode !== null || (await nodes()) >= least, { seconds: 60 });
    child.kill(signal);
    const { code, err } = await outcomeOf(child);
    expect(await nodes()).toBeWithin(least, NODES);
    if (signal === 'SIGINT') {
      expect(code).toBe(1);
      expect(err).toContain('Run the same command to resume');
    }
  }
  const last = await outcomeOf(start());
  expect(last).toMatchObject({ code: 0, err: '' });
  const { database } = target.running.services;
  expect(await nodes()).toBe(NODES);
  expect(await countIn(database, 'SELECT count(DISTINCT uuid) FROM node')).toBe(NODES);
  for (const table of ['media', "file WHERE uri LIKE 'public://kill/%'", 'media_revision'])
    expect(await countIn(database, `SELECT count(*) FROM ${table}`)).toBe(NODES - 1);
  // A start clears up what the killed ones had in their hands.
  await target.restart();
  await target.running.stop(1);
  expect(await audit(target.dataFolder, true)).toEqual([]);
}, 120_000);

function start() {
  return Bun.spawn([process.execPath, MAIN, 'import', '--ocfl', folder, '--data', target.dataFolder, '--quiet'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

function nodes(): Promise<number> {
  return countIn(target.running.services.database, 'SELECT count(*) FROM node');
}

/** Bytes that are others for each number. */
function image(number: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: 200 + number }, (_, index) => (index * number) % 256);
}

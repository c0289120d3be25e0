import { afterAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { migrate } from '../../../../src/database/migrate.ts';
import { holdObjects } from '../../../../src/upkeep/backup/make-backup.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { until } from '../../../support/until.ts';

const folder = await emptyFolder();
const database = openLocalDatabase(join(folder, 'test.db'));
await migrate(database.client, 0);
afterAll(async () => {
  await database.close();
});

const secondsLeft = async () => {
  const { rows } = await database.client.execute("SELECT name, until - unixepoch('subsec') FROM object_hold");
  return rows.map((row) => [row[0], Number(row[1])] as const);
};

it('a backup hold lasts ten minutes, is renewed, and is removed afterwards', async () => {
  const hold = await holdObjects(database.write, 'mine', 5);
  const [[name, seconds] = ['', 0]] = await secondsLeft();
  expect(name).toBe('mine');
  expect(seconds).toBeWithin(590, 600.1);
  await database.write([{ sql: "UPDATE object_hold SET until = unixepoch('subsec') + 30", args: [] }]);
  await until(async () => Number((await secondsLeft())[0]?.[1]) > 500);
  expect(hold.lost.aborted).toBe(false);
  await hold.release();
  expect(await secondsLeft()).toEqual([]);
});

it('a backup hold reports its expiry, since objects may be deleted', async () => {
  const hold = await holdObjects(database.write, 'late', 5);
  await database.write([{ sql: "UPDATE object_hold SET until = unixepoch('subsec') - 1", args: [] }]);
  await until(() => hold.lost.aborted);
  expect(String(hold.lost.reason)).toContain('Run it again');
  await hold.release();
});

it('a backup hold survives a temporary database failure', async () => {
  let isAway = false;
  let failures = 0;
  const hold = await holdObjects(
    async (statements) => {
      if (isAway) {
        failures += 1;
        throw new Error('away');
      }
      return database.write(statements);
    },
    'patient',
    5,
  );
  isAway = true;
  await until(() => failures > 2);
  isAway = false;
  await database.write([{ sql: "UPDATE object_hold SET until = unixepoch('subsec') + 30", args: [] }]);
  await until(async () => Number((await secondsLeft())[0]?.[1]) > 500);
  expect(hold.lost.aborted).toBe(false);
  await hold.release();
});

it('a new hold removes those of killed backups', async () => {
  await database.write([{ sql: "INSERT INTO object_hold VALUES ('killed', unixepoch('subsec') - 1)", args: [] }]);
  const hold = await holdObjects(database.write, 'next');
  expect((await secondsLeft()).map(([name]) => name)).toEqual(['next']);
  await hold.release();
});

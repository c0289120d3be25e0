import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../../src/database/database.ts';
import { createDatabaseClient } from '../../../src/database/database-client.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let file: string;
let database: Database;
let other: Database;

beforeEach(async () => {
  file = join(await emptyFolder(), 'a.db');
  database = openLocalDatabase(file);
  await database.write(['CREATE TABLE item (name TEXT UNIQUE)']);
  other = openLocalDatabase(file);
  database.refresh();
});
afterEach(() => Promise.all([database.close(), other.close()]));

const INSERT = 'INSERT INTO item VALUES (hex(randomblob(8)))';
const SCRIPT = `const database = new (require('libsql'))(process.argv[1]); database.exec(${JSON.stringify(INSERT)});`;

/** A write by another process, done when this answers. */
function writeElsewhere(): void {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', SCRIPT, file]);
  expect({ exitCode, stderr: String(stderr) }).toEqual({ exitCode: 0, stderr: '' });
}

const count = async () => (await database.client.first('SELECT count(*) FROM item', []))?.[0];

describe('the stamp of a local database', () => {
  const writers: [who: string, write: () => unknown][] = [
    ['this process', () => database.write([INSERT])],
    ['another connection', () => other.write([INSERT])],
    ['another process', writeElsewhere],
    [
      'a process that writes right after the log of writes was emptied',
      () => {
        other.client.executeMultiple('PRAGMA wal_checkpoint(TRUNCATE)');
        database.refresh();
        database.stamp();
        writeElsewhere();
      },
    ],
  ];
  it.each(writers)('changes after a write by %s', async (_who, write) => {
    for (let time = 0; time < 3; time++) {
      const before = database.stamp();
      expect(before).toBeNumber();
      await write();
      database.refresh();
      expect(database.stamp()).not.toBe(before);
    }
  });

  it('does not change without a write, even after reads', async () => {
    const before = database.stamp();
    for (const reader of [database, other]) {
      await reader.client.execute('SELECT * FROM item');
      database.refresh();
      expect(database.stamp()).toBe(before);
    }
  });

  it('does not change after a failed write or a rollback elsewhere', async () => {
    await database.write(["INSERT INTO item VALUES ('a')"]);
    const before = database.stamp();
    await database.write([INSERT, "INSERT INTO item VALUES ('a')"]).catch((reason) => reason);
    other.client.executeMultiple(`BEGIN IMMEDIATE; ${INSERT}; ROLLBACK`);
    database.refresh();
    expect(database.stamp()).toBe(before);
  });

  it('is never newer than a later read, with or without an open snapshot', async () => {
    for (const isOpen of [false, true]) {
      database.refresh();
      const before = await count();
      // The end of the turn ends the snapshot; `refresh` would not, as nothing was written.
      await nextTurn();
      if (isOpen) await count();
      const stamp = database.stamp();
      other.client.executeMultiple(INSERT);
      const after = await count();
      expect(after).toBe(isOpen ? before : Number(before) + 1);
      expect(database.stamp()).toBe(stamp);
      database.refresh();
      // So what was read is not taken for what there is now.
      expect(database.stamp()).not.toBe(stamp);
    }
  });

  it('is current in the next turn of the event loop without a refresh', async () => {
    const before = database.stamp();
    other.client.executeMultiple(INSERT);
    await nextTurn();
    expect(database.stamp()).not.toBe(before);
  });

  it('is unavailable after the database is closed', async () => {
    const closed = openLocalDatabase(file);
    await closed.close();
    expect(() => closed.stamp()).toThrow('The service is stopping.');
  });
});

describe('the stamp of a remote database', () => {
  it('is unknown', () => {
    const never = async (): Promise<never> => {
      throw new Error('nothing is to be asked');
    };
    const client = createDatabaseClient({
      protocol: 'http',
      first: never,
      read: never,
      write: never,
      refresh: () => {},
      generation: never,
      knownGeneration: () => undefined,
      watch: () => ({ isTold: false, close: () => {} }),
      finish: async () => {},
    });
    expect(client.stamp()).toBeUndefined();
  });
});

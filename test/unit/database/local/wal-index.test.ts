import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { WalIndex } from '../../../../src/database/local/wal-index.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

let file: string;
let database: Libsql.Database;

beforeEach(async () => {
  file = join(await emptyFolder(), 'a.db');
  database = new Libsql(file);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE item (name TEXT)');
});
afterEach(() => database.close());

const INSERT = "INSERT INTO item VALUES ('a')";

/** Opens the index of the file. */
function open(): WalIndex {
  const index = WalIndex.open(file);
  if (index === undefined) throw new Error('the index cannot be opened');
  return index;
}

/** The number of locks that this process holds on the shared memory of the database (proc(5), locks). */
function locksHeld(): number {
  const { ino } = statSync(`${file}-shm`);
  const held = readFileSync('/proc/locks', 'utf8').split('\n');
  return held.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
}

describe('the version of the index of a write-ahead log', () => {
  it('grows with each commit, and only then', () => {
    const index = open();
    const first = index.version();
    database.prepare('SELECT * FROM item').all([]);
    database.exec(`BEGIN; ${INSERT}; ROLLBACK`);
    expect(index.version()).toBe(first);
    database.exec(INSERT);
    const second = Number(index.version());
    expect(second).toBeGreaterThan(Number(first));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.exec(INSERT);
    expect(Number(index.version())).toBeGreaterThan(second);
    index.close();
  });

  it('is the same for each reader of the same state', () => {
    const [one, other] = [open(), open()];
    const before = [one.version(), other.version()];
    database.exec(INSERT);
    expect([one.version(), other.version()]).not.toEqual(before);
    one.close();
    database.exec(INSERT);
    expect(Number(other.version())).toBeGreaterThan(Number(before[1]) + 1);
    other.close();
  });

  it('is undefined once closed; closing twice leaves other indexes open', () => {
    const [one, other] = [open(), open()];
    one.close();
    one.close();
    expect(one.version()).toBeUndefined();
    expect(other.version()).toBeNumber();
    other.close();
  });

  it('is undefined for a database without shared memory', async () => {
    await rm(`${file}-shm`);
    expect(WalIndex.open(file)).toBeUndefined();
  });
});

describe.if(process.platform === 'linux')('the locks of SQLite', () => {
  it('survive when one of two open indexes is closed', () => {
    const [one, other] = [open(), open()];
    one.version();
    expect(locksHeld()).toBeGreaterThan(0);
    one.close();
    expect(locksHeld()).toBeGreaterThan(0);
    other.close();
  });
});

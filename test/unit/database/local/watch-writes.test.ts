import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { watchWrites } from '../../../../src/database/local/watch-writes.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { until, untilStill } from '../../../support/until.ts';

let folder: string;
let file: string;
let database: Database;
beforeEach(async () => {
  folder = await emptyFolder();
  file = join(folder, 'a.db');
  database = openLocalDatabase(file);
  await database.write(['CREATE TABLE note (text TEXT)']);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const WRITER = `const { default: Libsql } = await import('libsql');
  const database = new Libsql(process.argv[1]);
  database.exec("INSERT INTO note VALUES ('from elsewhere')");
  database.close();`;

describe('the notification of a write', () => {
  it('arrives for another process once the write can be read', async () => {
    const seen = Promise.withResolvers<void>();
    const watching = database.watch(async () => {
      const row = await database.client.first('SELECT text FROM note', []);
      if (row?.[0] === 'from elsewhere') seen.resolve();
    });
    expect(watching.isTold).toBe(true);
    const writer = Bun.spawn([process.execPath, '-e', WRITER, file], { cwd: import.meta.dir, stderr: 'inherit' });
    expect(await writer.exited).toBe(0);
    await seen.promise;
    watching.close();
  });

  it('arrives again after a pause', async () => {
    let words = 0;
    let now = 0;
    let seen = Promise.withResolvers<void>();
    const listener = () => {
      words += 1;
      seen.resolve();
    };
    const watching = watchWrites(file, listener, () => (now += 100));
    await database.write(["INSERT INTO note VALUES ('x')"]);
    await seen.promise;
    await untilStill(() => words);
    seen = Promise.withResolvers();
    await database.write(["INSERT INTO note VALUES ('y')"]);
    await seen.promise;
    watching.close();
  });

  it('arrives for the last of a long series of writes', async () => {
    const seen = Promise.withResolvers<void>();
    let last = 0;
    let now = 0;
    let words = 0;
    const listener = async () => {
      words += 1;
      const row = await database.client.first('SELECT max(rowid) FROM note', []);
      if (row?.[0] === last && last === 30) seen.resolve();
    };
    const watching = watchWrites(file, listener, () => now);
    while (last < 30) {
      await database.write(["INSERT INTO note VALUES ('x')"]);
      last += 1;
      // The series takes longer than the notifications of one write go on.
      now += 100;
      const before = words;
      await until(() => words > before);
    }
    await seen.promise;
    watching.close();
  });

  it('arrives again after the log of writes was unavailable', async () => {
    const log = `${file}-wal`;
    let seen = Promise.withResolvers<void>();
    let words = 0;
    let now = 0;
    const listener = () => {
      words += 1;
      seen.resolve();
    };
    const watching = watchWrites(file, listener, () => now);
    await database.write(["INSERT INTO note VALUES ('x')"]);
    await seen.promise;
    await rename(log, `${log}-away`);
    await symlink(log, log);
    // Longer than the notifications of one write go on.
    now += 1_000;
    const before = words;
    await until(() => words > before + 1);
    await rm(log);
    await rename(`${log}-away`, log);
    seen = Promise.withResolvers();
    await database.write(["INSERT INTO note VALUES ('y')"]);
    await seen.promise;
    expect(watching.isTold).toBe(true);
    watching.close();
  });

  it('stops when the watch is closed', async () => {
    let words = 0;
    const watching = database.watch(() => {
      words += 1;
    });
    watching.close();
    const seen = Promise.withResolvers<void>();
    const other = database.watch(() => seen.resolve());
    await database.write(["INSERT INTO note VALUES ('x')"]);
    await seen.promise;
    other.close();
    expect(words).toBe(0);
  });

  it('is unavailable for a missing file', () => {
    expect(watchWrites(join(folder, 'none.db'), () => {}).isTold).toBe(false);
  });
});

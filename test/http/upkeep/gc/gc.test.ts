import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../../../src/repository/content/services.ts';
import type { DiscardQueue } from '../../../../src/repository/files/discarded.ts';
import { newKey } from '../../../../src/storage/key.ts';
import {
  findDoubt,
  findGarbage,
  type GarbageItem,
  type GcOptions,
  removeGarbage,
} from '../../../../src/upkeep/gc/gc.ts';
import { uploadFile } from '../../../support/binaries.ts';
import { age, findObjects, pathOf, putStray, storeFiles } from '../../../support/stored-objects.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const DAY_S = 86_400;

let repository: TestRepository;
let services: Services;
let discarded: string[];
beforeAll(async () => {
  repository = await createTestRepository();
  await storeFiles(repository, 2);
});
beforeEach(async () => {
  const { running } = repository;
  discarded = [];
  // The queue has its own tests, and takes its time.
  const discards: DiscardQueue = { add: (store, key) => void discarded.push(`${store} ${key}`), stop: async () => {} };
  services = { ...running.services, discards };
});
afterEach(async () => {
  await services.database.write(['DELETE FROM object_hold', 'DELETE FROM discarded_object']);
  await removeGarbage(services, options({ olderThanSeconds: 0 }), true);
});
afterAll(() => repository.stop());

const options = (more: Partial<GcOptions> = {}): GcOptions => ({
  olderThanSeconds: DAY_S,
  unreferencedForSeconds: 30 * DAY_S,
  signal: new AbortController().signal,
  ...more,
});
const find = (more?: Partial<GcOptions>) => findGarbage(services, options(more));
const remove = (isSure = false, of = services) => removeGarbage(of, options(), isSure);
const isThere = (scheme: string, key: string) => existsSync(pathOf(repository.dataFolder, scheme, key));
const garbageOf = async (scheme: string, found = find()) => (await found).stores.find(({ store }) => store === scheme);

describe('gc', () => {
  it('finds objects without a row older than a day, and removes them on request', async () => {
    const [kept] = await findObjects(repository, 'public://f0');
    const old = await putStray(repository, 'public', 2);
    const young = await putStray(repository, 'public', 0.5);
    const seen: GarbageItem[] = [];
    expect(await garbageOf('public', find({ onFound: (found) => seen.push(found) }))).toMatchObject({
      unnamed: { count: 1, bytes: 5 },
      noted: { count: 0, bytes: 0 },
      unfinished: 0,
    });
    expect(seen).toEqual([{ kind: 'object', store: 'public', name: old, bytes: 5 }]);
    expect(isThere('public', old)).toBe(true);
    expect(await garbageOf('public', remove())).toMatchObject({ unnamed: { count: 1, bytes: 5 } });
    expect(isThere('public', old)).toBe(false);
    expect(isThere('public', young)).toBe(true);
    expect(existsSync(kept?.path ?? '')).toBe(true);
    expect(await garbageOf('public')).toMatchObject({ unnamed: { count: 0 } });
  });

  it('removes only files that were uploaded and never used, with their bytes', async () => {
    const { fid } = await uploadFile(repository, 'unused.png', 'unused');
    const { fid: young } = await uploadFile(repository, 'young.png', 'young');
    const { fid: referred } = await uploadFile(repository, 'referred.png', 'referred');
    const id = (of: typeof fid) => of[0].value as number;
    await services.database.write([
      { sql: 'UPDATE file SET changed = changed - 200000 WHERE id IN (?, ?)', args: [id(fid), id(referred)] },
      {
        sql: "INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id) VALUES ('node', 1, 'field_x', 0, 'file', ?)",
        args: [id(referred)],
      },
    ]);
    const [unused] = await findObjects(repository, 'fedora://%unused');
    expect((await find()).temporaries).toEqual({ count: 1, bytes: 6 });
    expect((await remove()).temporaries).toEqual({ count: 1, bytes: 6 });
    const left = await services.database.client.execute('SELECT id FROM file WHERE status = 0 ORDER BY id');
    expect(left.rows.map((row) => row[0])).toEqual([id(young), id(referred)]);
    expect(discarded).toEqual([`fedora ${unused?.key}`]);
    const noted = await services.database.client.execute('SELECT scheme, storage_key FROM discarded_object');
    expect(noted.rows.map((row) => `${row[0]} ${row[1]}`)).toEqual(discarded);
    await services.database.write(["DELETE FROM reference WHERE field = 'field_x'"]);
  });

  it('removes the files of unfinished uploads', async () => {
    const folder = join(repository.dataFolder, 'files/public/incoming/elsewhere-1-1');
    const name = newKey().slice(3);
    await mkdir(folder);
    for (const [file, days] of [[name, 3] as const, [newKey().slice(3), 0.1] as const]) {
      await writeFile(join(folder, file), 'part');
      await age(join(folder, file), days);
    }
    expect(await garbageOf('public')).toMatchObject({ unfinished: 1 });
    expect(await garbageOf('public', remove())).toMatchObject({ unfinished: 1 });
    expect(existsSync(join(folder, name))).toBe(false);
    expect(await garbageOf('public')).toMatchObject({ unfinished: 0 });
  });

  it('keeps an object that got a row after it was found', async () => {
    const [file] = await findObjects(repository, 'public://f0');
    const key = await putStray(repository, 'public', 2);
    const { write, client } = services.database;
    let asked = 0;
    const racing: Services = {
      ...services,
      database: {
        ...services.database,
        client,
        async write(statements) {
          asked += 1;
          await write([{ sql: 'UPDATE file SET storage_key = ? WHERE id = ?', args: [key, file?.id ?? 0] }]);
          return write(statements);
        },
      },
    };
    expect(await garbageOf('public', remove(false, racing))).toMatchObject({ unnamed: { count: 0 } });
    expect({ asked, isStored: isThere('public', key) }).toEqual({ asked: 1, isStored: true });
    await write([{ sql: 'UPDATE file SET storage_key = ? WHERE id = ?', args: [file?.key ?? '', file?.id ?? 0] }]);
  });

  it('passes discarded objects to the queue', async () => {
    const key = await putStray(repository, 'public', 2);
    await services.database.write([{ sql: "INSERT INTO discarded_object VALUES (?, 'public')", args: [key] }]);
    expect(await garbageOf('public')).toMatchObject({ unnamed: { count: 0 }, noted: { count: 1, bytes: 5 } });
    expect(isThere('public', key)).toBe(true);
    await remove();
    expect(discarded).toEqual([`public ${key}`]);
  });

  it('deletes nothing while a backup holds objects', async () => {
    const key = await putStray(repository, 'public', 2);
    await services.database.write(["INSERT INTO object_hold VALUES ('backup', unixepoch() + 60)"]);
    await expect(remove(true)).rejects.toMatchObject({
      kind: 'conflict',
      publicMessage: expect.stringContaining('backup'),
    });
    expect(await garbageOf('public')).toMatchObject({ unnamed: { count: 1 } });
    await services.database.write(['UPDATE object_hold SET until = unixepoch() - 1']);
    await remove();
    expect(isThere('public', key)).toBe(false);
  });

  it('stops if a backup begins during the removal', async () => {
    const key = await putStray(repository, 'public', 2);
    const { write } = services.database;
    const racing: Services = {
      ...services,
      database: {
        ...services.database,
        async write(statements) {
          await write(["INSERT INTO object_hold VALUES ('backup', unixepoch() + 60)"]);
          return write(statements);
        },
      },
    };
    await expect(remove(false, racing)).rejects.toMatchObject({ kind: 'conflict' });
    expect(isThere('public', key)).toBe(true);
  });

  it('asks for confirmation before it deletes more than half of a store', async () => {
    const key = await putStray(repository, 'private', 2);
    expect(await findDoubt(services, await find())).toContain('1 of 1 objects in private belong to no file');
    await expect(remove()).rejects.toMatchObject({
      kind: 'conflict',
      publicMessage: expect.stringContaining('right database'),
    });
    expect(isThere('private', key)).toBe(true);
    await remove(true);
    expect(isThere('private', key)).toBe(false);
  });

  it('asks for confirmation if the database has no file', async () => {
    const [icon] = await findObjects(repository, 'public://');
    await services.database.write(['CREATE TABLE kept AS SELECT * FROM file', 'DELETE FROM file']);
    expect(await findDoubt(services, await find())).toContain('has no files');
    await expect(remove()).rejects.toMatchObject({
      kind: 'conflict',
      publicMessage: expect.stringContaining('has no files'),
    });
    expect(existsSync(icon?.path ?? '')).toBe(true);
    await services.database.write([{ sql: 'INSERT INTO file SELECT * FROM kept', args: [] }, 'DROP TABLE kept']);
  });

  it('leaves foreign files alone', async () => {
    const folder = join(repository.dataFolder, 'files/public');
    const others = ['README', '3f/notes.txt', `zz/${'0'.repeat(32)}`];
    for (const other of others) {
      await Bun.write(join(folder, other), 'mine');
      await age(join(folder, other), 9);
    }
    await remove(true);
    expect(others.filter((other) => !existsSync(join(folder, other)))).toEqual([]);
  });

  it('stops when its signal aborts', async () => {
    await putStray(repository, 'public', 2);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(find({ signal })).rejects.toThrow('enough');
  });
});

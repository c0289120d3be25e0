import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { numberText } from '../../src/base/in-words.ts';
import { newKey } from '../../src/storage/key.ts';
import { sized } from '../support/size.ts';
import { createStoredFolder, type StoredFolder } from '../support/stored-folder.ts';
import { age, pathOf } from '../support/stored-objects.ts';
import { until } from '../support/until.ts';

/** Enough for a kill in between. */
const MANY = sized(4_000, 20_000);

let site: StoredFolder;
beforeAll(async () => {
  site = await createStoredFolder(0);
});
afterEach(() => repo('--delete', '--force', '--quiet'));
afterAll(() => site.remove());

const gc = (...args: string[]) => site.start('gc', ...args);
const repo = (...args: string[]) => site.end(gc(...args));
const isThere = (key: string) => existsSync(pathOf(site.folder, 'public', key));

async function putStrays(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, newKey);
  for (const key of keys) {
    const path = pathOf(site.folder, 'public', key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'stray');
    await age(path, 2);
  }
  return keys;
}

describe('repo storage gc', () => {
  it('counts unused objects, lists them with --verbose, and removes nothing', async () => {
    const [key] = (await putStrays(1)) as [string];
    expect(await repo()).toEqual({
      code: 0,
      out: `public: 5 objects of 1.2 kB, 1 without a file of 5 bytes
private: 0 objects of 0 bytes, 0 without a file
fedora: 0 objects of 0 bytes, 0 without a file
unused files: 0
files without references: 0
Total: 1 object, 0 unfinished uploads, 0 unused files; 5 bytes.
Nothing was deleted. To delete these objects, add --delete.
`,
      err: '',
    });
    expect((await repo('--verbose')).out).toStartWith(`public: object without a file ${key}, 5 bytes\n`);
    expect(isThere(key)).toBe(true);
  });

  it('removes unused objects with --delete', async () => {
    const [key] = (await putStrays(1)) as [string];
    const { code, out, err } = await repo('--delete');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toEndWith('\nDeleted: 1 object, 0 unfinished uploads, 0 unused files; 5 bytes.\n');
    expect(isThere(key)).toBe(false);
    expect((await site.end(site.start('verify'))).code).toBe(0);
  });

  it('removes an unused file with its bytes before it ends', async () => {
    const key = newKey();
    const path = pathOf(site.folder, 'public', key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'unused');
    const columns = 'owner_id, langcode, filename, filemime, filesize, status, created, changed, version, sha256';
    await site.database.write([
      {
        sql: `INSERT INTO file (uuid, uri, storage_key, ${columns})
          VALUES ('u', 'public://unused.txt', ?, 1, 'en', 'unused.txt', 'text/plain', 6, 0, 1, 1, 1, 'x')`,
        args: [key],
      },
    ]);
    expect((await repo('--delete')).out).toEndWith(
      '\nDeleted: 0 objects, 0 unfinished uploads, 1 unused file; 6 bytes.\n',
    );
    expect(isThere(key)).toBe(false);
    expect(await site.count('SELECT count(*) FROM discarded_object')).toBe(0);
  });

  it('removes more than half of a store only with --force', async () => {
    const keys = await putStrays(9);
    const { code, out, err } = await repo('--delete');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(
      '9 of 13 objects in public belong to no file: that is more than half. Is this the right database for these stores? Nothing was removed; if it is, add --force.\n',
    );
    expect(keys.every(isThere)).toBe(true);
    expect((await repo('--delete', '--force')).code).toBe(0);
    expect(keys.some(isThere)).toBe(false);
  });

  it('fails while a backup is running', async () => {
    const [key] = (await putStrays(1)) as [string];
    await site.database.write(["INSERT INTO object_hold VALUES ('backup', unixepoch() + 60)"]);
    const { code, err } = await repo('--delete', '--force');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('A backup is under way') });
    expect(isThere(key)).toBe(true);
    await site.database.write(['DELETE FROM object_hold']);
  });

  it('resumes after a kill', async () => {
    const keys = await putStrays(MANY);
    const child = gc('--delete', '--force', '--quiet');
    await until(async () => !keys.slice(0, 1_000).every(isThere));
    child.kill('SIGKILL');
    await site.end(child);
    const left = keys.filter(isThere).length;
    expect(left).toBeWithin(1, MANY);
    expect((await repo('--delete', '--force')).out).toContain(`\nDeleted: ${numberText(left)} objects, `);
    expect(keys.some(isThere)).toBe(false);
    expect((await site.end(site.start('verify'))).code).toBe(0);
  });

  it.each([
    [['--force'], '--force requires --delete'],
    [['--older-than', '10m'], 'It must be a time such as 2h or 7d, from 1h'],
  ])('rejects %j', async (args, message) => {
    expect(await repo(...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });
});

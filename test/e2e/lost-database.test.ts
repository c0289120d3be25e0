import { beforeAll, describe, expect, it } from 'bun:test';
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { copyFirstStart, IS_ON_SQLD } from '../support/test-repository.ts';

const env = { PATH: process.env.PATH ?? '' };
const PASSWORD = 'a password for a new one';

let folder: string;
let whole: string;
beforeAll(async () => {
  folder = await emptyFolder();
  whole = join(folder, 'whole');
  await copyFirstStart(whole);
});

let count = 0;
/** A copy of a whole data folder, changed. */
async function dataWith(change: (data: string) => Promise<unknown>): Promise<string> {
  const data = join(folder, `data-${++count}`);
  await cp(whole, data, { recursive: true });
  await change(data);
  return data;
}
const database = (data: string) => join(data, 'repository.db');
const empty = (data: string) => truncate(database(data), 0);
const remove = (data: string) => rm(database(data));

function repo(data: string, ...args: string[]) {
  return outcomeOf(Bun.spawn([EXECUTABLE, ...args, '--data', data], { env, stdout: 'pipe', stderr: 'pipe' }));
}

/** Everything in a folder, with its size. */
async function listing(data: string): Promise<string[]> {
  const names = await readdir(data, { recursive: true });
  return Promise.all(names.sort().map(async (name) => `${name} ${(await stat(join(data, name))).size}`));
}

const WHAT_TO_DO =
  'Bring the database back, or restore a backup with: repo restore PLACE. To start a new repository here all the same: repo serve --new-database\n';

describe.skipIf(IS_ON_SQLD)('a repository that lost its database', () => {
  it.each([
    ['a database of 0 bytes', empty, 'The database DATA/repository.db has no content: it is 0 bytes long.'],
    [
      'keys and files, and no database',
      remove,
      'DATA holds keys and stored files of a repository, but there is no database DATA/repository.db.',
    ],
    [
      'keys and no database',
      async (data: string) => {
        await remove(data);
        await rm(join(data, 'files'), { recursive: true });
      },
      'DATA holds keys of a repository, but there is no database DATA/repository.db.',
    ],
    [
      'files and no database',
      async (data: string) => {
        await remove(data);
        await rm(join(data, 'keys'), { recursive: true });
      },
      'DATA holds stored files of a repository, but there is no database DATA/repository.db.',
    ],
    [
      'nothing but a database of 0 bytes',
      async (data: string) => {
        await rm(data, { recursive: true });
        await mkdir(data);
        await writeFile(database(data), '');
      },
      'The database DATA/repository.db has no content: it is 0 bytes long.',
    ],
  ])('does not start with %s, and changes nothing', async (_what, change, problem) => {
    const data = await dataWith(change);
    const before = await listing(data);
    const error = `${problem.replaceAll('DATA', data)} ${WHAT_TO_DO}`;
    const commands = [
      ['serve', '--port', '0'],
      ['serve', '--port', '0', '--workers', '2'],
      ['migrate'],
      ['user', 'list'],
      ['backup', join(folder, 'backup')],
      ['storage', 'verify', '--database'],
    ];
    for (const command of commands) {
      const { code, err } = await repo(data, ...command);
      expect({ command, code, err }).toEqual({ command, code: 1, err: error });
    }
    expect(await listing(data)).toEqual(before);
  });

  it.each([empty, remove])(
    'does not start if its write-ahead log remains, not even with --new-database',
    async (change) => {
      const data = await dataWith(async (data) => {
        await change(data);
        await writeFile(`${database(data)}-wal`, 'pages');
      });
      for (const options of [[], ['--new-database']]) {
        const { code, err } = await repo(data, 'serve', '--port', '0', ...options);
        expect(code).toBe(1);
        expect(err).toContain(`Its log of writes is there, ${database(data)}-wal`);
      }
      expect(await readFile(`${database(data)}-wal`, 'utf8')).toBe('pages');
    },
  );

  it('does not start with an empty database beside keys and files', async () => {
    const data = await dataWith(remove);
    // A database without tables, as a first start makes it before anything else.
    const made = new Libsql(database(data));
    made.exec('PRAGMA journal_mode = WAL');
    made.close();
    const { code, err } = await repo(data, 'serve', '--port', '0');
    expect(code).toBe(1);
    expect(err).toBe(
      `${data} holds keys and stored files of a repository, but the database ${database(data)} is empty. ${WHAT_TO_DO}`,
    );
  });

  it.each([
    ['of 0 bytes', empty, []],
    ['that does not exist', remove, []],
    ['that does not exist, with workers', remove, ['--workers', '2']],
  ])('replaces a database %s with --new-database, and keeps keys and files', async (_what, change, options) => {
    const data = await dataWith(change);
    const key = await readFile(join(data, 'keys/jwt-rsa.pem'), 'utf8');
    const files = (await listing(join(data, 'files/public'))).filter((line) => /^\w\w\//.test(line));
    const args = ['--data', data, '--new-database', ...options];
    const server = await startServer({ args, env: { ...env, REPO_ADMIN_PASSWORD: PASSWORD } });
    const found = await fetch(`${server.url}/node/1?_format=json`);
    expect(found.status).toBe(404);
    expect(server.log.map(({ msg }) => msg)).toContain(
      'starting a new repository; the data of an earlier one in this folder is kept',
    );
    expect(await server.stop()).toBe(0);
    expect(await readFile(join(data, 'keys/jwt-rsa.pem'), 'utf8')).toBe(key);
    expect(await listing(join(data, 'files/public'))).toEqual(expect.arrayContaining(files));
    // It is a repository from now on.
    const again = await startServer({ data, env });
    expect(await again.stop()).toBe(0);
  });

  it('logs that --new-database has no effect on an existing repository', async () => {
    const data = await dataWith(async () => {});
    const server = await startServer({ data, args: ['--new-database'], env });
    expect(server.log.map(({ msg }) => msg)).toContain(
      '--new-database has no effect: there is a repository; start without it from now on',
    );
    await server.stop();
  });

  it('is restored in place, beside its keys and files', async () => {
    const place = join(folder, 'place');
    expect((await repo(whole, 'backup', place, '--quiet')).code).toBe(0);
    for (const change of [empty, remove]) {
      const data = await dataWith(change);
      const { code, err } = await repo(data, 'restore', place, '--quiet');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const server = await startServer({ data, env });
      await server.stop();
    }
  });
});

describe.skipIf(IS_ON_SQLD)('a first start', () => {
  it('needs no configuration in an empty or missing folder', async () => {
    for (const data of [join(folder, 'empty'), join(folder, 'not/there')]) {
      if (data.endsWith('empty')) await mkdir(data);
      const server = await startServer({ data, env });
      expect(await server.stop()).toBe(0);
      expect(await readdir(data)).toContain('repository.db');
    }
  });

  it('removes the temporary database of a killed start', async () => {
    const data = await dataWith((data) => writeFile(`${database(data)}.new-0123456789ab`, ''));
    const server = await startServer({ data, env });
    expect(await server.stop()).toBe(0);
    expect((await readdir(data)).filter((name) => name.includes('.new-'))).toEqual([]);
  });
});

import { beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { copyStopped, IS_ON_SQLD } from '../support/test-repository.ts';

const CONFIG = resolve(import.meta.dir, '../../config');
const env = { PATH: process.env.PATH ?? '' };

let folder: string;
let data: string;
beforeAll(async () => {
  folder = await emptyFolder();
  data = join(folder, 'data');
  await copyStopped(data, (repository) => repository.node());
});

function repo(...args: string[]) {
  return outcomeOf(Bun.spawn([EXECUTABLE, ...args], { env, cwd: folder, stdout: 'pipe', stderr: 'pipe' }));
}

/** Runs a command whose output pipe closes before anything is read, as may happen in `command | head`. */
async function whenNobodyReads(...args: string[]) {
  const script = '{ "$0" "$@"; echo "exit code $?" >&2; } | true';
  return outcomeOf(
    Bun.spawn(['sh', '-c', script, EXECUTABLE, ...args], { env, cwd: folder, stdout: 'pipe', stderr: 'pipe' }),
  );
}

describe('a command whose output is not read to its end', () => {
  it.each([['--help'], ['serve', '--help'], ['help', 'storage', 'verify'], ['--version'], ['version'], []])(
    'exits with 0 and without an error: %j',
    async (...args) => {
      expect(await whenNobodyReads(...(args as string[]))).toEqual({ code: 0, out: '', err: 'exit code 0\n' });
    },
  );

  it.skipIf(IS_ON_SQLD).each([
    ['token', 'admin'],
    ['user', 'list'],
    ['derivatives', 'list'],
    ['setting', 'list'],
    ['storage', 'verify', '--quiet'],
    ['export', 'unread.csv', '--quiet'],
  ])('exits with 0 and without an error on a repository: %j', async (...args) => {
    const { err } = await whenNobodyReads(...(args as string[]), '--data', data);
    expect(err).toBe('exit code 0\n');
  });

  it('keeps the exit code of an error', async () => {
    expect((await whenNobodyReads('help', 'foo')).err).toEndWith('exit code 2\n');
  });
});

describe('the command line', () => {
  it('prints the version with --version', async () => {
    const [option, command] = await Promise.all([repo('--version'), repo('version')]);
    expect(option).toEqual(command);
    expect(option).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    [['help', 'foo'], "repo: unknown command 'foo'\nSee repo --help.\n"],
    [['help', 'serv'], "repo: unknown command 'serv'; did you mean serve?\nSee repo --help.\n"],
    [['help', 'storage', 'verfy'], "repo: unknown command 'verfy'; did you mean verify?\nSee repo storage --help.\n"],
    [['help', 'serve', 'foo'], "repo: unknown command 'foo'\nSee repo serve --help.\n"],
  ])('rejects %j', async (args, err) => {
    expect(await repo(...args)).toEqual({ code: 2, out: '', err });
  });

  it.each([
    ['derivatives', 'list', '--node', '0'],
    ['derivatives', 'scan', '--node', '0'],
    ['derivatives', 'show', '0'],
    ['derivatives', 'retry', '0'],
    ['derivatives', 'cancel', '0'],
    ['export', 'nodes.csv', '--node', '1,0'],
    ['export', 'nodes.csv', '--members-of', '0'],
  ])('rejects the id 0: %j', async (...args) => {
    const { code, out, err } = await repo(...(args as string[]));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('It must be a number from 1');
  });

  it('prints the help of a subcommand', async () => {
    const [help, option] = await Promise.all([repo('help', 'storage', 'verify'), repo('storage', 'verify', '--help')]);
    expect(help).toEqual(option);
    expect(help.out).toStartWith('Usage: repo storage verify');
  });
});

describe('a mistyped path', () => {
  it('makes a listing of backups fail, and is not created', async () => {
    const place = join(folder, 'nowhere');
    const error = `There is no backup in ${place}: the folder does not exist.\n`;
    expect(await repo('backup', place, '--list')).toEqual({ code: 1, out: '', err: error });
    expect(await repo('backup', place, '--keep', '3', '--dry-run')).toEqual({ code: 1, out: '', err: error });
    expect(await readdir(folder)).not.toContain('nowhere');
  });

  it('makes a listing of backups fail if it holds other files', async () => {
    const { code, out, err } = await repo('backup', data, '--list');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${data} holds other files, and no backups`);
  });

  it('makes a restore fail, which leaves nothing behind', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    for (const place of [join(folder, 'nowhere'), other, data]) {
      const { code, out } = await repo('restore', place, '--data', join(folder, 'restored'));
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(await readdir(folder)).not.toContain('restored');
    }
    expect(await readdir(other)).toEqual([]);
  });

  it
    .skipIf(IS_ON_SQLD)
    .each([
      ['nowhere/nodes.csv'],
      ['nodes.csv', '--files', 'nowhere/files'],
      ['--bag', 'nowhere/bags'],
      ['--ocfl', 'nowhere/root'],
    ])('makes an export fail, which leaves nothing behind: %j', async (...args) => {
    const before = await readdir(folder);
    expect(await repo('export', ...(args as string[]), '--quiet', '--data', data)).toEqual({
      code: 1,
      out: '',
      err: `The folder "${join(folder, 'nowhere')}" does not exist. Create it, or name another.\n`,
    });
    expect(await readdir(folder)).toEqual(before);
  });

  it.skipIf(IS_ON_SQLD)('is reported for --data, and no command creates the folder', async () => {
    for (const args of [['export', 'a.csv'], ['user', 'list'], ['migrate'], ['storage', 'verify', '--database']]) {
      const { code, err } = await repo(...args, '--data', join(folder, 'nodata'));
      expect(code).toBe(1);
      expect(err).toContain(`There is no repository in ${join(folder, 'nodata')}`);
    }
    expect(await readdir(folder)).not.toContain('nodata');
  });
});

describe('check-config without --mode', () => {
  it.each(['processor.yaml', 'processor.example.yaml'])('recognises a processor configuration: %s', async (name) => {
    const file = join(CONFIG, name);
    const found = await repo('check-config', file);
    expect(found).toEqual(await repo('check-config', '--mode', 'processor', file));
  });

  it('reports the errors of a processor configuration', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(file, 'cmdByMimeType:\n  text/plain:\n    cmd: cat\n    timeot: 3\n');
    const { code, out, err } = await repo('check-config', file);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`${file}:4: `);
    expect(err).toContain('timeot');
    expect(err).not.toContain('data');
  });

  it('treats every other file as a repository configuration', async () => {
    const file = join(folder, 'repository.yaml');
    await writeFile(file, 'siteName: x\ncmdByMimeTyp: {}\n');
    const { code, err } = await repo('check-config', file);
    expect(code).toBe(1);
    expect(err).toContain('cmdByMimeTyp');
    expect((await repo('check-config', join(CONFIG, 'repository.yaml'))).out).toContain('content model: ');
    expect((await repo('check-config', join(folder, 'nowhere.yaml'))).code).toBe(1);
    expect((await repo('check-config', '--mode', 'all', join(CONFIG, 'processor.yaml'))).code).toBe(1);
  });
});

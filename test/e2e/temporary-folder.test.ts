import { afterEach, describe, expect, it } from 'bun:test';
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { ADMIN_PASSWORD, copyFirstStart, IS_ON_SQLD } from '../support/test-repository.ts';

/** Not even root can create a folder there. */
const UNUSABLE = '/dev/null';

const disks: SmallDisk[] = [];
afterEach(() => {
  for (const disk of disks.splice(0)) disk.unmount();
});

/** Mounts a disk in memory on a new folder. */
async function disk(size: string, options?: string): Promise<string> {
  const folder = await emptyFolder();
  disks.push(mountSmallDisk(folder, size, options));
  return folder;
}

function environment(temporary: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD, TMPDIR: temporary };
}

function listUsers(data: string, temporary: string) {
  const args = [EXECUTABLE, 'user', 'list', '--data', data];
  return outcomeOf(Bun.spawn(args, { env: environment(temporary), stdout: 'pipe', stderr: 'pipe' }));
}

async function repositoryIn(folder: string): Promise<string> {
  const data = join(folder, 'data');
  await copyFirstStart(data);
  return data;
}

describe.skipIf(IS_ON_SQLD)('without a folder for temporary files', () => {
  it('a server starts in a new data folder, searches, and unpacks the engine once', async () => {
    const data = join(await emptyFolder(), 'data');
    const temporary = join(await emptyFolder(), 'missing');
    const server = await startServer({ data, env: environment(temporary) });
    expect((await server.fetch('/search?_format=json&q=a')).status).toBe(200);
    expect(server.complaints).toEqual([]);
    const [file = ''] = await readdir(join(data, 'native'));
    const { ino } = await stat(join(data, 'native', file));
    expect(await server.stop()).toBe(0);
    expect((await listUsers(data, UNUSABLE)).code).toBe(0);
    expect(await readdir(join(data, 'native'))).toEqual([file]);
    expect((await stat(join(data, 'native', file))).ino).toBe(ino);
  });

  it('replaces a changed copy of the engine', async () => {
    const data = await repositoryIn(await emptyFolder());
    await listUsers(data, UNUSABLE);
    const [name = ''] = await readdir(join(data, 'native'));
    const file = join(data, 'native', name);
    const before = await readFile(file);
    await writeFile(file, before.subarray(0, 1_000_000));
    expect(await listUsers(data, UNUSABLE)).toMatchObject({ code: 0, err: '' });
    expect(Buffer.compare(await readFile(file), before)).toBe(0);
  });

  it('a command reports both folders in one sentence if neither can be used', async () => {
    const data = await repositoryIn(await emptyFolder());
    await mkdir(join(data, 'native'));
    await chmod(join(data, 'native'), 0o777);
    const { code, err } = await listUsers(data, UNUSABLE);
    expect(code).toBe(1);
    expect(err.replaceAll(data, 'DATA').replace(/repo-\d+/, 'repo-0')).toBe(
      'The database engine cannot be unpacked and loaded: not in DATA/native, since it belongs to another user, or others may write to it; ' +
        'not in /dev/null/repo-0, since a part of its path is a file and not a folder. ' +
        'Set TMPDIR to a folder that this user may write to, on a disk with 10 MB of free space that is not mounted noexec.\n',
    );
  });
});

describe.if(CAN_MOUNT && !IS_ON_SQLD)('a folder for temporary files that cannot be used', () => {
  it.each([
    ['is mounted noexec', '32m', 'noexec'],
    ['is full', '1m', undefined],
  ])('does not stop a command if it %s', async (_what, size, options) => {
    const data = await repositoryIn(await emptyFolder());
    const temporary = await disk(size, options);
    expect(await listUsers(data, temporary)).toMatchObject({ code: 0, err: '' });
    expect(await readdir(temporary)).toEqual([]);
  });

  it('serves as the folder of the engine if the data folder is mounted noexec', async () => {
    const data = await disk('64m', 'noexec');
    await cp(await repositoryIn(await emptyFolder()), data, { recursive: true });
    const temporary = await emptyFolder();
    expect(await listUsers(data, temporary)).toMatchObject({ code: 0, err: '' });
    expect(await readdir(join(data, 'native'))).toEqual([]);
    const { code, err } = await listUsers(data, await disk('32m', 'noexec'));
    expect(code).toBe(1);
    expect(err.match(/is its disk mounted noexec\?/g)).toHaveLength(2);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { copyFirstStart, IS_ON_SQLD } from '../support/test-repository.ts';

const env = { PATH: process.env.PATH ?? '' };
/** A name of a backup that was made while the clock was ahead. */
const FUTURE = '2099-01-01T000000Z';
/** More than the lock, the manifests and the folders of a place need. */
const SLACK_KIB = 256;

let folder: string;
let data: string;
beforeAll(async () => {
  folder = await emptyFolder();
  data = join(folder, 'data');
  await copyFirstStart(data);
});

function backUp(place: string, ...args: string[]) {
  const command = [EXECUTABLE, 'backup', place, '--data', data, '--quiet', ...args];
  return outcomeOf(Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' }));
}

async function namesIn(place: string): Promise<string[]> {
  return (await readdir(join(place, 'backups'))).map((name) => name.replace('.json', '')).sort();
}

/** Gives the only backup of a place another name. */
async function renameOnly(place: string, name: string): Promise<void> {
  const [old = ''] = await namesIn(place);
  const file = (backup: string) => join(place, 'backups', `${backup}.json`);
  await writeFile(file(old), (await readFile(file(old), 'utf8')).replace(old, name));
  await rename(file(old), file(name));
}

describe.skipIf(IS_ON_SQLD)('repo backup --keep', () => {
  it('keeps the new backup and deletes one with a name in the future, which it names', async () => {
    const place = join(folder, 'future');
    await backUp(place);
    await renameOnly(place, FUTURE);
    const { code, out, err } = await backUp(place, '--keep', '1');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [, made] = /^Backup (\S+) is in/.exec(out) ?? [];
    expect(await namesIn(place)).toEqual([made ?? '']);
    const deleted = out.split('\n').filter((line) => line.startsWith('Deleted'));
    expect(deleted).toEqual([
      `Deleted the backup ${FUTURE}.`,
      expect.stringMatching(/^Deleted 1 backup and 0 files, \d\.\d MB in total\.$/),
    ]);
  });

  it('names in a dry run what it would delete, and deletes nothing', async () => {
    const place = join(folder, 'dry');
    await backUp(place);
    await renameOnly(place, '2020-01-01T000000Z');
    await backUp(place);
    const before = await namesIn(place);
    const { out } = await backUp(place, '--keep', '1', '--dry-run');
    expect(out).toStartWith('Would delete the backup 2020-01-01T000000Z.\n');
    expect(await namesIn(place)).toEqual(before);
  });
});

describe.if(CAN_MOUNT && !IS_ON_SQLD)('repo backup --keep on a disk with room for one more backup', () => {
  it('makes the backup, and deletes the oldest one', async () => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const smallDisk = mountSmallDisk(disk, '64m');
    afterAll(() => smallDisk.unmount());
    const place = join(disk, 'place');
    await backUp(place);
    await backUp(place);
    const [oldest] = await namesIn(place);
    const files = await readdir(disk, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files.filter((each) => each.isFile()).map((each) => stat(join(each.parentPath, each.name))),
    );
    const usedKib = sizes.reduce((sum, { blocks }) => sum + blocks / 2, 0);
    const databaseKib = Math.max(...sizes.map(({ blocks }) => blocks / 2));
    smallDisk.resize(`${usedKib + databaseKib + SLACK_KIB}k`);
    const { code, out, err } = await backUp(place, '--keep', '2');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Deleted the backup ${oldest}.`);
    expect(await namesIn(place)).toHaveLength(2);
  });
});

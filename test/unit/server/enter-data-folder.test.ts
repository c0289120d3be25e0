import { describe, expect, it } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServerConfig } from '../../../src/config/server-config.ts';
import { SETTINGS } from '../../../src/config/settings.ts';
import { requireOwner } from '../../../src/server/enter-data-folder.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const configOf = (folder: string) => createServerConfig(new Map([[SETTINGS.dataFolder, folder]]));
const self = process.geteuid?.() ?? 0;

describe.skipIf(process.platform === 'win32')('requireOwner', () => {
  it('accepts a folder of this user and a missing one', async () => {
    const folder = await emptyFolder();
    expect(() => requireOwner(configOf(folder), self)).not.toThrow();
    expect(() => requireOwner(configOf(join(folder, 'missing')), self + 1)).not.toThrow();
  });

  it('accepts another user if new files have the owner of the old ones, as on some network file systems', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'repository.db'), 'a');
    expect(() => requireOwner(configOf(folder), self + 1)).not.toThrow();
    expect(await readdir(folder)).toEqual(['repository.db']);
  });

  it('rejects another user if new files have another owner', async () => {
    const folder = await emptyFolder();
    await mkdir(join(folder, 'keys'));
    const rejected = () => requireOwner(configOf(folder), self + 1, () => self + 1);
    expect(rejected).toThrow(`${folder}/keys belongs to`);
    expect(rejected).toThrow('run it as the owner: sudo -u ');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../../src/storage/real-folder.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await emptyFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What became of each of three who ask at once. */
async function outcomes(path: string): Promise<string[]> {
  const settled = await Promise.allSettled([syncFolder(path), syncFolder(path), syncFolder(path)]);
  return settled.map(({ status }) => status);
}

describe('a folder that many want flushed at once', () => {
  it('is flushed for each of them', async () => {
    expect(await outcomes(folder)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('is flushed anew for whoever asks while it is being flushed, who share that', async () => {
    const first = syncFolder(folder);
    const second = syncFolder(folder);
    expect(second).not.toBe(first);
    expect(syncFolder(folder)).toBe(second);
    await Promise.all([first, second]);
  });

  it('fails for each of them where it cannot be flushed, and for nobody afterwards', async () => {
    const path = join(folder, 'later');
    expect(await outcomes(path)).toEqual(['rejected', 'rejected', 'rejected']);
    await mkdir(path);
    expect(await outcomes(path)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });
});

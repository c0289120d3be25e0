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

/** The outcomes of three simultaneous calls. */
async function outcomes(path: string): Promise<string[]> {
  const settled = await Promise.allSettled([syncFolder(path), syncFolder(path), syncFolder(path)]);
  return settled.map(({ status }) => status);
}

describe('a folder with simultaneous flushes', () => {
  it('is flushed for each call', async () => {
    expect(await outcomes(folder)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('is flushed once more for calls that arrive during a flush', async () => {
    const first = syncFolder(folder);
    const second = syncFolder(folder);
    expect(second).not.toBe(first);
    expect(syncFolder(folder)).toBe(second);
    await Promise.all([first, second]);
  });

  it('rejects these calls if the flush fails, but not later ones', async () => {
    const path = join(folder, 'later');
    expect(await outcomes(path)).toEqual(['rejected', 'rejected', 'rejected']);
    await mkdir(path);
    expect(await outcomes(path)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });
});

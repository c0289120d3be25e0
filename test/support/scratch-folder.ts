import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new folder. Whoever uses it, and be it by another helper, has `afterAll(removeScratchFolders)` in its file. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'repo-scratch-'));
  made.push(folder);
  return folder;
}

export async function removeScratchFolders(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
}

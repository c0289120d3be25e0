import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const created: string[] = [];

/** Creates an empty folder. It is removed, with its contents, when the process of the tests exits. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'repo-test-'));
  created.push(folder);
  return folder;
}

// A hook of bun:test would run after the first file that imports this module, and for no other.
process.on('exit', () => {
  for (const folder of created) rmSync(folder, { recursive: true, force: true });
});

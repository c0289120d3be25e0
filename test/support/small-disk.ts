import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARKER_FILE } from '../../src/storage/local/marker.ts';

/** A file system in memory on a folder. */
export interface SmallDisk {
  /** `size` is as mount(8) reads it: `64m`. */
  resize(size: string): void;
  protect(isReadOnly: boolean): void;
  unmount(): void;
}

/** True if this process may mount file systems: root outside of most containers. Tests that need it are skipped otherwise. */
export const CAN_MOUNT = canMount();

/**
 * Mounts a file system in memory on a folder, whose content it hides, except for the marker of a store. `size` and further
 * options are as mount(8) reads them: `8m`, `noexec`.
 */
export function mountSmallDisk(folder: string, size: string, options = 'rw'): SmallDisk {
  const marker = join(folder, MARKER_FILE);
  const text = existsSync(marker) ? readFileSync(marker, 'utf8') : undefined;
  run('mount', '-t', 'tmpfs', '-o', `size=${size},${options}`, 'tmpfs', folder);
  if (text !== undefined) writeFileSync(marker, text);
  return {
    resize: (next) => run('mount', '-o', `remount,size=${next}`, folder),
    protect: (isReadOnly) => run('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder),
    unmount: () => run('umount', '-l', folder),
  };
}

function run(...words: string[]): void {
  const { success, stderr } = Bun.spawnSync(words, { stderr: 'pipe' });
  if (!success) throw new Error(`${words.join(' ')}: ${stderr.toString()}`);
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'repo-test-mount-'));
  try {
    mountSmallDisk(folder, '64k').unmount();
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { storageFailed } from '../errors.ts';
import { createFile, syncFolder } from '../real-folder.ts';
import type { StoreMarker } from '../storage.ts';
import type { LocalLayout } from './layout.ts';

/** The file in the folder of a store that shows that the folder is the right one, and not an empty mount point. */
export const MARKER_FILE = 'repo-store.json';

/** Returns the marker of a store in a folder, and a function that throws `storage-failed` unless it is the expected one. */
export function createLocalMarker({ root }: LocalLayout): StoreMarker & { require(): Promise<void> } {
  const path = join(root, MARKER_FILE);
  let expected: string | undefined;
  const read = async (): Promise<string | undefined> => {
    try {
      return idIn(await readFile(path, 'utf8'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
      throw storageFailed('The marker of the file store cannot be read.', error);
    }
  };
  return {
    read,
    async create(id) {
      try {
        const file = await createFile(path);
        try {
          await file.write(`${JSON.stringify({ store: id })}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await syncFolder(root);
      } catch (error) {
        // Another process was faster.
        if (codeOf(error) !== 'EEXIST') throw storageFailed('The file store cannot be written to.', error);
      }
      return (await read()) ?? id;
    },
    expect(id) {
      expected = id;
    },
    async require() {
      if (expected === undefined || (await read()) === expected) return;
      throw storageFailed(
        'The file store cannot be used.',
        new Error(
          `${path} is not the marker of this store: its disk is not mounted, or it has lost its files. If it is the right ` +
            `folder with all of its files, write the marker: ${JSON.stringify({ store: expected })}`,
        ),
      );
    },
  };
}

/** Returns the id in a marker; undefined for a file with other content. */
function idIn(text: string): string | undefined {
  try {
    const { store } = JSON.parse(text) as { store?: unknown };
    return typeof store === 'string' ? store : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

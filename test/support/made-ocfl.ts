import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Inventory } from '../../src/transfer/ocfl/inventory.ts';
import { type BagFiles, writeFiles } from './made-bag.ts';

export const sha512 = (text: string): string => createHash('sha512').update(text).digest('hex');

/** An inventory of two versions as the specification shows it, written by hand. */
export function goodInventory(): Inventory {
  return {
    id: 'ark:/12345/bcd987',
    type: 'https://ocfl.io/1.1/spec/#inventory',
    digestAlgorithm: 'sha512',
    head: 'v2',
    contentDirectory: 'content',
    manifest: {
      [sha512('image')]: ['v1/content/foo/image.tiff'],
      [sha512('old')]: ['v1/content/text.txt'],
      [sha512('new')]: ['v2/content/text.txt'],
    },
    versions: {
      v1: {
        created: '2018-10-01T12:00:00Z',
        message: 'Initial import',
        state: { [sha512('image')]: ['foo/image.tiff'], [sha512('old')]: ['text.txt'] },
        user: { name: 'Alice', address: 'mailto:alice@example.org' },
      },
      v2: {
        created: '2018-11-02T13:00:00+01:00',
        state: { [sha512('image')]: ['foo/image.tiff', 'copy.tiff'], [sha512('new')]: ['text.txt'] },
      },
    },
  };
}

/** The parts of an object; its inventory may be changed before the sidecar is created. */
export interface ObjectFiles {
  readonly inventory: Inventory;
  readonly files: BagFiles;
}

export function goodObject(): ObjectFiles {
  return {
    inventory: goodInventory(),
    files: {
      '0=ocfl_object_1.1': 'ocfl_object_1.1\n',
      'v1/content/foo/image.tiff': 'image',
      'v1/content/text.txt': 'old',
      'v2/content/text.txt': 'new',
    },
  };
}

/** An inventory and its sidecar below a folder of an object. */
export function inventoryFiles(inventory: unknown, folder = ''): BagFiles {
  const text = JSON.stringify(inventory);
  return { [`${folder}inventory.json`]: text, [`${folder}inventory.json.sha512`]: `${sha512(text)}  inventory.json\n` };
}

/** Writes an object into a folder; what `files` has of inventories stays as it is. */
export function writeObject(folder: string, { inventory, files }: ObjectFiles): Promise<string> {
  return writeFiles(folder, { ...inventoryFiles(inventory), ...inventoryFiles(inventory, 'v2/'), ...files });
}

/** A storage root with one object. */
export async function writeRoot(root: string, object: ObjectFiles): Promise<string> {
  await writeFiles(root, { '0=ocfl_1.1': 'ocfl_1.1\n' });
  await writeObject(join(root, 'some/where'), object);
  return root;
}

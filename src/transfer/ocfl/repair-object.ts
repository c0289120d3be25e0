import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder, writeFileDurably } from '../files/durable-files.ts';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { withWorkFolder } from '../files/work-folder.ts';
import { EXTENSIONS_FOLDER, INVENTORY_FILE } from './ocfl-names.ts';
import { type ReadInventory, readInventory, sidecarName, sidecarText } from './read-inventory.ts';

const VERSION = /^v\d+$/;

/**
 * Returns the inventory of an object to which versions are added. Repairs an object after an interrupted addition: it has
 * a version folder that its inventory lacks, or an inventory with an outdated sidecar. Version folders are always
 * complete, so that the last one becomes the head.
 */
export async function openForVersions(root: string, object: string): Promise<ReadInventory> {
  const numbers = (await readdir(object)).filter((name) => VERSION.test(name));
  const last = numbers.sort((one, other) => Number(one.slice(1)) - Number(other.slice(1))).at(-1);
  if (last === undefined) return readInventory(object);
  try {
    const stored = await readInventory(object);
    if (stored.inventory.head === last) return stored;
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
  }
  const newest = await readInventory(join(object, last));
  if (newest.inventory.head !== last)
    throw new PackageError(
      `${join(object, last, INVENTORY_FILE)}: head is ${shown(newest.inventory.head)}; it must be ${last}.`,
    );
  await replaceInventory(root, object, newest);
  return newest;
}

/** Replaces the inventory of an object, whose content already exists. */
export async function replaceInventory(
  root: string,
  object: string,
  { text, inventory }: ReadInventory,
): Promise<void> {
  const sidecar = sidecarName(inventory.digestAlgorithm);
  await withWorkFolder(join(root, EXTENSIONS_FOLDER), async (work) => {
    await writeFileDurably(join(work, INVENTORY_FILE), text);
    await writeFileDurably(join(work, sidecar), sidecarText(inventory.digestAlgorithm, text));
    await rename(join(work, INVENTORY_FILE), join(object, INVENTORY_FILE));
    await rename(join(work, sidecar), join(object, sidecar));
  });
  await syncFolder(object);
}

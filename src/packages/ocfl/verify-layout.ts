import { PackageError } from '../package.ts';
import { shown } from '../package-path.ts';
import type { CheckedInventory } from './checked-inventory.ts';
import { EXTENSIONS_FOLDER, INVENTORY_FILE, LOGS_FOLDER, OBJECT_DECLARATIONS } from './ocfl-names.ts';
import { sidecarName } from './read-inventory.ts';

/** What an export that was broken off leaves behind is mended by the next one. */
const BROKEN_OFF = 'If an export into it was broken off, export it once more.';

/** Throws PackageError unless an object's folder holds what its inventory lists, and nothing else. */
export function verifyLayout(
  folder: string,
  listed: ReadonlyMap<string, unknown>,
  { contents, versions, algorithm, contentFolder }: CheckedInventory,
): void {
  const ownFiles = new Set([...OBJECT_DECLARATIONS, INVENTORY_FILE, sidecarName(algorithm)]);
  const names = new Set(versions.map(({ name }) => name));
  for (const path of listed.keys()) {
    const [first = '', second = '', ...rest] = path.split('/');
    if (second === '' ? ownFiles.has(first) : first === EXTENSIONS_FOLDER || first === LOGS_FOLDER) continue;
    if (names.has(first) && rest.length === 0 && second.startsWith(INVENTORY_FILE)) continue;
    if (names.has(first) && second === contentFolder && contents.has(path)) continue;
    throw new PackageError(
      `${folder}: ${shown(path)} is not in ${INVENTORY_FILE}; it must not be there. ${BROKEN_OFF}`,
    );
  }
  for (const path of contents.keys()) {
    if (!listed.has(path)) throw new PackageError(`${folder}: ${shown(path)} is in ${INVENTORY_FILE}, but is missing.`);
  }
}

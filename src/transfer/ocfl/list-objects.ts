import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { requireFolder } from '../files/list-folder.ts';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readFileBytes, readText } from '../files/read-file.ts';
import { EXTENSIONS_FOLDER, OBJECT_DECLARATIONS, ROOT_DECLARATIONS } from './ocfl-names.ts';
import { declarationIn, requireDeclaration } from './verify-declaration.ts';

/** The folders of the objects of a storage root, in the order of their names; for the folder of an object, that one. Throws PackageError. */
export async function* listOcflObjects(path: string): AsyncGenerator<string> {
  await requireFolder(path);
  const names = await readdir(path);
  if (declarationIn(names, OBJECT_DECLARATIONS) !== undefined) {
    yield path;
    return;
  }
  await requireDeclaration(path, names, ROOT_DECLARATIONS, (file) => readText(readFileBytes(file), file, 64));
  for (const entry of await sortedEntries(path)) {
    if (entry.isDirectory() && entry.name !== EXTENSIONS_FOLDER) yield* objectsBelow(join(path, entry.name));
    // Beside the folders there may be the text of the specification and others to read.
    else if (!entry.isDirectory()) requireFile(path, entry);
  }
}

async function* objectsBelow(folder: string): AsyncGenerator<string> {
  const entries = await sortedEntries(folder);
  const names = entries.map(({ name }) => name);
  // One of a version that is not known is told as such when it is read.
  if (names.some((name) => name.startsWith('0='))) {
    yield folder;
    return;
  }
  for (const entry of entries) {
    if (entry.isDirectory()) yield* objectsBelow(join(folder, entry.name));
    else {
      requireFile(folder, entry);
      throw new PackageError(`${shown(join(folder, entry.name))} is in no object; only folders may be there.`);
    }
  }
}

async function sortedEntries(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function requireFile(folder: string, entry: { name: string; isFile(): boolean }): void {
  if (entry.isFile()) return;
  throw new PackageError(
    `${shown(join(folder, entry.name))} is a link or a device; only files and folders may be there.`,
  );
}

import { join } from 'node:path';
import { checkedFile } from '../files/checked-file.ts';
import { type DigestAlgorithm, hashStream, unlessAborted } from '../files/hash-stream.ts';
import { type ListedFile, listFolder, requireFolder } from '../files/list-folder.ts';
import { type Package, PackageError, type PackageFile } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readFileBytes, readText } from '../files/read-file.ts';
import type { CheckedInventory, ObjectVersion } from './checked-inventory.ts';
import {
  EXTENSIONS_FOLDER,
  INVENTORY_FILE,
  LOGS_FOLDER,
  OBJECT_DECLARATIONS,
  requireDeclaration,
} from './ocfl-names.ts';
import { type ReadInventory, readInventory, sidecarName } from './read-inventory.ts';

/** Reads and verifies an OCFL object (1.0 or 1.1). Returns a package with its versions. Throws PackageError. */
export async function readOcflObject(folder: string, signal?: AbortSignal): Promise<Package> {
  await requireFolder(folder);
  const listed = await listFolder(folder);
  await requireDeclaration(folder, listed.keys(), OBJECT_DECLARATIONS, (path) =>
    readText(readFileBytes(path), path, 64),
  );
  const root = await readInventory(folder);
  verifyLayout(folder, listed, root.checked);
  await verifyVersionInventories(folder, listed, root);
  const contents = await verifyContents(folder, listed, root.checked, signal);
  return {
    identifier: root.checked.id,
    versions: root.checked.versions.map((version) => toVersion(version, contents)),
  };
}

/** Reads and verifies every content file. Returns them by digest. */
async function verifyContents(
  folder: string,
  listed: ReadonlyMap<string, ListedFile>,
  { contents, fixity, algorithm }: CheckedInventory,
  signal: AbortSignal | undefined,
): Promise<Map<string, PackageFile>> {
  const verified = new Map<string, PackageFile>();
  for (const [path, digest] of contents) {
    signal?.throwIfAborted();
    const file = listed.get(path) as ListedFile;
    const expected = new Map<DigestAlgorithm, string>([...(fixity.get(path) ?? []), [algorithm, digest]]);
    const actual = await hashStream(unlessAborted(readFileBytes(file.path), signal), ['sha256', ...expected.keys()]);
    for (const [each, value] of expected) {
      if (actual.digests[each] !== value)
        throw new PackageError(
          `${folder}: the ${each} of ${shown(path)} is ${actual.digests[each]}; it must be ${value}.`,
        );
    }
    const { bytes } = actual;
    const facts = { name: join(folder, path), bytes, sha256: actual.digests.sha256 as string };
    verified.set(digest, checkedFile({ ...facts, open: () => readFileBytes(file.path) }));
  }
  return verified;
}

function toVersion({ about, state }: ObjectVersion, contents: ReadonlyMap<string, PackageFile>) {
  const { created, message = '', user } = about;
  const files = [...state].map(([path, digest]) => [path, contents.get(digest) as PackageFile] as const);
  return {
    created: new Date(created),
    message,
    user: user && { name: user.name, ...(user.address !== undefined && { address: user.address }) },
    files: new Map(files),
  };
}

/** The advice for an object that an interrupted export may have left: the next export repairs it. */
const EXPORT_AGAIN = 'If an export was interrupted, export again.';

/** Throws PackageError unless an object's folder contains exactly the files of its inventory. */
function verifyLayout(
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
    throw new PackageError(`${folder}: ${INVENTORY_FILE} does not list ${shown(path)}. ${EXPORT_AGAIN}`);
  }
  for (const path of contents.keys()) {
    if (!listed.has(path))
      throw new PackageError(`${folder}: ${INVENTORY_FILE} lists ${shown(path)}, which is missing.`);
  }
}

/** Throws PackageError unless the inventories of versions agree with that of the object (OCFL 1.1, 3.7). */
async function verifyVersionInventories(
  folder: string,
  listed: ReadonlyMap<string, unknown>,
  root: ReadInventory,
): Promise<void> {
  const { versions } = root.checked;
  const sidecars = sidecarsByVersion(listed.keys());
  for (const [index, { name }] of versions.entries()) {
    const inside = `${name}/${INVENTORY_FILE}`;
    const besides = sidecars.get(name) ?? [];
    if (!listed.has(inside)) {
      if (besides.length > 0) throw new PackageError(`${join(folder, inside)} is missing, but has a sidecar.`);
      continue;
    }
    const own = await readInventory(join(folder, name));
    const where = join(folder, inside);
    const sidecar = `${name}/${sidecarName(own.checked.algorithm)}`;
    if (besides.some((path) => path !== sidecar))
      throw new PackageError(`${where} has several sidecars; it must have only ${sidecar}.`);
    if (own.checked.id !== root.checked.id) throw new PackageError(`${where}: id must be ${root.checked.id}.`);
    if (own.checked.versions.length !== index + 1) throw new PackageError(`${where}: head must be ${name}.`);
    if (index === versions.length - 1 && own.text !== root.text)
      throw new PackageError(`${where} must be the same as ${INVENTORY_FILE} of the object.`);
    const isComparable = own.checked.algorithm === root.checked.algorithm;
    for (const [place, version] of own.checked.versions.entries())
      requireSameState(version, versions[place] as ObjectVersion, isComparable, where);
  }
}

/** Returns the paths of sidecars by version. */
function sidecarsByVersion(paths: Iterable<string>): Map<string, string[]> {
  const contents = new Map<string, string[]>();
  for (const path of paths) {
    const [version = '', name = ''] = path.split('/', 2);
    if (name.startsWith(`${INVENTORY_FILE}.`)) contents.set(version, [...(contents.get(version) ?? []), path]);
  }
  return contents;
}

function requireSameState(own: ObjectVersion, root: ObjectVersion, isComparable: boolean, where: string): void {
  const isSame =
    own.state.size === root.state.size &&
    [...own.state].every(([path, digest]) => (isComparable ? root.state.get(path) === digest : root.state.has(path)));
  if (!isSame)
    throw new PackageError(`${where}: the state of ${own.name} differs from that in the object's inventory.`);
}

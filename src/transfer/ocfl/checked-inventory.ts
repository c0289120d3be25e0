import { type DigestAlgorithm, isDigest, isDigestAlgorithm } from '../files/hash-stream.ts';
import { PackageError } from '../files/package.ts';
import { PathRegister, shown } from '../files/package-path.ts';
import type { Inventory, InventoryVersion } from './inventory.ts';
import { CONTENT_FOLDER, versionName } from './ocfl-names.ts';

/** A version of an object, with digests by logical path. */
export interface ObjectVersion {
  readonly name: string;
  readonly about: Omit<InventoryVersion, 'state'>;
  readonly state: ReadonlyMap<string, string>;
}

/** A consistent inventory. Digests are in lower case. */
export interface CheckedInventory {
  readonly id: string;
  readonly algorithm: Inventory['digestAlgorithm'];
  readonly contentFolder: string;
  /** The number of digits of version numbers that are padded with zeros; 0 without padding. */
  readonly digits: number;
  /** The oldest first. */
  readonly versions: readonly ObjectVersion[];
  /** Digests by content path. */
  readonly contents: ReadonlyMap<string, string>;
  /** Further digests by content path. */
  readonly fixity: ReadonlyMap<string, ReadonlyMap<DigestAlgorithm, string>>;
}

/** Checks the rules that the schema of an inventory cannot express (OCFL 1.1, 3.5). Throws PackageError. */
export function checkInventory(inventory: Inventory, where: string): CheckedInventory {
  const contentFolder = inventory.contentDirectory ?? CONTENT_FOLDER;
  if (contentFolder.includes('/') || contentFolder === '.' || contentFolder === '..' || contentFolder === '')
    throw new PackageError(`${where}: contentDirectory is ${shown(contentFolder)}; it must be the name of one folder.`);
  const names = versionNames(inventory, where);
  const contents = byPath(inventory.manifest, inventory.digestAlgorithm, `${where}, manifest`);
  for (const path of contents.keys()) {
    const [version, folder] = path.split('/', 2);
    if (!names.includes(version ?? '') || folder !== contentFolder)
      throw new PackageError(`${where}, manifest: ${shown(path)} must begin with a version and ${contentFolder}/.`);
  }
  const versions = names.map((name) => versionOf(inventory, name, where));
  requireSameDigests(new Set(contents.values()), versions, where);
  return {
    id: inventory.id,
    algorithm: inventory.digestAlgorithm,
    contentFolder,
    digits: names[0]?.startsWith('v0') ? (names[0] as string).length - 1 : 0,
    versions,
    contents,
    fixity: fixityOf(inventory, contents, where),
  };
}

/** Returns the names of the versions in order. Throws PackageError for gaps, and if the head is not the last. */
function versionNames({ versions, head }: Inventory, where: string): string[] {
  const names = Object.keys(versions).sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
  const digits = names[0]?.startsWith('v0') ? names[0].length - 1 : 0;
  const expected = names.map((_name, index) => versionName(index + 1, digits));
  const wrong = names.findIndex((name, index) => name !== expected[index]);
  if (names.length === 0) throw new PackageError(`${where} has no versions; it must have at least v1.`);
  if (wrong !== -1)
    throw new PackageError(
      `${where}: version ${shown(names[wrong] as string)} must be ${expected[wrong]}; versions are numbered from 1 without gaps.`,
    );
  if (head !== names.at(-1))
    throw new PackageError(`${where}: head is ${shown(head)}; it must be the last version, ${names.at(-1)}.`);
  return names;
}

function versionOf(inventory: Inventory, name: string, where: string): ObjectVersion {
  const { state, ...about } = inventory.versions[name] as InventoryVersion;
  if (Number.isNaN(new Date(about.created).getTime()))
    throw new PackageError(`${where}, ${name}: created is ${shown(about.created)}, which is no valid time.`);
  return { name, about, state: byPath(state, inventory.digestAlgorithm, `${where}, ${name}`) };
}

/** Returns digests by path. Throws PackageError for unsafe or duplicate paths and digests. */
function byPath(
  pathsByDigest: Record<string, string[]>,
  algorithm: DigestAlgorithm,
  where: string,
): Map<string, string> {
  const register = new PathRegister();
  const digests = new Set<string>();
  const digestByPath = new Map<string, string>();
  for (const [written, paths] of Object.entries(pathsByDigest)) {
    const digest = written.toLowerCase();
    if (!isDigest(algorithm, digest)) throw new PackageError(`${where}: ${shown(written)} must be a ${algorithm}.`);
    if (digests.has(digest)) throw new PackageError(`${where}: duplicate digest ${digest}.`);
    digests.add(digest);
    for (const path of paths) {
      register.add(path, where);
      digestByPath.set(path, digest);
    }
  }
  return digestByPath;
}

/** Throws PackageError unless the manifest has exactly the digests of the versions. */
function requireSameDigests(kept: ReadonlySet<string>, versions: readonly ObjectVersion[], where: string): void {
  const named = new Set<string>();
  for (const { name, state } of versions) {
    for (const [path, digest] of state) {
      named.add(digest);
      if (!kept.has(digest))
        throw new PackageError(`${where}, ${name}: the manifest lacks the digest of ${shown(path)}.`);
    }
  }
  for (const digest of kept) {
    if (!named.has(digest)) throw new PackageError(`${where}, manifest: no version has the digest ${digest}.`);
  }
}

/** Returns the digests of the fixity block whose algorithms are known. */
function fixityOf({ fixity = {} }: Inventory, contents: ReadonlyMap<string, string>, where: string) {
  const fixityByPath = new Map<string, Map<DigestAlgorithm, string>>();
  for (const [algorithm, pathsByDigest] of Object.entries(fixity)) {
    if (!isDigestAlgorithm(algorithm)) continue;
    for (const [path, digest] of byPath(pathsByDigest, algorithm, `${where}, fixity ${algorithm}`)) {
      if (!contents.has(path))
        throw new PackageError(`${where}, fixity ${algorithm}: the manifest lacks ${shown(path)}.`);
      fixityByPath.set(path, (fixityByPath.get(path) ?? new Map()).set(algorithm, digest));
    }
  }
  return fixityByPath;
}

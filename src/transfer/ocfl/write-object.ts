import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere, makeFolders, syncFolder, writeFileDurably } from '../files/durable-files.ts';
import { hashStream } from '../files/hash-stream.ts';
import { type Package, PackageError, type PackageVersion } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readFileBytes } from '../files/read-file.ts';
import { placeFolder, withWorkFolder } from '../files/work-folder.ts';
import type { CheckedInventory, ObjectVersion } from './checked-inventory.ts';
import { buildVersion, type ObjectDraft, sha256Of, writeInventory } from './object-draft.ts';
import {
  CONTENT_FOLDER,
  declarationText,
  EXTENSIONS_FOLDER,
  INVENTORY_FILE,
  INVENTORY_TYPE,
  OBJECT_DECLARATION,
} from './ocfl-names.ts';
import type { OcflRoot } from './ocfl-root.ts';
import { type ReadInventory, readInventory, sidecarName, sidecarText } from './read-inventory.ts';

/** The result of writing an object. */
interface WrittenObject {
  readonly folder: string;
  readonly isNew: boolean;
  readonly versions: number;
}

/**
 * Writes the versions of a package as an OCFL 1.1 object into a storage root from `openOcflRoot`: a new object, which
 * appears once it is complete, or the versions that an existing object lacks. Versions share equal files. Throws
 * PackageError for unsafe paths, for a file with wrong bytes, and for an existing object with another history.
 */
export async function writeOcflObject(
  { folder: root, pathOf }: OcflRoot,
  source: Package,
  signal?: AbortSignal,
): Promise<WrittenObject> {
  if (source.versions.length === 0) throw new PackageError(`The package ${shown(source.identifier)} has no version.`);
  const folder = join(root, pathOf(source.identifier));
  if (await isThere(folder)) return extendObject(root, folder, source, signal);
  await withWorkFolder(join(root, EXTENSIONS_FOLDER), async (work) => {
    const object = join(work, 'object');
    const draft = emptyDraft(source.identifier);
    await mkdir(object);
    for (const version of source.versions) await buildVersion(draft, version, (name) => join(object, name), signal);
    await writeInventory(draft, object);
    await writeFileDurably(join(object, OBJECT_DECLARATION), declarationText(OBJECT_DECLARATION));
    await makeFolders(dirname(folder));
    await placeFolder(object, folder);
  });
  return { folder, isNew: true, versions: source.versions.length };
}

async function extendObject(
  root: string,
  folder: string,
  source: Package,
  signal: AbortSignal | undefined,
): Promise<WrittenObject> {
  const there = await openForVersions(root, folder);
  const { checked } = there;
  if (checked.id !== source.identifier)
    throw new PackageError(
      `${folder} contains the object ${shown(checked.id)}; it must be ${shown(source.identifier)}.`,
    );
  const draft = await draftOf(folder, there);
  const missing = await missingVersions(checked, draft.bySha256, source, folder);
  if (missing.length > 0) await addVersions(root, folder, draft, missing, signal);
  return { folder, isNew: false, versions: missing.length };
}

/** Adds the folders of versions, and then the inventory that lists them. */
async function addVersions(
  root: string,
  folder: string,
  draft: ObjectDraft,
  versions: readonly PackageVersion[],
  signal: AbortSignal | undefined,
): Promise<void> {
  await withWorkFolder(join(root, EXTENSIONS_FOLDER), async (work) => {
    const names: string[] = [];
    for (const version of versions) names.push(await buildVersion(draft, version, (name) => join(work, name), signal));
    signal?.throwIfAborted();
    for (const name of names) await placeFolder(join(work, name), join(folder, name));
    const newest = await readInventory(join(folder, names.at(-1) as string));
    await replaceInventory(root, folder, newest);
  });
}

function emptyDraft(id: string): ObjectDraft {
  const maps = { versions: new Map(), manifest: new Map(), bySha256: new Map() };
  return { id, type: INVENTORY_TYPE, algorithm: 'sha512', contentFolder: CONTENT_FOLDER, digits: 0, ...maps };
}

/** Returns a draft of an existing object. Reads content whose SHA-256 the inventory lacks. */
async function draftOf(folder: string, { checked, inventory }: ReadInventory): Promise<ObjectDraft> {
  const { id, algorithm, contentFolder, digits } = checked;
  const { type } = inventory;
  const manifest = new Map(Object.entries(inventory.manifest).map(([digest, paths]) => [digest.toLowerCase(), paths]));
  const names = checked.versions.map(({ name }) => name);
  const versions = new Map(names.map((name) => [name, lowered(inventory, name)]));
  return {
    id,
    type,
    algorithm,
    contentFolder,
    digits,
    manifest,
    versions,
    bySha256: await knownContents(folder, checked),
  };
}

function lowered({ versions }: ReadInventory['inventory'], name: string) {
  const version = versions[name] as (typeof versions)[string];
  const state = Object.entries(version.state).map(([digest, paths]) => [digest.toLowerCase(), paths] as const);
  return { ...version, state: Object.fromEntries(state) };
}

async function knownContents(folder: string, { contents, fixity, algorithm }: CheckedInventory) {
  const digests = new Map<string, string>();
  for (const [path, digest] of contents) {
    const stated = algorithm === 'sha256' ? digest : fixity.get(path)?.get('sha256');
    const sha256 = stated ?? (await hashStream(readFileBytes(join(folder, path)), ['sha256'])).digests.sha256;
    digests.set(sha256 as string, digest);
  }
  return digests;
}

/**
 * Returns the versions of a package that an object lacks. Time, user and message identify a version; its files may differ,
 * because an object may keep more of it than the package. A change without a new version adds the last version again.
 * Throws PackageError if the object has none of the versions.
 */
async function missingVersions(
  { versions }: CheckedInventory,
  bySha256: ReadonlyMap<string, string>,
  source: Package,
  where: string,
): Promise<readonly PackageVersion[]> {
  let count = 0;
  for (const kept of versions) {
    const next = source.versions[count];
    if (next !== undefined && isSameMoment(kept, next)) count += 1;
  }
  if (count === 0)
    throw new PackageError(
      `${where} has another history of ${shown(source.identifier)}, without any of these versions. Export into another folder.`,
    );
  if (count < source.versions.length) return source.versions.slice(count);
  const last = source.versions.at(-1) as PackageVersion;
  return (await isSameState(versions.at(-1) as ObjectVersion, bySha256, last)) ? [] : [last];
}

function isSameMoment({ about }: ObjectVersion, { created, message, user }: PackageVersion): boolean {
  return (
    new Date(about.created).getTime() === created.getTime() &&
    (about.message ?? '') === message &&
    isSameUser(about.user, user)
  );
}

/** Returns true for the same name, or the same address: users can be renamed. */
function isSameUser(one: PackageVersion['user'], other: PackageVersion['user']): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.name === other.name || (one.address !== undefined && one.address === other.address);
}

async function isSameState(
  { state }: ObjectVersion,
  bySha256: ReadonlyMap<string, string>,
  { files }: PackageVersion,
): Promise<boolean> {
  if (state.size !== files.size) return false;
  for (const [path, file] of files) {
    const kept = state.get(path);
    if (kept === undefined || bySha256.get(await sha256Of(file)) !== kept) return false;
  }
  return true;
}

const VERSION = /^v\d+$/;

/**
 * Returns the inventory of an object to which versions are added. Repairs an object after an interrupted addition: it has
 * a version folder that its inventory lacks, or an inventory with an outdated sidecar. Version folders are always
 * complete, so that the last one becomes the head.
 */
async function openForVersions(root: string, object: string): Promise<ReadInventory> {
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
async function replaceInventory(root: string, object: string, { text, inventory }: ReadInventory): Promise<void> {
  const sidecar = sidecarName(inventory.digestAlgorithm);
  await withWorkFolder(join(root, EXTENSIONS_FOLDER), async (work) => {
    await writeFileDurably(join(work, INVENTORY_FILE), text);
    await writeFileDurably(join(work, sidecar), sidecarText(inventory.digestAlgorithm, text));
    await rename(join(work, INVENTORY_FILE), join(object, INVENTORY_FILE));
    await rename(join(work, sidecar), join(object, sidecar));
  });
  await syncFolder(object);
}

import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireSameBytes } from '../files/checked-file.ts';
import { writeFileDurably } from '../files/durable-files.ts';
import { hashStream, unlessAborted } from '../files/hash-stream.ts';
import { PackageError, type PackageFile, type PackageVersion } from '../files/package.ts';
import { PathRegister, shown } from '../files/package-path.ts';
import type { Inventory, InventoryVersion } from './inventory.ts';
import { INVENTORY_FILE, versionName } from './ocfl-names.ts';
import { MAX_INVENTORY_BYTES, sidecarName, sidecarText } from './read-inventory.ts';

/** An object in the making: its versions so far, and the paths of their content. */
export interface ObjectDraft {
  readonly id: string;
  /** The inventory's type, which is that of the object's OCFL version. */
  readonly type: Inventory['type'];
  readonly algorithm: Inventory['digestAlgorithm'];
  readonly contentFolder: string;
  readonly digits: number;
  readonly versions: Map<string, InventoryVersion>;
  readonly manifest: Map<string, string[]>;
  /** The digests of the manifest by SHA-256, which is known before a file is read. */
  readonly bySha256: Map<string, string>;
}

/** Returns the SHA-256 of a file. Reads the file if it is unknown. */
export async function sha256Of(file: PackageFile): Promise<string> {
  return file.sha256 ?? ((await hashStream(file.open(), ['sha256'])).digests.sha256 as string);
}

/**
 * Writes the next version into a folder: its inventory, and the content that no earlier version has. Returns the name of
 * the version.
 */
export async function buildVersion(
  draft: ObjectDraft,
  version: PackageVersion,
  folderOf: (name: string) => string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const name = versionName(draft.versions.size + 1, draft.digits);
  const folder = folderOf(name);
  const register = new PathRegister();
  const state: Record<string, string[]> = {};
  await mkdir(folder);
  for (const [path, file] of version.files) {
    signal?.throwIfAborted();
    register.add(path, draft.id);
    const sha256 = await sha256Of(file);
    const inside = `${draft.contentFolder}/${path}`;
    const whole = { bytes: file.bytes, sha256, open: () => unlessAborted(file.open(), signal) };
    const digest = draft.bySha256.get(sha256) ?? (await addContent(draft, join(folder, inside), path, whole));
    const kept = draft.manifest.get(digest);
    if (kept === undefined) draft.manifest.set(digest, [`${name}/${inside}`]);
    state[digest] = [...(state[digest] ?? []), path];
  }
  const { created, message, user } = version;
  draft.versions.set(name, {
    created: created.toISOString(),
    message,
    ...(user !== undefined && { user }),
    state,
  });
  await writeInventory(draft, folder);
  return name;
}

/** Writes the inventory of a draft, with its sidecar, into a folder. */
export async function writeInventory(draft: ObjectDraft, folder: string): Promise<void> {
  const text = `${JSON.stringify(inventoryOf(draft), null, 2)}\n`;
  if (Buffer.byteLength(text) > MAX_INVENTORY_BYTES)
    throw new PackageError(
      `The inventory of ${shown(draft.id)} with ${draft.versions.size} versions exceeds ${MAX_INVENTORY_BYTES} bytes. Export the node as a bag, which holds only the last version.`,
    );
  await writeFileDurably(join(folder, INVENTORY_FILE), text);
  await writeFileDurably(join(folder, sidecarName(draft.algorithm)), sidecarText(draft.algorithm, text));
}

async function addContent(
  { algorithm, bySha256 }: ObjectDraft,
  target: string,
  path: string,
  file: PackageFile,
): Promise<string> {
  await mkdir(dirname(target), { recursive: true });
  const { bytes, digests } = await writeFileDurably(target, file.open(), [algorithm, 'sha256']);
  const sha256 = digests.sha256 as string;
  requireSameBytes(path, file, { bytes, sha256 });
  const digest = digests[algorithm] as string;
  bySha256.set(sha256, digest);
  return digest;
}

function inventoryOf({ id, type, algorithm, contentFolder, versions, manifest, bySha256 }: ObjectDraft): Inventory {
  const fixity: Record<string, string[]> = {};
  for (const [sha256, digest] of bySha256) fixity[sha256] = manifest.get(digest) ?? [];
  return {
    id,
    type,
    digestAlgorithm: algorithm,
    head: [...versions.keys()].at(-1) as string,
    ...(contentFolder !== 'content' && { contentDirectory: contentFolder }),
    fixity: { sha256: fixity },
    manifest: Object.fromEntries(manifest),
    versions: Object.fromEntries(versions),
  };
}

import { listFolder, requireFolder } from '../files/list-folder.ts';
import { PackageError, type PackageFile } from '../files/package.ts';
import { PathRegister } from '../files/package-path.ts';
import { readFileBytes } from '../files/read-file.ts';
import { DEFAULT_ZIP_LIMITS, listZip, type ZipLimits } from '../zip/list-zip.ts';
import { DECLARATION_FILE } from './bag-declaration.ts';

/** The files of a bag in a folder or archive. */
export interface BagSource {
  /** Its location, for messages. */
  readonly name: string;
  /** The files by path in the bag. */
  readonly files: ReadonlyMap<string, Pick<PackageFile, 'bytes' | 'open'>>;
}

/** Opens a bag in a folder. Throws PackageError for links and unsafe names. */
export async function openBagFolder(folder: string): Promise<BagSource> {
  await requireFolder(folder);
  const register = new PathRegister();
  const files = new Map<string, Pick<PackageFile, 'bytes' | 'open'>>();
  for (const [inside, { path, bytes }] of await listFolder(folder)) {
    register.add(inside, folder);
    files.set(inside, { bytes, open: () => readFileBytes(path) });
  }
  return { name: folder, files };
}

/** Opens a bag in a zip file, at its root or in its only folder, without unpacking it. */
export async function openBagArchive(path: string, limits: ZipLimits = DEFAULT_ZIP_LIMITS): Promise<BagSource> {
  const entries = await listZip(path, limits);
  if (entries.has(DECLARATION_FILE)) return { name: path, files: entries };
  const [first] = entries.keys();
  const folder = first?.includes('/') ? first.slice(0, first.indexOf('/') + 1) : undefined;
  if (folder === undefined || !entries.has(`${folder}${DECLARATION_FILE}`))
    throw new PackageError(`${path} contains no bag: ${DECLARATION_FILE} must be at its root, or in its only folder.`);
  const files = new Map<string, PackageFile>();
  for (const [name, entry] of entries) {
    if (!name.startsWith(folder))
      throw new PackageError(
        `${path} contains ${JSON.stringify(name)} outside the bag in ${folder}; it must contain only one bag.`,
      );
    files.set(name.slice(folder.length), entry);
  }
  return { name: path, files };
}

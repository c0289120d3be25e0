import { listFolder, requireFolder } from '../files/list-folder.ts';
import { PackageError, type PackageFile } from '../files/package.ts';
import { PathRegister } from '../files/package-path.ts';
import { readFileBytes } from '../files/read-file.ts';
import { DEFAULT_ZIP_LIMITS, listZip, type ZipLimits } from '../zip/list-zip.ts';
import { DECLARATION_FILE } from './bag-declaration.ts';

/** The files that a bag consists of, wherever they are. */
export interface BagSource {
  /** For messages. */
  readonly name: string;
  /** By path in the bag. */
  readonly files: ReadonlyMap<string, Pick<PackageFile, 'bytes' | 'open'>>;
}

/** A bag that is a folder. Throws PackageError for links in it, and names that are not safe. */
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

/** A bag in a zip file, at its root or in its only folder. Nothing is unpacked: entries are read where they are. */
export async function openBagArchive(path: string, limits: ZipLimits = DEFAULT_ZIP_LIMITS): Promise<BagSource> {
  const entries = await listZip(path, limits);
  if (entries.has(DECLARATION_FILE)) return { name: path, files: entries };
  const [first] = entries.keys();
  const folder = first?.includes('/') ? first.slice(0, first.indexOf('/') + 1) : undefined;
  if (folder === undefined || !entries.has(`${folder}${DECLARATION_FILE}`))
    throw new PackageError(`${path} holds no bag: ${DECLARATION_FILE} must be at its root, or in its only folder.`);
  const files = new Map<string, PackageFile>();
  for (const [name, entry] of entries) {
    if (!name.startsWith(folder))
      throw new PackageError(
        `${path} holds ${JSON.stringify(name)} beside the bag in ${folder}; it must hold one bag only.`,
      );
    files.set(name.slice(folder.length), entry);
  }
  return { name: path, files };
}

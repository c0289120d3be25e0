import { listFolder, requireFolder } from '../list-folder.ts';
import type { PackageFile } from '../package.ts';
import { PathRegister } from '../package-path.ts';
import { readFileBytes } from '../read-file.ts';

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

import { type Package, PackageError, type PackageVersion } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import type { CheckedInventory, ObjectVersion } from './checked-inventory.ts';
import { sha256Of } from './object-draft.ts';

/**
 * The versions of a package that an object does not have. A version is known by when, by whom and why it was made: what an
 * object keeps of it may be more than the package still has. What has changed since without a new version is one more.
 * Throws PackageError if the object has none of them.
 */
export async function missingVersions(
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
      `${where} holds another history of ${shown(source.identifier)}: none of its versions is there. Export into another folder.`,
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

/** Someone may get another name; of another repository, the same name stands for another account. */
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

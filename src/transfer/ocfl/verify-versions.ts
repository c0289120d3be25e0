import { join } from 'node:path';
import { PackageError } from '../files/package.ts';
import type { ObjectVersion } from './checked-inventory.ts';
import { INVENTORY_FILE } from './ocfl-names.ts';
import { type ReadInventory, readInventory, sidecarName } from './read-inventory.ts';

/** Throws PackageError unless the inventories in the folders of versions agree with that of the object (OCFL 1.1, 3.7). */
export async function verifyVersionInventories(
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
      throw new PackageError(`${where} has more than one sidecar; it must have one, ${sidecar}.`);
    if (own.checked.id !== root.checked.id) throw new PackageError(`${where}: id must be that of the object.`);
    if (own.checked.versions.length !== index + 1) throw new PackageError(`${where}: head must be ${name}.`);
    if (index === versions.length - 1 && own.text !== root.text)
      throw new PackageError(`${where} must be the same as ${INVENTORY_FILE} of the object.`);
    const isComparable = own.checked.algorithm === root.checked.algorithm;
    for (const [place, version] of own.checked.versions.entries())
      requireSameState(version, versions[place] as ObjectVersion, isComparable, where);
  }
}

/** What stands beside the inventories of versions, by version. */
function sidecarsByVersion(paths: Iterable<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const [version = '', name = ''] = path.split('/', 2);
    if (name.startsWith(`${INVENTORY_FILE}.`)) found.set(version, [...(found.get(version) ?? []), path]);
  }
  return found;
}

function requireSameState(own: ObjectVersion, root: ObjectVersion, isComparable: boolean, where: string): void {
  const isSame =
    own.state.size === root.state.size &&
    [...own.state].every(([path, digest]) => (isComparable ? root.state.get(path) === digest : root.state.has(path)));
  if (!isSame) throw new PackageError(`${where}: the state of ${own.name} must be that of the object's inventory.`);
}

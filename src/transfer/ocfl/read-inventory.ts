import { join } from 'node:path';
import { checkShape } from '../../base/check-shape.ts';
import { codeOf } from '../../base/errors.ts';
import { DIGEST_ALGORITHMS } from '../files/hash-stream.ts';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readFileBytes, readText } from '../files/read-file.ts';
import { type CheckedInventory, checkInventory } from './checked-inventory.ts';
import { type Inventory, InventorySchema } from './inventory.ts';
import { INVENTORY_FILE } from './ocfl-names.ts';

/** None is read, nor written, that is longer. */
export const MAX_INVENTORY_BYTES = 256 * 1024 * 1024;
const MAX_SIDECAR_BYTES = 1_024;

export interface ReadInventory {
  /** As it stands in the file. */
  readonly text: string;
  readonly inventory: Inventory;
  readonly checked: CheckedInventory;
}

/** The name of the file beside an inventory that says what its digest is. */
export function sidecarName(algorithm: Inventory['digestAlgorithm']): string {
  return `${INVENTORY_FILE}.${algorithm}`;
}

/** The sidecar of an inventory. */
export function sidecarText(algorithm: Inventory['digestAlgorithm'], text: string): string {
  return `${digestOf(algorithm, text)} ${INVENTORY_FILE}\n`;
}

/** Reads the inventory in a folder and verifies it by its sidecar. Throws PackageError. */
export async function readInventory(folder: string): Promise<ReadInventory> {
  const where = join(folder, INVENTORY_FILE);
  const text = await readPart(where, MAX_INVENTORY_BYTES);
  const inventory = parse(text, where);
  const algorithm = inventory.digestAlgorithm;
  const beside = join(folder, sidecarName(algorithm));
  const sidecar = await readPart(beside, MAX_SIDECAR_BYTES);
  const expected = /^([0-9a-f]+)[ \t]+inventory\.json\s*$/i.exec(sidecar)?.[1]?.toLowerCase();
  if (expected === undefined)
    throw new PackageError(`${beside} is ${shown(sidecar)}; it must be a digest, a space, and ${INVENTORY_FILE}.`);
  const found = digestOf(algorithm, text);
  if (found !== expected)
    throw new PackageError(
      `The ${algorithm} of ${where} is ${found}; by its sidecar it must be ${expected}. If an export into it was broken off, export it once more.`,
    );
  return { text, inventory, checked: checkInventory(inventory, where) };
}

function parse(text: string, where: string): Inventory {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PackageError(`${where} is no JSON; it must be.`, { cause });
  }
  const [problem] = checkShape(InventorySchema, value);
  if (problem !== undefined) throw new PackageError(`${where}: ${problem.message}.`);
  return value as Inventory;
}

async function readPart(path: string, maxBytes: number): Promise<string> {
  try {
    return await readText(readFileBytes(path), path, maxBytes);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new PackageError(`${path} is missing; it must be there.`, { cause: error });
    throw error;
  }
}

function digestOf(algorithm: Inventory['digestAlgorithm'], text: string): string {
  return new Bun.CryptoHasher(DIGEST_ALGORITHMS[algorithm]).update(text).digest('hex');
}

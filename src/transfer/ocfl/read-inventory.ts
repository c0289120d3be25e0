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

/** Maximum size of an inventory that is read or written. */
export const MAX_INVENTORY_BYTES = 256 * 1024 * 1024;
const MAX_SIDECAR_BYTES = 1_024;

export interface ReadInventory {
  /** The text of the file. */
  readonly text: string;
  readonly inventory: Inventory;
  readonly checked: CheckedInventory;
}

/** Returns the name of the sidecar, the file with the digest of an inventory. */
export function sidecarName(algorithm: Inventory['digestAlgorithm']): string {
  return `${INVENTORY_FILE}.${algorithm}`;
}

/** Returns the text of the sidecar of an inventory. */
export function sidecarText(algorithm: Inventory['digestAlgorithm'], text: string): string {
  return `${digestOf(algorithm, text)} ${INVENTORY_FILE}\n`;
}

/** Reads the inventory in a folder, and verifies it with its sidecar. Throws PackageError. */
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
  const digest = digestOf(algorithm, text);
  if (digest !== expected)
    throw new PackageError(
      `The ${algorithm} of ${where} is ${digest}; its sidecar declares ${expected}. If an export was interrupted, export again.`,
    );
  return { text, inventory, checked: checkInventory(inventory, where) };
}

function parse(text: string, where: string): Inventory {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PackageError(`${where} is not valid JSON.`, { cause });
  }
  const [problem] = checkShape(InventorySchema, value);
  if (problem !== undefined) throw new PackageError(`${where}: ${problem.message}.`);
  return value as Inventory;
}

async function readPart(path: string, maxBytes: number): Promise<string> {
  try {
    return await readText(readFileBytes(path), path, maxBytes);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new PackageError(`${path} is missing.`, { cause: error });
    throw error;
  }
}

function digestOf(algorithm: Inventory['digestAlgorithm'], text: string): string {
  return new Bun.CryptoHasher(DIGEST_ALGORITHMS[algorithm]).update(text).digest('hex');
}

import { join } from 'node:path';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';

/** The supported versions of OCFL. The last one is written. */
const OCFL_VERSIONS = ['1.0', '1.1'] as const;
const CURRENT = '1.1';

export const ROOT_DECLARATION = `0=ocfl_${CURRENT}`;
export const OBJECT_DECLARATION = `0=ocfl_object_${CURRENT}`;
export const INVENTORY_FILE = 'inventory.json';
export const CONTENT_FOLDER = 'content';
export const EXTENSIONS_FOLDER = 'extensions';
export const LOGS_FOLDER = 'logs';
export const INVENTORY_TYPE = inventoryType(CURRENT);
export const INVENTORY_TYPES = OCFL_VERSIONS.map(inventoryType);

/** The names of the files that identify a storage root, and an object. */
export const ROOT_DECLARATIONS = OCFL_VERSIONS.map((version) => `0=ocfl_${version}`);
export const OBJECT_DECLARATIONS = OCFL_VERSIONS.map((version) => `0=ocfl_object_${version}`);

/** Returns the text of a declaration: its name without `0=`, and a line feed. */
export function declarationText(name: string): string {
  return `${name.slice('0='.length)}\n`;
}

/** Returns the name of a version, such as `v3`. `digits` is the length of padded numbers. */
export function versionName(number: number, digits = 0): string {
  return `v${String(number).padStart(digits, '0')}`;
}

function inventoryType(version: string): string {
  return `https://ocfl.io/${version}/spec/#inventory`;
}

/** Returns the first known declaration among the names in a folder. */
export function declarationIn(names: Iterable<string>, known: readonly string[]): string | undefined {
  for (const name of names) if (known.includes(name)) return name;
  return undefined;
}

/** Throws PackageError unless a folder has exactly one declaration, with the text of its name. */
export async function requireDeclaration(
  folder: string,
  names: Iterable<string>,
  known: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<void> {
  const declarations = [...names].filter((name) => name.startsWith('0=') && !name.includes('/'));
  const [name] = declarations;
  if (name === undefined || declarations.length > 1 || !known.includes(name))
    throw new PackageError(
      `${folder} has ${declarations.length === 0 ? 'no declaration' : declarations.map(shown).join(', ')}; it must have one file named ${known.join(' or ')}.`,
    );
  const text = await read(join(folder, name));
  if (text !== declarationText(name))
    throw new PackageError(`${join(folder, name)} is ${shown(text)}; it must be ${shown(declarationText(name))}.`);
}

import { join } from 'node:path';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { declarationText } from './ocfl-names.ts';

/** Among the names in a folder, that of the file by which it is known; undefined if there is none. */
export function declarationIn(names: Iterable<string>, known: readonly string[]): string | undefined {
  for (const name of names) if (known.includes(name)) return name;
  return undefined;
}

/** Throws PackageError unless a folder has one such file, and the file says what its name says. */
export async function requireDeclaration(
  folder: string,
  names: Iterable<string>,
  known: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<void> {
  const found = [...names].filter((name) => name.startsWith('0=') && !name.includes('/'));
  const [name] = found;
  if (name === undefined || found.length > 1 || !known.includes(name))
    throw new PackageError(
      `${folder} has ${found.length === 0 ? 'no declaration' : found.map(shown).join(', ')}; it must have one file that is called ${known.join(' or ')}.`,
    );
  const text = await read(join(folder, name));
  if (text !== declarationText(name))
    throw new PackageError(`${join(folder, name)} is ${shown(text)}; it must be ${shown(declarationText(name))}.`);
}

import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';

/** The file that identifies a folder as a bag. */
export const DECLARATION_FILE = 'bagit.txt';
export const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
export const CURRENT_VERSION = '1.0';

const VERSIONS = ['0.93', '0.94', '0.95', '0.96', '0.97', CURRENT_VERSION];
const EXPECTED = `it must have the two lines ${DECLARATION.trimEnd().split('\n').map(shown).join(' and ')}`;

/** Reads `bagit.txt` (RFC 8493, 2.1.1), and returns the version. Throws PackageError. */
export function parseDeclaration(text: string, name: string): string {
  const lines = text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/);
  const version = /^BagIt-Version ?: ?(\d+\.\d+) *$/.exec(lines[0] ?? '')?.[1];
  const encoding = /^Tag-File-Character-Encoding ?: ?(\S+) *$/.exec(lines[1] ?? '')?.[1];
  if (version === undefined || encoding === undefined || lines.length !== 2)
    throw new PackageError(`${name} is invalid: ${EXPECTED}.`);
  if (!VERSIONS.includes(version))
    throw new PackageError(`${name} declares BagIt version ${version}; it must be one of ${VERSIONS.join(', ')}.`);
  if (encoding.toUpperCase() !== 'UTF-8')
    throw new PackageError(`${name} declares the encoding ${shown(encoding)}; it must be UTF-8.`);
  return version;
}

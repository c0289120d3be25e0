import { PackageError, type PackageFile } from './package.ts';
import { shown } from './package-path.ts';

/** Throws PackageError for bytes that are not those that a file says it has. */
export function requireSameBytes(
  path: string,
  { bytes, sha256 }: Pick<PackageFile, 'bytes' | 'sha256'>,
  found: { readonly bytes: number; readonly sha256: string },
): void {
  if (found.bytes !== bytes) throw new PackageError(`${shown(path)} has ${found.bytes} bytes; it must have ${bytes}.`);
  if (sha256 !== undefined && sha256 !== found.sha256)
    throw new PackageError(`The SHA-256 of ${shown(path)} is ${found.sha256}; it must be ${sha256}.`);
}

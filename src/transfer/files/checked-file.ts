import { PackageError, type PackageFile } from './package.ts';
import { shown } from './package-path.ts';

interface CheckedFileFacts {
  /** The name for messages. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
}

/** Returns a verified file that is verified again at each reading, because it may change meanwhile. */
export function checkedFile({ name, bytes, sha256, open }: CheckedFileFacts): PackageFile {
  return {
    bytes,
    sha256,
    async *open() {
      const hasher = new Bun.CryptoHasher('sha256');
      let seen = 0;
      for await (const chunk of open()) {
        hasher.update(chunk);
        seen += chunk.byteLength;
        if (seen > bytes) break;
        yield chunk;
      }
      if (seen !== bytes || hasher.digest('hex') !== sha256)
        throw new PackageError(
          `${name} was changed after its verification. Do not write to a package during an import.`,
        );
    },
  };
}

/** Throws PackageError unless bytes have the size and SHA-256 of a file. */
export function requireSameBytes(
  path: string,
  { bytes, sha256 }: Pick<PackageFile, 'bytes' | 'sha256'>,
  actual: { readonly bytes: number; readonly sha256: string },
): void {
  if (actual.bytes !== bytes)
    throw new PackageError(`${shown(path)} has ${actual.bytes} bytes; it must have ${bytes}.`);
  if (sha256 !== undefined && sha256 !== actual.sha256)
    throw new PackageError(`The SHA-256 of ${shown(path)} is ${actual.sha256}; it must be ${sha256}.`);
}

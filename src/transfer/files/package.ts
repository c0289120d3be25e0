import type { JsonObject } from '../../base/json.ts';

/** A file of a package, which can be read repeatedly. */
export interface PackageFile {
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal, if it is known. */
  readonly sha256?: string;
  open(): AsyncIterable<Uint8Array>;
}

/** A version of a package. */
export interface PackageVersion {
  readonly created: Date;
  /** The reason of the change; may be empty. */
  readonly message: string;
  readonly user: { readonly name: string; readonly address?: string } | undefined;
  /** The files by relative path with `/`. */
  readonly files: ReadonlyMap<string, PackageFile>;
}

/** An identifier such as `urn:uuid:…` with at least one version, the oldest first. */
export interface Package {
  readonly identifier: string;
  readonly versions: readonly PackageVersion[];
}

/** The error for a package that violates its format. The message names the place and what is valid. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}

/** Returns a file of indented JSON. */
export function jsonFile(document: JsonObject): PackageFile {
  return textFile(`${JSON.stringify(document, null, 2)}\n`);
}

/** Returns a file of text. */
export function textFile(text: string): PackageFile {
  const bytes = Buffer.from(text);
  return {
    bytes: bytes.byteLength,
    sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    async *open() {
      yield bytes;
    },
  };
}

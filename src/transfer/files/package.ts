import type { JsonObject } from '../../base/json.ts';

/** A file of a package: its bytes can be read as often as anyone asks. */
export interface PackageFile {
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal, where it is known already. */
  readonly sha256?: string;
  open(): AsyncIterable<Uint8Array>;
}

/** One state of what a package holds. */
export interface PackageVersion {
  readonly created: Date;
  /** Why it was made; empty if nobody said. */
  readonly message: string;
  readonly user: { readonly name: string; readonly address?: string } | undefined;
  /** By path: relative, with `/`. */
  readonly files: ReadonlyMap<string, PackageFile>;
}

/** What is kept under one identifier, such as `urn:uuid:…`: at least one version, the oldest first. */
export interface Package {
  readonly identifier: string;
  readonly versions: readonly PackageVersion[];
}

/** A package that is not what its format asks for: where, and what would be right. */
export class PackageError extends Error {
  override readonly name = 'PackageError';
}

/** A file of a package that holds JSON for people to read, too. */
export function jsonFile(document: JsonObject): PackageFile {
  return textFile(`${JSON.stringify(document, null, 2)}\n`);
}

/** A file of a package that holds a text. */
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

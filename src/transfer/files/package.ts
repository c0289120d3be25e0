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

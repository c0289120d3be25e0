import type { Package, PackageFile, PackageVersion } from '../../src/transfer/files/package.ts';

/** A file of a package that is in memory; `says` what it claims of itself, if that is not the truth. */
export function madeFile(content: string | Uint8Array, says: Partial<PackageFile> = {}): PackageFile {
  const bytes = Buffer.from(content);
  return {
    bytes: bytes.byteLength,
    async *open() {
      // In pieces, as from a disk.
      for (let start = 0; start < bytes.byteLength; start += 1_000) yield bytes.subarray(start, start + 1_000);
    },
    ...says,
  };
}

/** A version of a package out of texts by path. */
export function madeVersion(
  files: Record<string, string | Uint8Array>,
  about: Partial<Omit<PackageVersion, 'files'>> = {},
): PackageVersion {
  return {
    created: new Date('2026-11-22T01:02:03Z'),
    message: '',
    user: undefined,
    ...about,
    files: new Map(Object.entries(files).map(([path, content]) => [path, madeFile(content)])),
  };
}

export function madePackage(...versions: PackageVersion[]): Package {
  return { identifier: 'urn:uuid:6f1c8a52-0000-7000-8000-000000000001', versions };
}

/** The content of a package in a comparable form. */
export async function contentOf({ identifier, versions }: Package) {
  return {
    identifier,
    versions: await Promise.all(
      versions.map(async ({ created, message, user, files }) => ({
        created: created.toISOString(),
        message,
        user,
        files: await filesOf(files),
      })),
    ),
  };
}

/** The bytes of files by path, as base64, in the order of the paths. */
export async function filesOf(files: ReadonlyMap<string, PackageFile>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of [...files.keys()].sort()) {
    const chunks = await Array.fromAsync((files.get(path) as PackageFile).open());
    found[path] = Buffer.concat(chunks).toString('base64');
  }
  return found;
}

/** The whole of a file of a package. */
export async function bytesOf(file: PackageFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The same package with other files in its versions. */
export function withFiles(
  source: Package,
  change: (files: Map<string, PackageFile>, index: number) => void | Promise<void>,
): Promise<Package> {
  const versions = source.versions.map(async (version, index): Promise<PackageVersion> => {
    const files = new Map(version.files);
    await change(files, index);
    return { ...version, files };
  });
  return Promise.all(versions).then((all) => ({ ...source, versions: all }));
}

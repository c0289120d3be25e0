import { checkedFile } from '../files/checked-file.ts';
import { type DigestAlgorithm, hashStream, unlessAborted } from '../files/hash-stream.ts';
import { PackageError, type PackageFile } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import type { Oxum } from './bag-info.ts';
import { type BagManifest, PAYLOAD_FOLDER } from './bag-manifest.ts';
import type { BagSource } from './bag-source.ts';

/** Throws PackageError unless the payload has the declared size. */
export function requireOxum({ name, files }: BagSource, oxum: Oxum | undefined): void {
  if (oxum === undefined) return;
  const payload = [...files].filter(([path]) => path.startsWith(PAYLOAD_FOLDER));
  const bytes = payload.reduce((sum, [, file]) => sum + file.bytes, 0);
  if (bytes !== oxum.bytes || payload.length !== oxum.count)
    throw new PackageError(
      `${name}: the payload has ${bytes} bytes in ${payload.length} files; its Payload-Oxum declares ${oxum.bytes} in ${oxum.count}.`,
    );
}

/** Throws PackageError unless every payload manifest lists exactly the payload files. */
export function requireWholePayload({ name, files }: BagSource, manifests: readonly BagManifest[]): void {
  const ofPayload = manifests.filter(({ isOfTags }) => !isOfTags);
  if (ofPayload.length === 0)
    throw new PackageError(`${name} has no payload manifest; it must have one, such as manifest-sha256.txt.`);
  for (const manifest of ofPayload) {
    requireListedThere(name, files, manifest);
    for (const path of files.keys()) {
      if (path.startsWith(PAYLOAD_FOLDER) && !manifest.digests.has(path))
        throw new PackageError(
          `${name}: ${manifest.name} does not list ${shown(path)}; it must list all payload files.`,
        );
    }
  }
}

/** Throws PackageError unless the files in tag manifests exist, and include the payload manifests. */
export function requireWholeTags({ name, files }: BagSource, manifests: readonly BagManifest[]): void {
  for (const manifest of manifests.filter(({ isOfTags }) => isOfTags)) {
    requireListedThere(name, files, manifest);
    for (const other of manifests) {
      if (other.isOfTags && manifest.digests.has(other.name))
        throw new PackageError(`${name}: ${manifest.name} lists ${other.name}; a tag manifest must not list another.`);
      if (!other.isOfTags && !manifest.digests.has(other.name))
        throw new PackageError(
          `${name}: ${manifest.name} does not list ${other.name}; it must list all payload manifests.`,
        );
    }
  }
}

function requireListedThere(name: string, files: BagSource['files'], manifest: BagManifest): void {
  for (const path of manifest.digests.keys()) {
    if (!files.has(path)) throw new PackageError(`${name}: ${manifest.name} lists ${shown(path)}, which is missing.`);
  }
}

/** Reads and verifies every listed file. Returns them by path. Throws PackageError for the first with another digest. */
export async function verifyFiles(
  { name, files }: BagSource,
  manifests: readonly BagManifest[],
  signal: AbortSignal | undefined,
): Promise<Map<string, PackageFile>> {
  const verified = new Map<string, PackageFile>();
  for (const [path, file] of files) {
    signal?.throwIfAborted();
    const listing = manifests.filter(({ digests }) => digests.has(path));
    if (listing.length === 0) continue;
    const algorithms: DigestAlgorithm[] = ['sha256', ...listing.map(({ algorithm }) => algorithm)];
    const { bytes, digests } = await hashStream(
      upTo(file.bytes, unlessAborted(file.open(), signal), `${name}: ${shown(path)}`),
      algorithms,
    );
    for (const manifest of listing) {
      const expected = manifest.digests.get(path);
      const digest = digests[manifest.algorithm];
      if (digest !== expected)
        throw new PackageError(
          `${name}: the ${manifest.algorithm} of ${shown(path)} is ${digest}; it must be ${expected} (${manifest.name}).`,
        );
    }
    verified.set(
      path,
      checkedFile({ name: `${name}: ${shown(path)}`, bytes, sha256: digests.sha256 as string, open: file.open }),
    );
  }
  return verified;
}

/** Returns a stream that throws if it is longer than the listed size of its file. */
async function* upTo(bytes: number, source: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.byteLength;
    if (seen > bytes) throw new PackageError(`${name} has grown since it was listed with ${bytes} bytes.`);
    yield chunk;
  }
}

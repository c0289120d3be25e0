import { unlessAborted } from '../files/abortable.ts';
import { checkedFile } from '../files/checked-file.ts';
import { type DigestAlgorithm, hashStream } from '../files/hash-stream.ts';
import { PackageError, type PackageFile } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import type { BagManifest } from './bag-manifest.ts';
import type { BagSource } from './bag-source.ts';

/** Reads every listed file once, and answers them by path. Throws PackageError for the first that is not as it was. */
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
      const found = digests[manifest.algorithm];
      if (found !== expected)
        throw new PackageError(
          `${name}: the ${manifest.algorithm} of ${shown(path)} is ${found}; by ${manifest.name} it must be ${expected}.`,
        );
    }
    verified.set(
      path,
      checkedFile({ name: `${name}: ${shown(path)}`, bytes, sha256: digests.sha256 as string, open: file.open }),
    );
  }
  return verified;
}

/** A stream that must not be longer than its file was when it was listed. */
async function* upTo(bytes: number, source: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.byteLength;
    if (seen > bytes) throw new PackageError(`${name} has more than the ${bytes} bytes that it was listed with.`);
    yield chunk;
  }
}

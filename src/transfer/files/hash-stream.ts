import { noteStreamed } from '../../base/release-memory.ts';

/** The names of digest algorithms in Bun, by their names in the package formats. */
export const DIGEST_ALGORITHMS = {
  md5: 'md5',
  sha1: 'sha1',
  sha224: 'sha224',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
  'sha512/256': 'sha512-256',
  'blake2b-256': 'blake2b256',
  'blake2b-512': 'blake2b512',
} as const;
export type DigestAlgorithm = keyof typeof DIGEST_ALGORITHMS;

/** The number of hexadecimal digits of a digest. */
const DIGITS: Readonly<Record<DigestAlgorithm, number>> = {
  md5: 32,
  sha1: 40,
  sha224: 56,
  sha256: 64,
  sha384: 96,
  sha512: 128,
  'sha512/256': 64,
  'blake2b-256': 64,
  'blake2b-512': 128,
};

/** Digests by algorithm, lower-case hexadecimal. */
type Digests = Readonly<Partial<Record<DigestAlgorithm, string>>>;

export interface HashedBytes {
  readonly bytes: number;
  readonly digests: Digests;
}

export function isDigestAlgorithm(name: string): name is DigestAlgorithm {
  return Object.hasOwn(DIGEST_ALGORITHMS, name);
}

/** Returns true if a text is a digest of an algorithm, in either case. */
export function isDigest(algorithm: DigestAlgorithm, text: string): boolean {
  return text.length === DIGITS[algorithm] && /^[0-9a-f]+$/i.test(text);
}

/** Reads a stream to its end, and passes each chunk to `take`. */
export async function hashStream(
  source: AsyncIterable<Uint8Array>,
  algorithms: Iterable<DigestAlgorithm>,
  take: (chunk: Uint8Array) => Promise<void> | undefined = () => undefined,
): Promise<HashedBytes> {
  const hashers = [...new Set(algorithms)].map(
    (name) => [name, new Bun.CryptoHasher(DIGEST_ALGORITHMS[name])] as const,
  );
  let bytes = 0;
  for await (const chunk of source) {
    for (const [, hasher] of hashers) hasher.update(chunk);
    bytes += chunk.byteLength;
    await take(chunk);
    noteStreamed(chunk.byteLength);
  }
  return { bytes, digests: Object.fromEntries(hashers.map(([name, hasher]) => [name, hasher.digest('hex')])) };
}

/** Returns a stream that throws the reason of a signal when it is aborted. */
export async function* unlessAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    signal?.throwIfAborted();
    yield chunk;
  }
}

import { type DigestAlgorithm, isDigest, isDigestAlgorithm } from '../files/hash-stream.ts';
import { PackageError } from '../files/package.ts';
import { pathProblem, shown } from '../files/package-path.ts';
import { CURRENT_VERSION } from './bag-declaration.ts';
import { decodeLine, decodeOldLine, encodeLine } from './bag-path.ts';

export const PAYLOAD_FOLDER = 'data/';
/** The supported algorithms: those in common use for bags. */
const KNOWN: readonly DigestAlgorithm[] = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
const NAME = /^(tag)?manifest-([^/]+)\.txt$/;

/** The digests that one manifest of a bag lists, by path in the bag. */
export interface BagManifest {
  readonly name: string;
  readonly isOfTags: boolean;
  readonly algorithm: DigestAlgorithm;
  readonly digests: ReadonlyMap<string, string>;
}

/** Returns the kind of a manifest by its name; undefined for other files. Throws PackageError for an unknown algorithm. */
export function manifestNamed(name: string): Pick<BagManifest, 'isOfTags' | 'algorithm'> | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const algorithm = match[2] as string;
  if (!isDigestAlgorithm(algorithm) || !KNOWN.includes(algorithm))
    throw new PackageError(
      `${shown(name)} has the unknown algorithm ${shown(algorithm)}; it must be one of ${KNOWN.join(', ')}.`,
    );
  return { isOfTags: match[1] !== undefined, algorithm };
}

/**
 * Reads a manifest (RFC 8493, 2.1.3 and 2.2.1). Drops the asterisk of md5sum and a leading `./`, which other programs write.
 * Throws PackageError with the line.
 */
export function parseManifest(name: string, text: string, version: string): BagManifest {
  const kind = manifestNamed(name);
  if (kind === undefined) throw new PackageError(`${shown(name)} is not the name of a manifest.`);
  const isCurrent = version === CURRENT_VERSION;
  const digests = new Map<string, string>();
  let number = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    number += 1;
    if (line === '') continue;
    const fail = (why: string) => new PackageError(`${name}, line ${number}: ${why}.`);
    const [, digest, written] = /^(\S+)[ \t]+\*?(?:\.\/)?(.+)$/s.exec(line) ?? [];
    if (digest === undefined || written === undefined || !isDigest(kind.algorithm, digest))
      throw fail(`${shown(line)} must be a ${kind.algorithm} in hexadecimal digits, a space, and a path`);
    const path = isCurrent ? decodeLine(written) : decodeOldLine(written);
    const problem = pathProblem(path);
    if (problem !== undefined) throw fail(`invalid path ${shown(path)}: ${problem}`);
    if (path.startsWith(PAYLOAD_FOLDER) === kind.isOfTags)
      throw fail(
        kind.isOfTags
          ? `${shown(path)} is in data/; a tag manifest lists only files outside it`
          : `${shown(path)} is not in data/; a payload manifest lists only files in it`,
      );
    if (digests.has(path)) throw fail(`duplicate path ${shown(path)}`);
    digests.set(path, digest.toLowerCase());
  }
  return { name, ...kind, digests };
}

/** Returns the text of a manifest, ordered by path. */
export function formatManifest(digests: ReadonlyMap<string, string>): string {
  const paths = [...digests.keys()].sort();
  return paths.map((path) => `${digests.get(path)}  ${encodeLine(path)}\n`).join('');
}

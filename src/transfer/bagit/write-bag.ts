import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireSameBytes } from '../files/checked-file.ts';
import { isThere, writeFileDurably } from '../files/durable-files.ts';
import { hashStream, unlessAborted } from '../files/hash-stream.ts';
import { type Package, PackageError, type PackageFile } from '../files/package.ts';
import { PathRegister, shown } from '../files/package-path.ts';
import { readFileBytes, readText } from '../files/read-file.ts';
import { buildFolder } from '../files/work-folder.ts';
import { CURRENT_VERSION, DECLARATION, DECLARATION_FILE } from './bag-declaration.ts';
import { type BagSender, formatInfo, INFO_FILE, type Oxum } from './bag-info.ts';
import { formatManifest, PAYLOAD_FOLDER, parseManifest } from './bag-manifest.ts';

const ALGORITHM = 'sha256';
const MANIFEST_FILE = `manifest-${ALGORITHM}.txt`;
const MAX_MANIFEST_BYTES = 128 * 1024 * 1024;
const TAG_MANIFEST_FILE = `tagmanifest-${ALGORITHM}.txt`;

export interface BagOptions {
  /** The program that writes the bag, such as `repo 1.2.0`. */
  readonly agent: string;
  readonly now: Date;
  /** The sender in `bag-info.txt`. */
  readonly sender?: BagSender;
  readonly signal?: AbortSignal;
}

/** Returns the name of the folder for a bag: `12…` for `urn:uuid:12…`. */
export function bagNameOf(identifier: string): string {
  return (
    identifier
      .replace(/^urn:uuid:/, '')
      .replaceAll(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '') || 'bag'
  );
}

/**
 * Writes the last version of a package as a bag (RFC 8493, version 1.0) into a new folder, which appears once all of it
 * is on the disk. Throws PackageError if the folder exists, for unsafe paths, and for a file with wrong bytes.
 */
export function writeBag(folder: string, source: Package, options: BagOptions): Promise<Oxum> {
  const version = source.versions.at(-1);
  if (version === undefined) throw new PackageError(`The package ${shown(source.identifier)} has no version.`);
  return buildFolder(folder, async (work) => {
    const writeTag = async (name: string, text: string) => {
      const { digests } = await writeFileDurably(join(work, name), text, [ALGORITHM]);
      tags.set(name, digests[ALGORITHM] as string);
    };
    const tags = new Map<string, string>();
    const { digests, oxum } = await writePayload(work, version.files, options.signal);
    await writeTag(MANIFEST_FILE, formatManifest(digests));
    await writeTag(
      INFO_FILE,
      formatInfo({
        identifier: source.identifier,
        oxum,
        agent: options.agent,
        bagged: options.now,
        sender: options.sender ?? {},
        version,
      }),
    );
    await writeTag(DECLARATION_FILE, DECLARATION);
    await writeFileDurably(join(work, TAG_MANIFEST_FILE), formatManifest(tags));
    return oxum;
  });
}

async function writePayload(work: string, files: ReadonlyMap<string, PackageFile>, signal: AbortSignal | undefined) {
  const register = new PathRegister();
  const digests = new Map<string, string>();
  let total = 0;
  await mkdir(join(work, PAYLOAD_FOLDER));
  for (const [path, file] of files) {
    signal?.throwIfAborted();
    register.add(path, 'The package');
    const inside = `${PAYLOAD_FOLDER}${path}`;
    await mkdir(dirname(join(work, inside)), { recursive: true });
    const hashed = await writeFileDurably(join(work, inside), unlessAborted(file.open(), signal), [ALGORITHM]);
    requireSameBytes(path, file, { bytes: hashed.bytes, sha256: hashed.digests[ALGORITHM] as string });
    digests.set(inside, hashed.digests[ALGORITHM] as string);
    total += hashed.bytes;
  }
  return { digests, oxum: { bytes: total, count: digests.size } };
}

/** Returns true if the manifest of the bag in a folder lists the last version of a package. Reads no payload. */
export async function holdsSamePayload(folder: string, source: Package): Promise<boolean> {
  const path = join(folder, MANIFEST_FILE);
  if (!(await isThere(path))) return false;
  const { digests } = parseManifest(
    MANIFEST_FILE,
    await readText(readFileBytes(path), path, MAX_MANIFEST_BYTES),
    CURRENT_VERSION,
  );
  const files = source.versions.at(-1)?.files ?? new Map();
  if (files.size !== digests.size) return false;
  for (const [inside, file] of files) {
    const sha256 = file.sha256 ?? (await hashStream(file.open(), ['sha256'])).digests.sha256;
    if (digests.get(`${PAYLOAD_FOLDER}${inside}`) !== sha256) return false;
  }
  return true;
}

import { join } from 'node:path';
import { isThere } from '../files/durable-files.ts';
import { hashStream } from '../files/hash-stream.ts';
import type { Package } from '../files/package.ts';
import { readFileBytes, readText } from '../files/read-file.ts';
import { CURRENT_VERSION } from './bag-declaration.ts';
import { PAYLOAD_FOLDER, parseManifest } from './bag-manifest.ts';

const MANIFEST_FILE = 'manifest-sha256.txt';
const MAX_MANIFEST_BYTES = 128 * 1024 * 1024;

/** Whether the bag in a folder lists what the last version of a package holds. What it lists is not read. */
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

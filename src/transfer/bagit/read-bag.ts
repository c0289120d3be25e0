import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Package, PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readText } from '../files/read-file.ts';
import type { ZipLimits } from '../zip/list-zip.ts';
import { DECLARATION_FILE, parseDeclaration } from './bag-declaration.ts';
import { type BagInfo, INFO_FILE, parseInfo } from './bag-info.ts';
import { type BagManifest, manifestNamed, PAYLOAD_FOLDER, parseManifest } from './bag-manifest.ts';
import { type BagSource, openBagArchive, openBagFolder } from './bag-source.ts';
import { requireOxum, requireWholePayload, requireWholeTags, verifyFiles } from './verify-bag.ts';

const FETCH_FILE = 'fetch.txt';
const MAX_DECLARATION_BYTES = 1_024;
const MAX_INFO_BYTES = 1024 * 1024;
const MAX_MANIFEST_BYTES = 128 * 1024 * 1024;

interface ReadBagOptions {
  readonly signal?: AbortSignal;
  readonly zipLimits?: ZipLimits;
}

/**
 * Reads and verifies a bag (RFC 8493, and drafts from 0.93) in a folder or zip file. Returns a package of one version. A
 * bag without External-Identifier has the name of its folder or file as identifier. Throws PackageError.
 */
export async function readBag(path: string, options: ReadBagOptions = {}): Promise<Package> {
  const isFile = (await lstat(path)).isFile();
  const source = isFile ? await openBagArchive(path, options.zipLimits) : await openBagFolder(path);
  const info = await verifyBag(source, options.signal);
  const { files, ...rest } = info;
  return {
    identifier: rest.identifier ?? basename(path).replace(/\.zip$/i, ''),
    versions: [{ ...rest.version, files }],
  };
}

async function verifyBag(source: BagSource, signal: AbortSignal | undefined) {
  const { name, files } = source;
  const text = (file: string, maxBytes: number) => textOf(source, file, maxBytes);
  if ((files.get(FETCH_FILE)?.bytes ?? 0) > 0 && (await text(FETCH_FILE, MAX_MANIFEST_BYTES)).trim() !== '')
    throw new PackageError(
      `${name} has a ${FETCH_FILE}, whose files are not fetched. Complete the bag first, and remove ${FETCH_FILE}.`,
    );
  const version = parseDeclaration(await text(DECLARATION_FILE, MAX_DECLARATION_BYTES), `${name}/${DECLARATION_FILE}`);
  const info: BagInfo = parseInfo(
    files.has(INFO_FILE) ? await text(INFO_FILE, MAX_INFO_BYTES) : '',
    `${name}/${INFO_FILE}`,
  );
  requireOxum(source, info.oxum);
  const manifests: BagManifest[] = [];
  for (const file of files.keys()) {
    if (manifestNamed(file) !== undefined)
      manifests.push(withNamesOf(source, parseManifest(file, await text(file, MAX_MANIFEST_BYTES), version)));
  }
  requireWholePayload(source, manifests);
  requireWholeTags(source, manifests);
  const verified = await verifyFiles(source, manifests, signal);
  const payload = [...verified].filter(([path]) => path.startsWith(PAYLOAD_FOLDER));
  return { ...info, files: new Map(payload.map(([path, file]) => [path.slice(PAYLOAD_FOLDER.length), file])) };
}

/**
 * Returns a manifest with the names of the files where only the Unicode form differs (RFC 8493, 5.2): file systems and
 * archives change it. Throws PackageError for two lines about one file.
 */
function withNamesOf({ name, files }: BagSource, manifest: BagManifest): BagManifest {
  if ([...manifest.digests.keys()].every((path) => files.has(path))) return manifest;
  const named = new Map([...files.keys()].map((path) => [path.normalize(), path]));
  const digests = new Map<string, string>();
  for (const [listed, digest] of manifest.digests) {
    const path = files.has(listed) ? listed : (named.get(listed.normalize()) ?? listed);
    if (digests.has(path)) throw new PackageError(`${name}: ${manifest.name} lists ${shown(path)} twice.`);
    digests.set(path, digest);
  }
  return { ...manifest, digests };
}

function textOf({ name, files }: BagSource, file: string, maxBytes: number): Promise<string> {
  const listed = files.get(file);
  if (listed === undefined) throw new PackageError(`${name} has no ${file}; every bag must have one.`);
  return readText(listed.open(), `${name}/${file}`, maxBytes);
}

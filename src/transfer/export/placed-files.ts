import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Services } from '../../repository/content/services.ts';
import { storageOf } from '../../repository/files/scheme.ts';
import { requireSameBytes } from '../files/checked-file.ts';
import { isThere, makeFolders, syncFolder, writeFileDurably } from '../files/durable-files.ts';
import { hashStream, unlessAborted } from '../files/hash-stream.ts';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { readFileBytes } from '../files/read-file.ts';
import { portableName } from '../package/package-layout.ts';
import { ADDITIONAL_FILES, ALT_TEXT, CHECKSUM, FILE } from '../table/columns.ts';
import type { NodeFile } from './node-files.ts';

/** A file of a node, with its path in the folder of files. */
export interface PlacedFile {
  readonly file: NodeFile;
  readonly path: string;
}

/** Returns distinct paths for the files of a node, such as `12/page.tif`, that are valid on any disk and in cells. */
export function placeFiles(nodeId: number, files: readonly NodeFile[], subdelimiter: string): PlacedFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const name = portableName(file.filename).replaceAll(subdelimiter, '_');
    const isTaken = taken.has(name.toLowerCase());
    const own = isTaken ? `${file.fileId}-${name}` : name;
    taken.add(own.toLowerCase());
    return { file, path: `${nodeId}/${own}` };
  });
}

/** Returns the cells of a node's files: its original file, and the others with their uses. */
export function fileCells(files: readonly PlacedFile[], subdelimiter: string): Map<string, string> {
  const cells = new Map<string, string>();
  const original = files.find(({ file }) => file.isOriginal);
  const others = files.filter((each) => each !== original);
  if (original) {
    cells.set(FILE, original.path);
    cells.set(CHECKSUM, original.file.sha256);
    if (original.file.alt !== undefined) cells.set(ALT_TEXT, original.file.alt);
  }
  if (others.length > 0)
    cells.set(ADDITIONAL_FILES, others.map(({ file, path }) => `${file.use}:${path}`).join(subdelimiter));
  return cells;
}

/** A folder for files, and a work folder in it for incomplete files. */
export interface FilePlace {
  readonly folder: string;
  readonly work: string;
}

/**
 * Copies a stored file to its path in a folder, completely or not at all. Throws PackageError if its bytes have changed
 * in the store, or if the path has other bytes; `storage-failed` if the bytes are missing.
 */
export async function writeNodeFile(
  services: Services,
  { folder, work }: FilePlace,
  { file, path }: PlacedFile,
  signal: AbortSignal,
): Promise<void> {
  const target = join(folder, path);
  if (await isThere(target)) return requireSame(target, file, signal);
  const temporary = join(work, `${file.fileId}`);
  const body = await storageOf(services, file).storage.read(file.storageKey);
  const stream = body instanceof Blob ? body.stream() : body;
  try {
    const { bytes, digests } = await writeFileDurably(temporary, unlessAborted(stream, signal), ['sha256']);
    requireSameBytes(path, { bytes: file.filesize, sha256: file.sha256 }, { bytes, sha256: digests.sha256 as string });
    await makeFolders(dirname(target));
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(target));
}

/** Throws PackageError unless an existing file, such as one of an interrupted export, has the same bytes. */
async function requireSame(target: string, file: PlacedFile['file'], signal: AbortSignal): Promise<void> {
  const { bytes, digests } = await hashStream(unlessAborted(readFileBytes(target), signal), ['sha256']);
  if (bytes === file.filesize && digests.sha256 === file.sha256) return;
  throw new PackageError(`${shown(target)} exists with other bytes. Name another folder.`);
}

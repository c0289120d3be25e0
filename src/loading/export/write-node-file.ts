import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unlessAborted } from '../../packages/abortable.ts';
import { makeFolders, syncFolder, writeFileDurably } from '../../packages/durable-files.ts';
import { requireSameBytes } from '../../packages/same-bytes.ts';
import { storageOf } from '../../repository/files/scheme.ts';
import type { Services } from '../../repository/services.ts';
import type { PlacedFile } from './file-cells.ts';

/** A folder for files, and one within it for those that are not whole yet. */
export interface FilePlace {
  readonly folder: string;
  readonly work: string;
}

/**
 * Copies a stored file to its path in a folder, where it is whole or not at all. Throws PackageError if its bytes are not
 * those that were stored once, and `storage-failed` if there are none.
 */
export async function writeNodeFile(
  services: Services,
  { folder, work }: FilePlace,
  { file, path }: PlacedFile,
  signal: AbortSignal,
): Promise<void> {
  const target = join(folder, path);
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

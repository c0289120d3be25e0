import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import type { FileRow } from '../../database/schema/files.ts';
import { streamOf } from '../../storage/read-source.ts';
import type { BaseServices } from '../base-services.ts';
import { type Schemes, storageOf } from './scheme.ts';
import { findStoredFile } from './stored-files.ts';

/** The checksums that clients may request. */
export const HASH_ALGORITHMS = ['md5', 'sha1', 'sha256'] as const;
export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

type FileLocation = Pick<FileRow, 'uri' | 'storedIn' | 'storageKey' | 'filesize' | 'sha256'>;

/**
 * Returns a checksum of a file in lower-case hexadecimal: SHA-256 from its row, any other by streaming its bytes.
 * Throws `storage-failed` if they cannot be read completely, `not-found` if the file is removed meanwhile, and
 * `client-gone` if `signal` aborts.
 */
export async function hashOfFile(
  services: BaseServices & Schemes,
  file: FileRow,
  algorithm: HashAlgorithm,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await hash(services, file, algorithm, signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'storage-failed') throw error;
    // The bytes may have been replaced after the row was read.
    const current = await findStoredFile(services.database, file.id);
    if (current === undefined) throw new ServiceError('not-found', 'The file was removed meanwhile.', { cause: error });
    if (current.storageKey === file.storageKey) throw error;
    return hash(services, { ...current, storedIn: current.store }, algorithm, signal);
  }
}

async function hash(services: Schemes, file: FileLocation, algorithm: HashAlgorithm, signal: AbortSignal) {
  if (algorithm === 'sha256') return file.sha256;
  const body = await storageOf(services, file).storage.read(file.storageKey);
  const hasher = new Bun.CryptoHasher(algorithm);
  let bytes = 0;
  for await (const chunk of streamOf(body)) {
    if (signal.aborted) throw new ServiceError('client-gone', 'The client left before the checksum was known.');
    hasher.update(chunk);
    bytes += chunk.byteLength;
    noteStreamed(chunk.byteLength);
  }
  if (bytes === file.filesize) return hasher.digest('hex');
  throw new ServiceError('storage-failed', 'The content of this file cannot be read at present.', {
    cause: `${file.uri}: ${bytes} of ${file.filesize} bytes`,
  });
}

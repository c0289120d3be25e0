import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import type { FileRow } from '../../database/schema/files.ts';
import type { Services } from '../services.ts';
import { findStoredFile } from '../storage/stored-files.ts';
import { storageOf } from './scheme.ts';

/** The checksums that clients compare with their own. */
export const HASH_ALGORITHMS = ['md5', 'sha1', 'sha256'] as const;
export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

type StoredAs = Pick<FileRow, 'uri' | 'storedIn' | 'storageKey' | 'filesize' | 'sha256'>;

/**
 * A checksum of a file, in lower-case hexadecimal: SHA-256 as it was noted when the bytes came in, any other by reading
 * them, never more than a few pieces at a time. Throws `storage-failed` where they cannot be read whole, `not-found` for
 * a file that is removed meanwhile, and `client-gone` when `signal` aborts.
 */
export async function hashOfFile(
  services: Services,
  file: FileRow,
  algorithm: HashAlgorithm,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await hash(services, file, algorithm, signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'storage-failed') throw error;
    // Its bytes may have been replaced between the row and the object: then the row says so by now.
    const current = await findStoredFile(services.database, file.id);
    if (current === undefined) throw new ServiceError('not-found', 'The file was removed meanwhile.', { cause: error });
    if (current.storageKey === file.storageKey) throw error;
    return hash(services, { ...current, storedIn: current.store }, algorithm, signal);
  }
}

async function hash(services: Services, file: StoredAs, algorithm: HashAlgorithm, signal: AbortSignal) {
  if (algorithm === 'sha256') return file.sha256;
  const body = await storageOf(services, file).storage.read(file.storageKey);
  const hasher = new Bun.CryptoHasher(algorithm);
  let bytes = 0;
  for await (const piece of body instanceof Blob ? body.stream() : body) {
    if (signal.aborted) throw new ServiceError('client-gone', 'The client left before the checksum was known.');
    hasher.update(piece);
    bytes += piece.byteLength;
    noteStreamed(piece.byteLength);
  }
  if (bytes === file.filesize) return hasher.digest('hex');
  throw new ServiceError('storage-failed', 'The content of this file cannot be read at present.', {
    cause: `${file.uri}: ${bytes} of ${file.filesize} bytes`,
  });
}

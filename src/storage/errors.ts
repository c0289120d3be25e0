import { codeOf, ServiceError } from '../base/errors.ts';

/** No space, no quota, or more than the file system or a limit of the process takes in one file. */
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The time after which a client may try again, if the store does not answer. */
const RETRY_AFTER_SECONDS = 10;

/** The store has no room for what is being written (507). */
export function storageFull(cause: unknown): ServiceError {
  return new ServiceError('storage-full', 'There is no room left for this file.', { cause });
}

/** The store itself failed (500). The message names no path; the cause does. */
export function storageFailed(publicMessage: string, cause: unknown): ServiceError {
  return new ServiceError('storage-failed', publicMessage, { cause });
}

/** The store does not answer, or says that it will later (503). */
export function storageUnavailable(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The file store does not answer at present.', {
    cause,
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/** Runs work on the disk. Throws `storage-full` or `storage-failed` for errors of the system. */
export async function onDisk<T>(publicMessage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw FULL_CODES.has(codeOf(error) ?? '') ? storageFull(error) : storageFailed(publicMessage, error);
  }
}

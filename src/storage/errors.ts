import { codeOf, ServiceError } from '../base/errors.ts';

/** Error codes for a full disk, an exceeded quota, and an exceeded maximum file size. */
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The `Retry-After` while the store does not answer. */
const RETRY_AFTER_SECONDS = 10;

/** Returns the error for a full store (507). */
export function storageFull(cause: unknown): ServiceError {
  return new ServiceError('storage-full', 'There is no room left for this file.', { cause });
}

/** Returns the error for a failed store (500). Only its cause may name a path. */
export function storageFailed(publicMessage: string, cause: unknown): ServiceError {
  return new ServiceError('storage-failed', publicMessage, { cause });
}

/** Returns the error for a store that does not answer, or asks to retry later (503). */
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

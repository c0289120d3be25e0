import { ServiceError } from '../../src/base/errors.ts';

/** Returns the ServiceError with which a promise rejects. Throws any other error, or if it resolves. */
export async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

import { ServiceError } from '../../src/base/errors.ts';

/** The ServiceError with which something fails. Throws whatever else comes of it. */
export async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

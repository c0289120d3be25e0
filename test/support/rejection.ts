import { ServiceError } from '../../src/base/errors.ts';
import { JobFailure } from '../../src/jobs/job-failure.ts';

/** Returns the error with which a promise rejects. Throws if it resolves. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome === undefined) throw new Error('it did not fail');
  return outcome.error;
}

/** Returns the ServiceError with which a promise rejects. Throws any other error, or if it resolves. */
export async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error = await rejection(work);
  if (error instanceof ServiceError) return error;
  throw error;
}

/** Returns the JobFailure with which a promise rejects. Throws any other error, or if it resolves. */
export async function jobFailure(work: Promise<unknown>): Promise<JobFailure> {
  const error = await rejection(work);
  if (error instanceof JobFailure) return error;
  throw error;
}

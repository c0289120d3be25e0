import { ServiceError, unprocessable } from '../base/errors.ts';
import type { Violation } from '../fields/field-type.ts';

/** The failures of the domain, in the words of the API (spec: rest-behaviour, sections 1 and 2). */

export function referenceWithoutTarget(type: string, uuid: string, delta: number): ServiceError {
  return unprocessable(`No "${type}" entity found with UUID "${uuid}" for field "${delta}".`);
}

/** More would not help anyone. */
const MAX_VIOLATIONS = 100;

/** Every violation, up to the hundredth, on a line of its own (spec: rest-behaviour, 1.4). */
export function validationFailed(violations: readonly Violation[]): ServiceError {
  const shown = violations.slice(0, MAX_VIOLATIONS);
  const lines = shown.map(({ path, message }) => `${path}: ${message}\n`).join('');
  return unprocessable(`Unprocessable Entity: validation failed.\n${lines}`);
}

/** A field that the actor may not set (403). An empty reason is not told. */
export function fieldDenied(verb: 'creating' | 'updating', field: string, reason: string): ServiceError {
  const text = `Access denied on ${verb} field '${field}'.`;
  return new ServiceError('forbidden', reason === '' ? text : `${text} ${reason}`);
}

/** A UUID that something else of the kind has (422). */
export function uuidTaken(uuid: string): ServiceError {
  return unprocessable(`Unprocessable Entity: validation failed.\nuuid: The UUID ${uuid} is in use already.\n`);
}

/** An alias that stands for something else (422). */
export function aliasTaken(alias: string): ServiceError {
  return unprocessable(
    `Unprocessable Entity: validation failed.\npath.0.alias: The alias ${alias} is already in use in this language.\n`,
  );
}

/** Someone else changes the same thing all the time. */
export function busyEntity(cause: unknown): ServiceError {
  return new ServiceError('conflict', 'The content is being changed by someone else at this moment. Try again.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
}

/** A condition such as If-Match does not hold any more (412). */
export function stale(): ServiceError {
  return new ServiceError('precondition-failed', 'The content has changed since the ETag in If-Match was given.');
}

import { ServiceError, unprocessable } from '../base/errors.ts';
import type { Violation } from '../field-types/field-type.ts';

/** The failures of the domain, in the words of the API (spec: rest-behaviour, sections 1 and 2). */

export function referenceWithoutTarget(type: string, uuid: string, delta: number): ServiceError {
  return unprocessable(`No "${type}" entity found with UUID "${uuid}" for field "${delta}".`);
}

/** More would not help anyone. */
const MAX_VIOLATIONS = 100;

/** Values that are wrong, each named by its path (422). */
export class ValidationFailed extends ServiceError {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ path, message }) => `${path}: ${message}\n`).join('');
    super('unprocessable', `Unprocessable Entity: validation failed.\n${lines}`);
    this.violations = violations;
  }
}

/** Every violation, up to the hundredth, on a line of its own (spec: rest-behaviour, 1.4). */
export function validationFailed(violations: readonly Violation[]): ValidationFailed {
  return new ValidationFailed(violations.slice(0, MAX_VIOLATIONS));
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

/** The same of an alias that is sent by itself (422). */
export function aliasInUse(alias: string): ServiceError {
  return validationFailed([
    { path: 'alias.0.value', message: `The alias ${alias} is already in use in this language.` },
  ]);
}

/** The path of an alias that is not that of content, or not of content which the actor may see (422). */
export function pathOfNothing(path: string): ServiceError {
  const message = `Either the path '${path}' is invalid or you do not have access to it.`;
  return validationFailed([{ path: 'path.0.value', message }]);
}

/** A source that is redirected already (422). */
export function sourceTaken(path: string): ServiceError {
  return validationFailed([
    { path: 'redirect_source.0.path', message: `The source path ${path} is already being redirected.` },
  ]);
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

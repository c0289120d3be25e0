import { ServiceError, unprocessable } from '../base/errors.ts';
import type { Violation } from '../field-types/field-type.ts';

/** The errors of the domain, with the messages of the API (spec: rest-behaviour, sections 1 and 2). */

export function referenceWithoutTarget(type: string, uuid: string, delta: number): ServiceError {
  return unprocessable(`No "${type}" entity found with UUID "${uuid}" for field "${delta}".`);
}

/** Maximum number of reported violations. */
const MAX_VIOLATIONS = 100;

/** Invalid values, each with its path (422). */
export class ValidationFailed extends ServiceError {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(({ path, message }) => `${path}: ${message}\n`).join('');
    super('unprocessable', `Unprocessable Entity: validation failed.\n${lines}`);
    this.violations = violations;
  }
}

/** Creates the error with each violation on its own line (spec: rest-behaviour, 1.4). */
export function validationFailed(violations: readonly Violation[]): ValidationFailed {
  return new ValidationFailed(violations.slice(0, MAX_VIOLATIONS));
}

/** A field that the actor may not set (403). */
export function fieldDenied(verb: 'creating' | 'updating', field: string, reason: string): ServiceError {
  const text = `Access denied on ${verb} field '${field}'.`;
  return new ServiceError('forbidden', reason === '' ? text : `${text} ${reason}`);
}

/** A UUID that is in use (422). */
export function uuidTaken(uuid: string): ServiceError {
  return unprocessable(`Unprocessable Entity: validation failed.\nuuid: The UUID ${uuid} is in use already.\n`);
}

/** An alias of content that is in use (422). */
export function aliasTaken(alias: string): ServiceError {
  return unprocessable(
    `Unprocessable Entity: validation failed.\npath.0.alias: The alias ${alias} is already in use in this language.\n`,
  );
}

/** An alias entity whose alias is in use (422). */
export function aliasInUse(alias: string): ServiceError {
  return validationFailed([
    { path: 'alias.0.value', message: `The alias ${alias} is already in use in this language.` },
  ]);
}

/** The path of an alias that is invalid, or of content that the actor may not view (422). */
export function invalidAliasPath(path: string): ServiceError {
  const message = `Either the path '${path}' is invalid or you do not have access to it.`;
  return validationFailed([{ path: 'path.0.value', message }]);
}

/** A source with another redirect (422). */
export function redirectExists(path: string): ServiceError {
  return validationFailed([
    { path: 'redirect_source.0.path', message: `The source path ${path} is already being redirected.` },
  ]);
}

/** Content that other writes change continuously (409). */
export function busyEntity(cause: unknown): ServiceError {
  return new ServiceError('conflict', 'Other requests are changing this content. Try again.', {
    cause,
    headers: { 'Retry-After': '1' },
  });
}

/** A failed condition such as If-Match (412). */
export function stale(): ServiceError {
  return new ServiceError(
    'precondition-failed',
    'The content has changed since the ETag in If-Match was returned. Read it again.',
  );
}

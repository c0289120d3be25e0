import { type TSchema, Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { namedSchema } from './components.ts';
import type { HeaderName } from './headers.ts';

export interface FailureDescription {
  /** Its name among the components. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
}

/** The body of every error (spec: rest-behaviour, 2). */
export const failureSchema: TSchema = namedSchema(
  'Failure',
  closed({ message: t.String({ description: 'The error as a sentence.' }) }),
);

/** The errors of the API by status. */
export const FAILURES = {
  400: { name: 'Malformed', description: 'The request is malformed or incomplete.' },
  401: {
    name: 'Unauthenticated',
    description: 'The request has no credentials, or invalid ones.',
    headers: ['WWW-Authenticate'],
  },
  403: { name: 'Forbidden', description: 'The caller lacks the permission that the message names.' },
  404: { name: 'NotFound', description: 'The entity or file does not exist.' },
  406: {
    name: 'NotAcceptable',
    description: 'The address does not support this `_format`. Link lists the supported ones.',
    headers: ['Link'],
  },
  408: { name: 'TooSlow', description: 'The body arrived too slowly, on average over some minutes.' },
  409: {
    name: 'Conflict',
    description: 'Another request is changing the same entity, or its state does not allow the change.',
    headers: ['Retry-After'],
  },
  412: { name: 'PreconditionFailed', description: 'The entity has changed since the version in If-Match.' },
  413: { name: 'TooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The Content-Type is missing or not supported.' },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The range lies outside the file.',
    headers: ['Content-Range', 'Accept-Ranges'],
  },
  422: {
    name: 'Unprocessable',
    description: 'The body has invalid values. Each line of the message names a member and its problem.',
  },
  429: {
    name: 'TooManyRequests',
    description:
      'Too many failed attempts to sign in, or too many expensive requests of a network or of all strangers.',
    headers: ['Retry-After'],
  },
  500: { name: 'Failed', description: 'An internal error. The log of the repository has the details.' },
  503: {
    name: 'Unavailable',
    description: 'The database or the file store is temporarily unavailable.',
    headers: ['Retry-After'],
  },
  507: { name: 'StorageFull', description: 'The storage is full.' },
} as const satisfies Readonly<Record<number, FailureDescription>>;

/** Returns the component name of a failure that may be an HTML page. */
export function orPage(name: string): string {
  return `${name}OrPage`;
}

export type FailureStatus = keyof typeof FAILURES;

/** The errors of every route: an invalid Host, invalid credentials, login limits, and internal errors. */
export const FAILURES_OF_EVERY_ROUTE: readonly FailureStatus[] = [400, 401, 429, 500, 503];

import type { HeaderName } from './headers.ts';

export interface FailureDescription {
  /** Its name among the components. */
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly HeaderName[];
}

/** Every error of the API, each with a body of one member, `message` (spec: rest-behaviour, 2). */
export const FAILURES = {
  400: { name: 'Malformed', description: 'The request cannot be read, or lacks what it needs.' },
  401: {
    name: 'Unauthenticated',
    description: 'Credentials are needed, or those that were sent are wrong.',
    headers: ['WWW-Authenticate'],
  },
  403: { name: 'Forbidden', description: 'The caller may not do this, and is told which permission is missing.' },
  404: { name: 'NotFound', description: 'There is no such thing.' },
  406: {
    name: 'NotAcceptable',
    description: 'There is no such `_format` here; Link names those that there are.',
    headers: ['Link'],
  },
  408: { name: 'TooSlow', description: 'The body came too slowly, on average over some minutes.' },
  409: {
    name: 'Conflict',
    description: 'Someone else changes the same thing at this moment, or it is past such a change.',
    headers: ['Retry-After'],
  },
  412: { name: 'PreconditionFailed', description: 'It has changed since the version that If-Match names.' },
  413: { name: 'TooLarge', description: 'The body is larger than is taken.' },
  415: { name: 'UnsupportedMediaType', description: 'The Content-Type is missing, or not one that is taken here.' },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The file has no such range of bytes.',
    headers: ['Content-Range', 'Accept-Ranges'],
  },
  422: {
    name: 'Unprocessable',
    description: 'The body is understood, but cannot be stored: each line of the message says what is wrong where.',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many failed attempts to sign in.',
    headers: ['Retry-After'],
  },
  500: { name: 'Failed', description: 'Something went wrong here; the log of the repository says what.' },
  503: {
    name: 'Unavailable',
    description: 'The database or the file store cannot be used at present.',
    headers: ['Retry-After'],
  },
  507: { name: 'StorageFull', description: 'The storage has no room for it.' },
} as const satisfies Readonly<Record<number, FailureDescription>>;

/** The name of a failure among the components for whoever may be answered with a page. */
export function orPage(name: string): string {
  return `${name}OrPage`;
}

export type FailureStatus = keyof typeof FAILURES;

/** What any request may be answered: a bad Host, wrong credentials, too many of them, and what is our own trouble. */
export const FAILURES_OF_EVERY_ROUTE: readonly FailureStatus[] = [400, 401, 429, 500, 503];

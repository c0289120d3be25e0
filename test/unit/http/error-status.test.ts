import { expect, it } from 'bun:test';
import type { ErrorKind } from '../../../src/base/errors.ts';
import { statusOf } from '../../../src/http/error-status.ts';

const EXPECTED: Record<ErrorKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'too-slow': 408,
  conflict: 409,
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'range-not-satisfiable': 416,
  misdirected: 421,
  unprocessable: 422,
  'source-failed': 424,
  'too-many-requests': 429,
  'client-gone': 499,
  'command-failed': 500,
  'limit-exceeded': 500,
  misconfigured: 500,
  'storage-failed': 500,
  'database-locked': 503,
  'over-capacity': 503,
  unavailable: 503,
  'timed-out': 504,
  'storage-full': 507,
};

it.each(Object.entries(EXPECTED) as [ErrorKind, number][])('statusOf maps %s to %i', (kind, status) => {
  expect(statusOf(kind)).toBe(status);
});

it('statusOf rejects an unknown kind', () => {
  expect(() => statusOf('surprise' as ErrorKind)).toThrow('no status for surprise');
});

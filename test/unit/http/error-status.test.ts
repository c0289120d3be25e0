import { expect, it } from 'bun:test';
import type { ErrorKind } from '../../../src/base/errors.ts';
import { statusOf } from '../../../src/http/error-status.ts';

const EXPECTED: Record<ErrorKind, number> = {
  malformed: 400,
  unauthenticated: 401,
  'not-found': 404,
  'method-not-allowed': 405,
  'too-large': 413,
  'source-failed': 424,
  'client-gone': 499,
  'command-failed': 500,
  misconfigured: 500,
  'over-capacity': 503,
  unavailable: 503,
  'timed-out': 504,
};

it.each(Object.entries(EXPECTED) as [ErrorKind, number][])('answers %s with %i', (kind, status) => {
  expect(statusOf(kind)).toBe(status);
});

it('knows no status for a kind that does not exist', () => {
  expect(() => statusOf('surprise' as ErrorKind)).toThrow('no status for surprise');
});

import { expect } from 'bun:test';
import type { ErrorKind } from '../../src/base/errors.ts';

/** For `toThrow`: a ServiceError of a kind whose sentence for the client matches. */
export const serviceError = (kind: ErrorKind, publicMessage: RegExp) =>
  expect.objectContaining({ name: 'ServiceError', kind, publicMessage: expect.stringMatching(publicMessage) });

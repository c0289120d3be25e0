import { describe, expect, it } from 'bun:test';
import { OutcomeUnknownError } from '../../../../src/database/errors.ts';
import { type IngestedBytes, keepIf } from '../../../../src/repository/files/ingest.ts';
import { rejection } from '../../../support/rejection.ts';

function stored(): { ingested: IngestedBytes; calls: string[] } {
  const calls: string[] = [];
  const staged = {
    keep: async () => void calls.push('keep'),
    discard: async () => void calls.push('discard'),
  };
  return { ingested: { staged } as unknown as IngestedBytes, calls };
}

describe('stored bytes', () => {
  it('are kept if the save succeeds', async () => {
    const { ingested, calls } = stored();
    expect(await keepIf(ingested, async () => 7)).toBe(7);
    expect(calls).toEqual(['keep']);
  });

  it('are removed if the save fails', async () => {
    const { ingested, calls } = stored();
    await rejection(keepIf(ingested, () => Promise.reject(new Error('no'))));
    expect(calls).toEqual(['discard']);
  });

  it('stay if the outcome is unknown: a row may refer to them', async () => {
    const { ingested, calls } = stored();
    const error = new Error('no', { cause: new OutcomeUnknownError(new Error('cut')) });
    expect(await rejection(keepIf(ingested, () => Promise.reject(error)))).toBe(error);
    expect(calls).toEqual([]);
  });
});

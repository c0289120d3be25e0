import { afterEach, describe, expect, it, jest } from 'bun:test';
import type { BatchResult } from '../../../../src/database/remote/hrana.ts';
import { RemoteGeneration } from '../../../../src/database/remote/remote-generation.ts';

const brings = (value: number): BatchResult => ({
  step_results: [
    {
      cols: [{ name: 'value' }],
      rows: [[{ type: 'integer', value: `${value}` }]],
      affected_row_count: 0,
      last_insert_rowid: null,
    },
  ],
  step_errors: [null],
});

afterEach(() => {
  jest.useRealTimers();
});

describe('the known generation of a remote database', () => {
  it('is undefined at first and after a failed step', () => {
    const known = new RemoteGeneration();
    expect(known.fresh).toBeUndefined();
    known.learn({ step_results: [null], step_errors: [{ message: 'no such table' }] }, 0, performance.now());
    expect(known.fresh).toBeUndefined();
  });

  it('ignores an answer that arrives out of order', () => {
    const known = new RemoteGeneration();
    const sentFirst = performance.now();
    known.learn(brings(8), 0, sentFirst + 0.001);
    known.learn(brings(7), 0, sentFirst);
    expect(known.fresh).toBe(8);
  });

  it('decreases with a later request, after the database was restored', () => {
    const known = new RemoteGeneration();
    known.learn(brings(8), 0, performance.now());
    known.learn(brings(3), 0, performance.now() + 1);
    expect(known.fresh).toBe(3);
  });

  it('expires half a second after the request', () => {
    jest.useFakeTimers();
    const known = new RemoteGeneration();
    known.learn(brings(8), 0, performance.now());
    jest.advanceTimersByTime(499);
    expect(known.fresh).toBe(8);
    jest.advanceTimersByTime(1);
    expect(known.fresh).toBeUndefined();
  });
});

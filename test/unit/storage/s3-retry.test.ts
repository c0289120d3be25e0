import { describe, expect, it } from 'bun:test';
import { S3Failure } from '../../../src/storage/s3-failure.ts';
import {
  NO_PATIENCE,
  PATIENCE_TO_READ,
  PATIENCE_TO_WRITE,
  waitBefore,
  withRetries,
} from '../../../src/storage/s3-retry.ts';

const QUICK = { totalMs: 200, firstWaitMs: 1, longestWaitMs: 4 };
const later = () => new S3Failure('GET "x"', '503 SlowDown', { status: 503, code: 'SlowDown' });

/** Fails as often as it is told, and counts. */
function failing(times: number, error: () => Error = later) {
  const work = { calls: 0, run: async () => (++work.calls > times ? work.calls : Promise.reject(error())) };
  return work;
}

describe('trying again', () => {
  it('goes on until it succeeds', async () => {
    expect(await withRetries(QUICK, undefined, failing(4).run)).toBe(5);
  });

  it('does not repeat what will not pass', async () => {
    const refused = failing(
      9,
      () => new S3Failure('GET "x"', '403 AccessDenied', { status: 403, code: 'AccessDenied' }),
    );
    await expect(withRetries(QUICK, undefined, refused.run)).rejects.toThrow('403 AccessDenied');
    const wrong = failing(9, () => new TypeError('a mistake of ours'));
    await expect(withRetries(QUICK, undefined, wrong.run)).rejects.toThrow('a mistake of ours');
    expect([refused.calls, wrong.calls]).toEqual([1, 1]);
  });

  it('ends when its time is over, with the last failure', async () => {
    const work = failing(Number.POSITIVE_INFINITY);
    await expect(withRetries(QUICK, undefined, work.run)).rejects.toThrow('503 SlowDown');
    expect(work.calls).toBeGreaterThan(10);
    const once = failing(Number.POSITIVE_INFINITY);
    await expect(withRetries(NO_PATIENCE, undefined, once.run)).rejects.toThrow('503 SlowDown');
    expect(once.calls).toBe(1);
  });

  it('ends at once when it is aborted, with the reason', async () => {
    const abort = new AbortController();
    const patient = { totalMs: 60_000, firstWaitMs: 30_000, longestWaitMs: 30_000 };
    const work = withRetries(patient, abort.signal, failing(Number.POSITIVE_INFINITY).run);
    setTimeout(() => abort.abort(new Error('client gone')), 5);
    await expect(work).rejects.toThrow('client gone');
  });

  it('waits twice as long each time, up to a limit, by chance less', () => {
    const waits = (chance: number) => Array.from({ length: 9 }, (_, i) => waitBefore(i, PATIENCE_TO_WRITE, chance));
    expect(waits(1)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 8000, 8000]);
    expect(waits(0)).toEqual(waits(1).map((ms) => ms / 2));
    expect(PATIENCE_TO_READ.totalMs).toBeLessThan(PATIENCE_TO_WRITE.totalMs);
  });
});

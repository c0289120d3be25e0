import { afterEach, beforeEach, describe, expect, it, jest } from 'bun:test';
import type { ServiceError } from '../../../src/base/errors.ts';
import { type UploadRate, watchRate } from '../../../src/base/upload-rate.ts';

const PERIOD_S = 0.3;
const RATE: UploadRate = { bytesPerSecond: 1000, periodSeconds: PERIOD_S };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Sends pieces with pauses before them until it is too slow, or there are no more. Answers how many were sent. */
async function send(pieces: { bytes: number; pauseMs: number }[], rate = RATE) {
  let failure: ServiceError | undefined;
  const watch = watchRate(rate, (reason) => {
    failure = reason;
  });
  let sent = 0;
  for (const { bytes, pauseMs } of pieces) {
    const heard = watch.listen(Bun.sleep(pauseMs));
    jest.advanceTimersByTime(pauseMs);
    await heard;
    if (failure !== undefined) break;
    watch.add(bytes);
    sent += 1;
  }
  watch.end();
  return { sent, failure };
}
const many = (count: number, bytes: number, pauseMs: number) =>
  Array.from({ length: count }, () => ({ bytes, pauseMs }));

describe('an upload', () => {
  it('at the minimum rate is never ended', async () => {
    expect(await send(many(20, 400, 40))).toEqual({ sent: 20, failure: undefined });
  });

  it('that sends little is ended after the period', async () => {
    const { sent, failure } = await send(many(100, 1, 20));
    expect(failure).toMatchObject({ kind: 'too-slow', headers: { Connection: 'close' } });
    expect(failure?.publicMessage).toBe(
      'The body of the request came too slowly: fewer than 1000 bytes a second over 0.3 seconds.',
    );
    expect(sent).toBeWithin(5, 40);
  });

  it('that slows down is ended as the period slides', async () => {
    const { sent, failure } = await send([...many(2, 1_000_000, 5), ...many(100, 1, 20)]);
    expect(failure?.kind).toBe('too-slow');
    expect(sent).toBeLessThan(100);
  });

  it('that pauses and catches up within the period continues', async () => {
    const pieces = [...many(1, 1, 150), ...many(1, 5000, 1), ...many(1, 1, 150), ...many(1, 5000, 1)];
    expect(await send(pieces)).toEqual({ sent: 4, failure: undefined });
  });

  it('that ends before the period is never ended', async () => {
    expect(await send(many(2, 1, 50))).toEqual({ sent: 2, failure: undefined });
  });

  it('does not count the time that the server takes', () => {
    let failure: unknown;
    const watch = watchRate(RATE, (reason) => {
      failure = reason;
    });
    jest.advanceTimersByTime(2 * PERIOD_S * 1000);
    watch.end();
    expect(failure).toBeUndefined();
  });

  it('may have any speed if the rate is 0', async () => {
    expect(await send(many(20, 1, 20), { ...RATE, bytesPerSecond: 0 })).toEqual({ sent: 20, failure: undefined });
  });
});

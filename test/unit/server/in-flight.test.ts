import { describe, expect, it } from 'bun:test';
import { settlesWithin } from '../../../src/base/settles-within.ts';
import { createInFlight } from '../../../src/server/in-flight.ts';

describe('work in flight', () => {
  it('is settled when it is empty', async () => {
    expect(await settlesWithin(createInFlight().settled(), 1000)).toBe(true);
  });

  it('is awaited even if it fails, and its outcome is passed on', async () => {
    const inFlight = createInFlight();
    const [good, bad] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const followed = [inFlight.follow(good.promise), inFlight.follow(bad.promise)];
    expect(inFlight.count).toBe(2);
    expect(await settlesWithin(inFlight.settled(), 5)).toBe(false);
    good.resolve('done');
    bad.reject(new Error('failed'));
    expect(await Promise.allSettled(followed)).toEqual([
      { status: 'fulfilled', value: 'done' },
      { status: 'rejected', reason: new Error('failed') },
    ]);
    expect(await settlesWithin(inFlight.settled(), 1000)).toBe(true);
    expect(inFlight.count).toBe(0);
  });

  it('passes on a rejection', async () => {
    await expect(settlesWithin(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no');
  });
});

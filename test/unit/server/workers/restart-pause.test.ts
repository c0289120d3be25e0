import { describe, expect, it } from 'bun:test';
import { createRestartPause } from '../../../../src/server/workers/workers.ts';

describe('the pause before a worker restart', () => {
  it('doubles with each short run, up to half a minute', () => {
    const pauseAfter = createRestartPause();
    const pauses = Array.from({ length: 11 }, () => pauseAfter(59_999));
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  it('is short again after a run of a minute', () => {
    const pauseAfter = createRestartPause();
    for (let count = 0; count < 8; count++) pauseAfter(0);
    expect({ long: pauseAfter(60_000), short: pauseAfter(0) }).toEqual({ long: 100, short: 200 });
  });
});

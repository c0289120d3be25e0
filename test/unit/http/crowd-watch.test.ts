import { describe, expect, it } from 'bun:test';
import { CrowdWatch } from '../../../src/http/crowd-watch.ts';

describe('a crowd', () => {
  it('is present for ten minutes after a hundred refusals within a minute', () => {
    let now = 0;
    const watch = new CrowdWatch(() => now);
    for (let count = 0; count < 99; count += 1) watch.note();
    expect(watch.isPresent).toBe(false);
    watch.note();
    expect(watch.isPresent).toBe(true);
    now = 599_999;
    expect(watch.isPresent).toBe(true);
    now = 600_000;
    expect(watch.isPresent).toBe(false);
  });

  it('is not made by refusals over a long time', () => {
    let now = 0;
    const watch = new CrowdWatch(() => now);
    for (let count = 0; count < 1_000; count += 1) {
      watch.note();
      now += 1_000;
    }
    expect(watch.isPresent).toBe(false);
  });
});

import { describe, expect, it } from 'bun:test';
import { ClaimedAhead } from '../../../src/jobs/claimed-ahead.ts';
import type { ClaimedJob } from '../../../src/jobs/job.ts';

const jobs = (...ids: number[]) => ids.map((id) => ({ id }) as ClaimedJob);

/** A queue from which `count` jobs started a moment ago. */
function withBegun(count: number): ClaimedAhead {
  const ahead = new ClaimedAhead();
  ahead.add(jobs(...Array.from({ length: count }, (_, index) => index + 1)));
  while (ahead.next() !== undefined);
  return ahead;
}

describe('how many jobs are claimed', () => {
  it('is as many as there are places, while none was begun lately', () => {
    expect(new ClaimedAhead().wanted(3)).toBe(3);
    expect(new ClaimedAhead().wanted(0)).toBe(0);
  });

  it('is more by those that were begun a moment ago', () => {
    expect(withBegun(4).wanted(0)).toBe(4);
    expect(withBegun(4).wanted(2)).toBe(6);
  });

  it('has a limit, however many were begun', () => {
    expect(withBegun(1_000).wanted(0)).toBe(16);
  });

  it('is none while half of them are still waiting', () => {
    const ahead = withBegun(4);
    ahead.add(jobs(5, 6));
    expect(ahead.wanted(0)).toBe(0);
    ahead.next();
    expect(ahead.wanted(0)).toBeGreaterThan(0);
  });

  it('is none ahead any more once jobs take long', async () => {
    const ahead = withBegun(4);
    await Bun.sleep(110);
    expect(ahead.wanted(0)).toBe(0);
    expect(ahead.wanted(1)).toBe(1);
  });
});

describe('the waiting jobs', () => {
  it('is begun in the order in which it was claimed', () => {
    const ahead = new ClaimedAhead();
    ahead.add(jobs(1, 2));
    ahead.add(jobs(3));
    expect([ahead.next()?.id, ahead.next()?.id, ahead.next()?.id, ahead.next()]).toEqual([1, 2, 3, undefined]);
  });

  it('drops jobs that another worker has taken', () => {
    const ahead = new ClaimedAhead();
    ahead.add(jobs(1, 2, 3));
    ahead.remove(new Set([2]));
    expect(ahead.jobs.map(({ id }) => id)).toEqual([1, 3]);
  });

  it('is taken out once it has waited for long, and nothing else', async () => {
    const ahead = new ClaimedAhead();
    ahead.add(jobs(1));
    await Bun.sleep(30);
    ahead.add(jobs(2));
    expect(ahead.takeLate(20).map(({ id }) => id)).toEqual([1]);
    expect(ahead.jobs.map(({ id }) => id)).toEqual([2]);
  });
});

import { afterEach, describe, expect, it, jest } from 'bun:test';
import { ClaimedAhead } from '../../../src/jobs/claimed-ahead.ts';
import type { ClaimedJob } from '../../../src/jobs/job.ts';

afterEach(() => {
  jest.useRealTimers();
});

const jobs = (...ids: number[]) => ids.map((id) => ({ id }) as ClaimedJob);

/** A queue from which `count` jobs started a moment ago. */
function withBegun(count: number): ClaimedAhead {
  const ahead = new ClaimedAhead();
  ahead.add(jobs(...Array.from({ length: count }, (_, index) => index + 1)));
  while (ahead.next() !== undefined);
  return ahead;
}

describe('the number of jobs to claim', () => {
  it('equals the free places if no job started recently', () => {
    expect(new ClaimedAhead().wanted(3)).toBe(3);
    expect(new ClaimedAhead().wanted(0)).toBe(0);
  });

  it('grows by the number of recently started jobs', () => {
    expect(withBegun(4).wanted(0)).toBe(4);
    expect(withBegun(4).wanted(2)).toBe(6);
  });

  it('has a maximum', () => {
    expect(withBegun(1_000).wanted(0)).toBe(16);
  });

  it('is zero while half of the claimed jobs are waiting', () => {
    const ahead = withBegun(4);
    ahead.add(jobs(5, 6));
    expect(ahead.wanted(0)).toBe(0);
    ahead.next();
    expect(ahead.wanted(0)).toBeGreaterThan(0);
  });

  it('includes no job ahead if jobs take long', () => {
    jest.useFakeTimers();
    const ahead = withBegun(4);
    jest.advanceTimersByTime(100);
    expect(ahead.wanted(0)).toBe(0);
    expect(ahead.wanted(1)).toBe(1);
  });
});

describe('the queue of claimed jobs', () => {
  it('starts jobs in the order in which they were claimed', () => {
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

  it('returns only jobs that have waited too long', () => {
    jest.useFakeTimers();
    const ahead = new ClaimedAhead();
    ahead.add(jobs(1));
    jest.advanceTimersByTime(20);
    ahead.add(jobs(2));
    expect(ahead.takeLate(20).map(({ id }) => id)).toEqual([1]);
    expect(ahead.jobs.map(({ id }) => id)).toEqual([2]);
  });
});

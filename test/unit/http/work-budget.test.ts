import { describe, expect, it } from 'bun:test';
import {
  type Expense,
  type Refusal,
  WorkBudget,
  type WorkClient,
  type WorkKind,
} from '../../../src/http/work-budget.ts';

let now = 0;
const budget = (network: number, total: number) => new WorkBudget({ network, total }, () => now);
const passSeconds = (seconds: number) => {
  now += seconds * 1_000;
};

/** Sends work until it is refused, at most `most` times. Returns the number of what was admitted, and the refusal. */
function exhaust(of: WorkBudget, client: WorkClient, ms: number, kind: WorkKind = 'search', most = 10_000) {
  for (let count = 0; count < most; count += 1) {
    const admitted = of.admit(kind, client);
    if ('limit' in admitted) return { count, refusal: admitted };
    spendOn(admitted, ms);
  }
  return { count: most, refusal: undefined };
}

function spendOn(expense: Expense, ms: number): void {
  expense.add(ms);
  expense.end();
}

const isRefused = (admitted: Expense | Refusal) => 'limit' in admitted;

describe('the budget of a network', () => {
  it('admits a minute of work at its rate at once, and then refuses', () => {
    const { count, refusal } = exhaust(budget(100, 0), { network: 'a' }, 100);
    expect(count).toBe(60);
    expect(refusal).toEqual({ limit: 'network', retryAfterSeconds: expect.any(Number) });
  });

  it('is refilled within the time that it names', () => {
    const of = budget(100, 0);
    const { refusal } = exhaust(of, { network: 'a' }, 400);
    expect(isRefused(of.admit('search', { network: 'a' }))).toBe(true);
    passSeconds(refusal?.retryAfterSeconds ?? 0);
    expect(isRefused(of.admit('search', { network: 'a' }))).toBe(false);
  });

  it('does not affect other networks', () => {
    const of = budget(100, 0);
    exhaust(of, { network: 'a' }, 100);
    expect(isRefused(of.admit('search', { network: 'b' }))).toBe(false);
  });

  it('does not apply to clients of an unknown network', () => {
    expect(exhaust(budget(1, 0), { network: undefined }, 1_000, 'search', 500).refusal).toBeUndefined();
  });

  it('counts work by its measured time', () => {
    const counts = [10, 100, 1_000].map((ms) => exhaust(budget(100, 0), { network: 'a' }, ms).count);
    expect(counts).toEqual([600, 60, 6]);
  });

  it('takes a quarter of the time of computed images', () => {
    expect(exhaust(budget(100, 0), { network: 'a' }, 100, 'image').count).toBe(240);
  });

  it('counts work that has not ended as the work before it', () => {
    const of = budget(100, 0);
    for (let count = 0; count < 50; count += 1) spendOn(of.admit('export', { network: 'others' }) as Expense, 100);
    let running = 0;
    while (!isRefused(of.admit('export', { network: 'a' }))) running += 1;
    expect(running).toBe(60);
  });
});

describe('the budget of all strangers', () => {
  it('refuses networks that have budgets of their own', () => {
    const of = budget(100, 100);
    const refusals = Array.from({ length: 20 }, (_, at) => exhaust(of, { network: `${at}` }, 100, 'search', 1).refusal);
    expect(refusals.filter((each) => each === undefined).length).toBe(2);
    expect(refusals.at(-1)).toEqual({ limit: 'total', retryAfterSeconds: 30 });
  });

  it('is another one for clients with a pass', () => {
    const of = budget(100, 100);
    exhaust(of, { network: undefined }, 1_000);
    expect(isRefused(of.admit('search', { network: 'a' }))).toBe(true);
    expect(isRefused(of.admit('search', { network: 'a', pass: 'p' }))).toBe(false);
  });

  it('is refilled over time', () => {
    const of = budget(0, 100);
    exhaust(of, { network: 'a' }, 100);
    passSeconds(5);
    expect(exhaust(of, { network: 'a' }, 100).count).toBeLessThanOrEqual(6);
  });
});

import { describe, expect, it } from 'bun:test';
import { planOrder } from '../../../src/bulk/plan-order.ts';
import { createRandom } from '../../support/random.ts';

const FROM_ONE = { lowest: 1, highest: 2_147_483_647 };
const ANY = { lowest: -2_147_483_648, highest: 2_147_483_647 };

const changed = (before: readonly (number | null)[], after: readonly number[] | undefined) =>
  before.filter((weight, at) => weight !== after?.[at]).length;

describe('the weights of a new order', () => {
  it('count up from 1 if no member has a weight', () => {
    expect(planOrder([null, null, null], FROM_ONE)).toEqual([1, 2, 3]);
    expect(planOrder([null, null], ANY)).toEqual([1, 2]);
    expect(planOrder([], FROM_ONE)).toEqual([]);
  });

  it('stay unchanged if they are ascending', () => {
    expect(planOrder([3, 8, 20], FROM_ONE)).toEqual([3, 8, 20]);
  });

  it('change only for the moved member if there is room', () => {
    // The one with 30 went to the front, the one with 10 to the end.
    expect(planOrder([30, 10, 20], FROM_ONE)).toEqual([9, 10, 20]);
    expect(planOrder([20, 30, 10], FROM_ONE)).toEqual([20, 30, 31]);
    // In a book without gaps: page 2 went behind page 4.
    expect(planOrder([1, 3, 4, 2, 5], ANY)).toEqual([1, 3, 4, 5, 6]);
  });

  it('change for the following members if there is no room', () => {
    expect(planOrder([1, 2, null, 3, 4], FROM_ONE)).toEqual([1, 2, 3, 4, 5]);
    // Below 1 there is none.
    expect(planOrder([3, 1, 2], FROM_ONE)).toEqual([3, 4, 5]);
  });

  it('replace values that the field rejects', () => {
    expect(planOrder([-4, 0, 7], FROM_ONE)).toEqual([5, 6, 7]);
    expect(planOrder([2_147_483_647, null], FROM_ONE)).toEqual([1, 2]);
    expect(planOrder([1, 2, 3], { lowest: 0, highest: 1 })).toBeUndefined();
    expect(planOrder([null, null], { lowest: -5, highest: -4 })).toEqual([-5, -4]);
  });

  it('always ascend, and change for as few members as possible', () => {
    const random = createRandom(66);
    for (let round = 0; round < 2_000; round++) {
      const count = random.below(7);
      const weights = Array.from({ length: count }, () => (random.below(5) === 0 ? null : random.below(9) - 1));
      const range = { lowest: random.below(3), highest: 8 + random.below(5) };
      const after = planOrder(weights, range);
      expect(after).toBeDefined();
      for (const [at, weight] of (after ?? []).entries()) {
        if (at > 0) expect(weight).toBeGreaterThan(after?.[at - 1] ?? 0);
        expect(weight).toBeWithin(range.lowest, range.highest + 1);
      }
      expect(changed(weights, after)).toBe(fewestChanges(weights, range));
    }
  });

  it('are planned for 10,000 members within half a second', () => {
    const weights = Array.from({ length: 10_000 }, (_, at) => 10_000 - at);
    const timesMs: number[] = [];
    for (let round = 0; round < 10; round++) {
      const startedAt = performance.now();
      expect(changed(weights, planOrder(weights, FROM_ONE))).toBeGreaterThan(9_990);
      timesMs.push(performance.now() - startedAt);
    }
    // Other processes may disturb a round, but hardly every one.
    expect(Math.min(...timesMs)).toBeLessThan(500);
  });
});

/** Tries every choice of members that keep their weights. */
function fewestChanges(weights: readonly (number | null)[], { lowest, highest }: typeof FROM_ONE): number {
  let fewest = weights.length;
  for (let mask = 0; mask < 1 << weights.length; mask++) {
    let last = lowest - 1;
    let isPossible = true;
    let changes = 0;
    for (const [at, weight] of weights.entries()) {
      const keeps = ((mask >> at) & 1) === 1;
      if (!keeps) {
        changes += 1;
        last += 1;
      } else if (weight === null || weight <= last) isPossible = false;
      else last = weight;
    }
    if (isPossible && last <= highest) fewest = Math.min(fewest, changes);
  }
  return fewest;
}

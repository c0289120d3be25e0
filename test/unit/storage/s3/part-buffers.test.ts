import { describe, expect, it } from 'bun:test';
import { MAX_PARTS, partSize, partsAtOnce } from '../../../../src/storage/s3/part-buffers.ts';

const MIB = 1024 * 1024;
const heldBy = (parts: number) => Array.from({ length: parts }, (_, i) => partSize(i + 1)).reduce((a, b) => a + b, 0);

describe('the size of a part', () => {
  it.each([
    [1, 5],
    [1_000, 5],
    [1_001, 16],
    [6_000, 256],
    [6_001, 1_200],
    [10_000, 1_200],
  ])('for part %d is %d MiB', (number, mib) => expect(partSize(number)).toBe(mib * MIB));

  it('allows the maximum of 5 TiB in 10,000 parts', () => {
    expect(heldBy(MAX_PARTS)).toBeGreaterThanOrEqual(5 * 1024 * 1024 * MIB);
    expect(heldBy(1_000) / MIB / 1024).toBeCloseTo(4.9, 1);
    expect(heldBy(6_000) / MIB / 1024).toBeCloseTo(489, 0);
  });

  it('is within the limits of S3', () => {
    for (let number = 1; number <= MAX_PARTS; number++) {
      expect(partSize(number)).toBeGreaterThanOrEqual(5 * MIB);
      expect(partSize(number)).toBeLessThanOrEqual(5 * 1024 * MIB);
    }
  });

  it('allows several small parts in flight, but one large one', () => {
    expect([5, 16, 32, 1_200].map((mib) => partsAtOnce(mib * MIB))).toEqual([3, 1, 1, 1]);
    expect(partsAtOnce(1)).toBeGreaterThan(3);
  });
});

import { describe, expect, it } from 'bun:test';
import { TextSet } from '../../../../src/transfer/table/text-set.ts';
import { createRandom } from '../../../support/random.ts';

describe('a set of texts', () => {
  it('numbers distinct texts in order, and returns them', () => {
    const texts = new TextSet();
    expect(['a', 'b', 'a', '', 'Zürich', '📖', 'b', ''].map((text) => texts.add(text))).toEqual([
      0, 1, 0, 2, 3, 4, 1, 2,
    ]);
    expect(texts.size).toBe(5);
    expect([0, 1, 2, 3, 4].map((number) => texts.at(number))).toEqual(['a', 'b', '', 'Zürich', '📖']);
  });

  it('finds only added texts', () => {
    const texts = new TextSet();
    texts.add('r1');
    expect(texts.find('r1')).toBe(0);
    for (const other of ['r', 'r10', 'R1', '', '1r']) expect(texts.find(other)).toBeUndefined();
    expect(texts.add('r2')).toBe(1);
    expect(texts.find('r')).toBeUndefined();
  });

  it('matches a map over many texts of any length', () => {
    const random = createRandom(3);
    const texts = new TextSet();
    const known = new Map<string, number>();
    for (let round = 0; round < 20_000; round++) {
      const text =
        String(random.below(9_000)).repeat(1 + random.below(4)) + (round % 500 === 0 ? 'ü'.repeat(40_000) : '');
      const number = known.get(text) ?? known.size;
      expect(texts.find(text)).toBe(known.get(text));
      expect(texts.add(text)).toBe(number);
      known.set(text, number);
    }
    expect(texts.size).toBe(known.size);
    for (const [text, number] of known) expect(texts.at(number)).toBe(text);
  });
});

import { describe, expect, it } from 'bun:test';
import { createWaitingRows, type PlannedRow } from '../../../../src/transfer/import/row-scheduling.ts';

const row = (id: string, chars: number) => ({ plan: { id }, chars }) as PlannedRow;
const idsOf = (rows: readonly PlannedRow[]) => rows.map(({ plan }) => plan.id);

describe('rows that wait for their parents', () => {
  it('are released together, once', () => {
    const waiting = createWaitingRows(2_000);
    waiting.add('book', row('one', 10));
    waiting.add('other', row('three', 10));
    waiting.add('book', row('two', 10));
    expect(idsOf(waiting.take('book'))).toEqual(['one', 'two']);
    expect(waiting.take('book')).toEqual([]);
    expect(waiting.hasLost).toBe(false);
  });

  it('are dropped when they exceed the limit, oldest first', () => {
    const waiting = createWaitingRows(1_100);
    waiting.add('a', row('one', 60));
    waiting.add('b', row('two', 60));
    expect(waiting.hasLost).toBe(true);
    expect(waiting.take('a')).toEqual([]);
    expect(idsOf(waiting.take('b'))).toEqual(['two']);
  });

  it('are dropped when there are very many, even if they are short', () => {
    const waiting = createWaitingRows(5_000);
    for (let at = 0; at < 20; at++) waiting.add(String(at), row('one', 1));
    expect(waiting.hasLost).toBe(true);
    expect(waiting.take('0')).toEqual([]);
    expect(idsOf(waiting.take('19'))).toEqual(['one']);
  });

  it('free their space when they are released', () => {
    const waiting = createWaitingRows(1_100);
    for (let at = 0; at < 5; at++) {
      waiting.add('a', row('one', 60));
      waiting.take('a');
    }
    expect(waiting.hasLost).toBe(false);
  });
});

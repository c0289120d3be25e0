import { describe, expect, it } from 'bun:test';
import { arrangeMembers, mergeOrders, readOrder } from '../../../../src/pages/order/read-order.ts';
import { createRandom } from '../../../support/random.ts';

const order = (...typed: readonly (string | number)[]) => ({
  opened: '',
  entries: typed.map((each, at) => ({ id: at + 101, typed: String(each) })),
});

describe('an order', () => {
  it('is read from the fields of a form', () => {
    const fields = new URLSearchParams('opened=abc&position.7=2&other=9&position.5= 1 ');
    expect(readOrder(fields)).toEqual({
      opened: 'abc',
      entries: [
        { id: 7, typed: '2' },
        { id: 5, typed: '1' },
      ],
    });
  });

  it.each(['', 'position.0=1', 'position.-1=1', 'position.1e3=1', 'position.=1', 'position.4=1&position.4=2'])(
    'rejects the malformed field %p',
    (text) => {
      expect(() => readOrder(new URLSearchParams(text))).toThrow();
    },
  );

  it('moves members to typed positions, and keeps the order of the others', () => {
    expect(arrangeMembers(order(1, 2, 3, 4)).ids).toEqual([101, 102, 103, 104]);
    expect(arrangeMembers(order(1, 2, 3, 1)).ids).toEqual([104, 101, 102, 103]);
    expect(arrangeMembers(order(4, 2, 3, 4)).ids).toEqual([102, 103, 104, 101]);
    expect(arrangeMembers(order(4, 3, 2, 1)).ids).toEqual([104, 103, 102, 101]);
    // The second member stays where the first one is moved to.
    expect(arrangeMembers(order(2, 2, 3)).ids).toEqual([102, 101, 103]);
  });

  it('reports at most 20 problems, and the number of further ones', () => {
    const { messages } = arrangeMembers(order(...Array.from({ length: 30 }, () => 'x')));
    expect(messages).toHaveLength(21);
    expect(messages.at(-1)).toEqual({ message: 'There are 10 more such problems.' });
  });

  it('contains each member once for any typed positions', () => {
    const random = createRandom(7);
    for (let round = 0; round < 500; round++) {
      const count = 1 + random.below(8);
      const { ids, messages } = arrangeMembers(order(...Array.from({ length: count }, () => 1 + random.below(count))));
      expect([...ids].sort()).toEqual(Array.from({ length: count }, (_, at) => at + 101));
      if (messages.length === 0) expect(ids).not.toContain(undefined);
    }
  });
});

describe('the order of a form merged with the present members', () => {
  it('drops removed members, and puts added ones after their predecessors', () => {
    expect(mergeOrders([3, 1, 2], [1, 2, 3])).toEqual([3, 1, 2]);
    expect(mergeOrders([3, 1, 2], [1, 3])).toEqual([3, 1]);
    expect(mergeOrders([3, 1, 2], [9, 1, 7, 8, 2, 3])).toEqual([9, 3, 1, 7, 8, 2]);
    expect(mergeOrders([3, 1], [1, 3, 6])).toEqual([3, 6, 1]);
    expect(mergeOrders([3, 1], [])).toEqual([]);
  });
});

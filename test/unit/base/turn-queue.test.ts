import { describe, expect, it } from 'bun:test';
import { TurnQueue } from '../../../src/base/turn-queue.ts';

const queueOf = (maxLength: number, clients: string) => {
  const queue = new TurnQueue<{ client: string; at: number }>(maxLength);
  const dropped = [...clients].map((client, at) => queue.push({ client, at }));
  const rest = () => {
    const order: string[] = [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      queue.noteTurn(next.client);
      order.push(`${next.client}${next.at}`);
    }
    return order;
  };
  return { queue, dropped, rest };
};

describe('a queue of turns', () => {
  it('serves its clients in turns, and the entries of one in their order', () => {
    expect(queueOf(10, 'aaaabbc').rest()).toEqual(['a0', 'b4', 'c6', 'a1', 'b5', 'a2', 'a3']);
  });

  it('serves a client that has just had a turn after the others', () => {
    const { queue, rest } = queueOf(10, 'aab');
    queue.noteTurn('a');
    expect(rest()).toEqual(['b2', 'a0', 'a1']);
  });

  it('drops an entry of the client with the most when it is full', () => {
    const { dropped, rest } = queueOf(3, 'aaab');
    expect(dropped).toEqual([undefined, undefined, undefined, { client: 'a', at: 2 }]);
    expect(rest()).toEqual(['a0', 'b3', 'a1']);
  });

  it('drops the new entry of the client with the most, and of one with as many as others', () => {
    expect(queueOf(2, 'aaa').dropped.at(-1)).toEqual({ client: 'a', at: 2 });
    expect(queueOf(2, 'abc').dropped.at(-1)).toEqual({ client: 'c', at: 2 });
  });

  it('removes entries', () => {
    const { queue, rest } = queueOf(5, '');
    const [first, second] = [
      { client: 'a', at: 0 },
      { client: 'b', at: 1 },
    ];
    queue.push(first);
    queue.push(second);
    expect([queue.delete(first), queue.delete(first), queue.length]).toEqual([true, false, 1]);
    expect(queue.clear()).toEqual([second]);
    expect(rest()).toEqual([]);
  });
});

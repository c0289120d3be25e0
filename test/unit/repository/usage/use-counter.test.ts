import { describe, expect, it } from 'bun:test';
import { UseCounter } from '../../../../src/repository/usage/use-counter.ts';

const AGENT = 'Mozilla/5.0';
const USE = { kind: 'page', id: 7, userId: 0, peer: '192.0.2.1', forwarded: '' } as const;

function createCounter() {
  let now = 1_000;
  const counter = new UseCounter(
    (agent) => agent.includes('bot'),
    () => now,
  );
  return {
    counter,
    later: (seconds: number) => {
      now += seconds;
    },
  };
}

describe('A counter of uses', () => {
  it('keeps the last of repeated uses', () => {
    const { counter, later } = createCounter();
    for (const seconds of [0, 30, 31]) {
      later(seconds);
      counter.add(USE, AGENT);
    }
    expect(counter.take().uses.map(({ at }) => at)).toEqual([1_030, 1_061]);
    expect(counter.take().uses).toEqual([]);
  });

  it('tells visitors apart by connection, forwarded address, user agent and user', () => {
    const { counter } = createCounter();
    const all = [
      USE,
      { ...USE, peer: '192.0.2.2' },
      { ...USE, forwarded: '198.51.100.1' },
      { ...USE, peer: '192.0.2.2', forwarded: '198.51.100.1' },
      // The address of a direct visitor, told by another one.
      { ...USE, peer: '192.0.2.3', forwarded: '192.0.2.1' },
      { ...USE, userId: 3 },
    ];
    for (const use of [...all, ...all]) counter.add(use, AGENT);
    counter.add(USE, `${AGENT} X`);
    counter.add({ ...USE, userId: 3, peer: '192.0.2.9' }, AGENT);
    const { uses } = counter.take();
    expect(uses).toHaveLength(all.length + 1);
    expect(new Set(uses.map(({ visitor }) => visitor)).size).toBe(all.length + 1);
  });

  it('leaves out robots, and headers that no browser sends', () => {
    const { counter } = createCounter();
    counter.add(USE, 'a bot');
    counter.add(USE, 'x'.repeat(1_001));
    counter.add({ ...USE, forwarded: 'x'.repeat(1_001) }, AGENT);
    expect(counter.take().uses).toEqual([]);
  });

  it('announces many uses, and tells how many are lost beyond its limit', () => {
    const { counter } = createCounter();
    let announced = 0;
    counter.onMany(() => {
      announced += 1;
    });
    for (let id = 1; id <= 200_005; id += 1) counter.add({ ...USE, id }, AGENT);
    const { uses, lost } = counter.take();
    expect([uses.length, lost, announced]).toEqual([200_000, 5, 10]);
    counter.takeBack(uses.slice(3));
    expect(counter.take().uses).toHaveLength(199_997);
  });
});

import { beforeEach, describe, expect, it, jest } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { SharedComputations } from '../../../../src/iiif/image/shared-computations.ts';
import { failure } from '../../../support/rejection.ts';

/** A computation that has begun. */
interface Begun {
  readonly key: string;
  readonly signal: AbortSignal;
  end(): void;
}

let computations: SharedComputations;
let begun: Begun[];
beforeEach(() => {
  computations = new SharedComputations();
  begun = [];
});

/** Asks for the image of a key. */
function ask(key: string, network: string) {
  const controller = new AbortController();
  const done = computations.run(key, { signal: controller.signal, network }, (signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => reject(new Error('killed')));
    begun.push({ key, signal, end: resolve });
    return promise;
  });
  done.catch(() => {});
  return { done, leave: () => controller.abort() };
}

const keys = async () => {
  await setImmediate();
  return begun.map(({ key }) => key);
};
const end = (key: string) => begun.find((each) => each.key === key)?.end();

describe('shared computations', () => {
  it('are done once for all clients that wait', async () => {
    const clients = ['a', 'a', 'b'].map((network) => ask('1', network));
    expect(await keys()).toEqual(['1']);
    end('1');
    await Promise.all(clients.map(({ done }) => done));
    ask('1', 'a');
    expect(await keys()).toEqual(['1', '1']);
  });

  it('end when the last client has left, and begin anew for a later one', async () => {
    const [first, second] = [ask('1', 'a'), ask('1', 'b')];
    expect(await keys()).toEqual(['1']);
    first.leave();
    expect(await failure(first.done)).toMatchObject({ kind: 'client-gone' });
    expect(begun[0]?.signal.aborted).toBe(false);
    second.leave();
    expect(await failure(second.done)).toMatchObject({ kind: 'client-gone' });
    expect(begun[0]?.signal.aborted).toBe(true);
    ask('1', 'a');
    expect(await keys()).toEqual(['1', '1']);
  });

  it('take turns within a network, and do not wait for those of others', async () => {
    ask('1', 'a');
    ask('2', 'a');
    ask('3', 'b');
    expect(await keys()).toEqual(['1', '3']);
    end('1');
    expect(await keys()).toEqual(['1', '3', '2']);
  });

  it('begin for any network that waits for them', async () => {
    ask('1', 'a');
    ask('2', 'a');
    ask('2', 'b');
    expect(await keys()).toEqual(['1', '2']);
  });

  it('count for a network that waits for them when the first one has left', async () => {
    const first = ask('1', 'a');
    ask('1', 'b');
    await setImmediate();
    first.leave();
    await setImmediate();
    ask('2', 'b');
    ask('3', 'a');
    expect(await keys()).toEqual(['1', '3']);
  });

  it('do not begin if their clients have left before', async () => {
    ask('1', 'a');
    ask('2', 'a').leave();
    ask('3', 'a');
    await setImmediate();
    end('1');
    expect(await keys()).toEqual(['1', '3']);
  });

  it('free their turn when they fail', async () => {
    const { done } = ask('1', 'a');
    ask('2', 'a');
    await setImmediate();
    ask('1', 'a').leave();
    const failing = computations.run('3', { signal: new AbortController().signal, network: 'c' }, async () => {
      throw new Error('damaged');
    });
    await expect(failing).rejects.toThrow('damaged');
    ask('4', 'c');
    end('1');
    await done;
    expect(await keys()).toEqual(['1', '4', '2']);
  });

  it('are refused beyond 32 that wait for a network', async () => {
    const asked = Array.from({ length: 34 }, (_, index) => ask(String(index), 'a'));
    expect(await failure(asked[33]?.done as Promise<void>)).toMatchObject({
      kind: 'over-capacity',
      headers: { 'Retry-After': '5' },
    });
    ask('other', 'b');
    expect(await keys()).toEqual(['0', 'other']);
  });

  it('are refused after 30 seconds of waiting', async () => {
    jest.useFakeTimers();
    try {
      ask('1', 'a');
      const { done } = ask('2', 'a');
      jest.advanceTimersByTime(30_000);
      expect(await failure(done)).toMatchObject({ kind: 'over-capacity' });
      expect(begun.map(({ key }) => key)).toEqual(['1']);
    } finally {
      jest.useRealTimers();
    }
  });
});

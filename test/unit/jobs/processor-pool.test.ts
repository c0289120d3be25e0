import { afterEach, describe, expect, it, jest, spyOn } from 'bun:test';
import { JobFailure } from '../../../src/jobs/job-failure.ts';
import { createProcessorPool, type PoolChange, type PoolOptions } from '../../../src/jobs/processor-pool.ts';
import { freePort } from '../../support/free-port.ts';
import { call, readAll } from '../../support/processor-call.ts';
import { jobFailure } from '../../support/rejection.ts';
import { until } from '../../support/until.ts';

let stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

/** A pool that tells what happened to it. */
function poolOf(addresses: string[], options: Partial<PoolOptions> = {}) {
  const pool = createProcessorPool(addresses, {
    maxConcurrent: 10,
    rest: { firstMs: 100, longestMs: 150 },
    ...options,
  });
  const changes: PoolChange[] = [];
  pool.onChange((change) => changes.push(change));
  stops.push(() => pool.stop());
  return { ...pool, changes };
}

/** Starts jobs that run until the test ends them. */
function startJobs(pool: ReturnType<typeof poolOf>, count: number) {
  const addresses: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const ends = Array.from({ length: count }, () =>
    pool.run(async (address) => {
      addresses.push(address);
      await promise;
    }),
  );
  return {
    addresses,
    async end() {
      resolve();
      await Promise.all(ends);
    },
  };
}

const down = () => new JobFailure('not-now', 'It is down.', { isOfAddress: true, isUnasked: true });
const badFile = () => new JobFailure('passing', 'The command failed.', { status: 500 });

const fail = (pool: ReturnType<typeof poolOf>, failure: unknown) =>
  pool
    .run(async () => {
      throw failure;
    })
    .catch((error: unknown) => error);

/** Starts a processor on a port, which answers with this status. */
function startProcessor(port: number, status: () => number) {
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: () => new Response('a picture', { status: status(), headers: { 'Content-Type': 'image/jpeg' } }),
  });
  const stop = () => server.stop(true);
  stops.push(stop);
  return stop;
}

describe('the balance of a pool', () => {
  it('alternates between addresses with equally many jobs', async () => {
    const pool = poolOf(['a', 'b', 'c']);
    const { addresses, end } = startJobs(pool, 7);
    expect(addresses).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
    await end();
    const one = startJobs(pool, 1);
    expect(one.addresses).toEqual(['b']);
    await one.end();
  });

  it('prefers the address with the fewest jobs', async () => {
    const pool = poolOf(['a', 'b']);
    const first = startJobs(pool, 1);
    const second = startJobs(pool, 1);
    await first.end();
    const third = startJobs(pool, 1);
    const fourth = startJobs(pool, 1);
    expect([first, second, third, fourth].map(({ addresses }) => addresses)).toEqual([['a'], ['b'], ['a'], ['b']]);
    expect(pool.states()).toEqual([
      { address: 'a', running: 1, isOpen: false },
      { address: 'b', running: 2, isOpen: false },
    ]);
    await Promise.all([second.end(), third.end(), fourth.end()]);
  });

  it('limits the jobs over all addresses', async () => {
    const pool = poolOf(['a', 'b', 'a'], { maxConcurrent: 3 });
    expect(pool.free()).toBe(3);
    const { end } = startJobs(pool, 3);
    expect(pool.free()).toBe(0);
    const failure = await jobFailure(pool.run(async () => 'never'));
    expect(failure).toMatchObject({ kind: 'not-now', isOfAddress: false });
    await end();
    expect(pool.free()).toBe(3);
    expect(pool.states().map(({ address }) => address)).toEqual(['a', 'b']);
  });

  it('has no room without addresses', async () => {
    const pool = poolOf([]);
    expect(pool.free()).toBe(0);
    expect(await jobFailure(pool.run(async () => 'never'))).toMatchObject({ kind: 'not-now' });
  });

  it('passes on the result and the error of a job', async () => {
    const pool = poolOf(['a']);
    expect(await pool.run(async (address) => `made by ${address}`)).toBe('made by a');
    const error = new TypeError('a mistake');
    expect(await fail(pool, error)).toBe(error);
    expect(pool.states()).toEqual([{ address: 'a', running: 0, isOpen: false }]);
  });
});

describe('a job whose address is down', () => {
  it('is tried once at each address, and fails with the last error', async () => {
    const pool = poolOf(['a', 'b', 'c']);
    const asked: string[] = [];
    const failures = new Map(['a', 'b', 'c'].map((address) => [address, down()]));
    const run = pool.run(async (address) => {
      asked.push(address);
      throw failures.get(address);
    });
    expect(await run.catch((error: unknown) => error)).toBe(failures.get('c'));
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(pool.free()).toBe(10);
  });

  it('is not tried elsewhere if it may have started or was itself refused', async () => {
    const cutOff = new JobFailure('passing', 'The connection was interrupted.', { isOfAddress: true });
    const answered = new JobFailure('not-now', 'It says 503.', { isOfAddress: true });
    for (const failure of [
      cutOff,
      answered,
      badFile(),
      new JobFailure('not-now', 'It is full.', { retryAfterSeconds: 1 }),
    ]) {
      const pool = poolOf(['a', 'b']);
      let asked = 0;
      const run = pool.run(async () => {
        asked += 1;
        throw failure;
      });
      expect(await run.catch((error: unknown) => error)).toBe(failure);
      expect(asked).toBe(1);
    }
  });

  it('is not sent to a suspended address', async () => {
    const pool = poolOf(['a', 'b']);
    await fail(pool, new JobFailure('not-now', 'It is full.', { retryAfterSeconds: 60 }));
    const asked: string[] = [];
    const failure = down();
    const run = pool.run(async (address) => {
      asked.push(address);
      throw failure;
    });
    expect(await run.catch((error: unknown) => error)).toBe(failure);
    expect(asked).toEqual(['b']);
  });
});

describe('a circuit', () => {
  it('opens after three failures in a row, and other addresses get its jobs', async () => {
    const pool = poolOf(['a', 'b']);
    const failure = down();
    const made: string[] = [];
    for (let i = 0; i < 6; i += 1)
      await pool.run(async (address) => {
        if (address === 'a') throw failure;
        made.push(address);
      });
    expect(made).toEqual(['b', 'b', 'b', 'b', 'b', 'b']);
    expect(pool.changes).toEqual([{ address: 'a', change: 'opened', failure, restSeconds: 0.1 }]);
    expect(pool.states().map(({ isOpen }) => isOpen)).toEqual([true, false]);
    const { addresses, end } = startJobs(pool, 3);
    expect(addresses).toEqual(['b', 'b', 'b']);
    await end();
  });

  it('stays closed if any answer arrives between failures, even a failed command', async () => {
    const pool = poolOf(['a']);
    for (const failure of [down(), down(), badFile(), down(), down(), new Error('not saved'), down(), down()]) {
      await fail(pool, failure);
    }
    expect(pool.changes).toEqual([]);
    expect(pool.states()).toEqual([{ address: 'a', running: 0, isOpen: false }]);
  });

  it('leaves no room while all are open, and then room for one trial each', async () => {
    const pool = poolOf(['a', 'b']);
    for (let i = 0; i < 6; i += 1) await fail(pool, down());
    expect(pool.free()).toBe(0);
    await until(() => pool.changes.filter(({ change }) => change === 'rested').length === 2);
    expect(pool.free()).toBe(2);
    const { addresses, end } = startJobs(pool, 2);
    expect(addresses.toSorted()).toEqual(['a', 'b']);
    expect(pool.free()).toBe(0);
    await end();
    expect(pool.free()).toBe(10);
    expect(pool.changes.filter(({ change }) => change === 'closed')).toHaveLength(2);
  });

  it('closes as soon as the trial is answered', async () => {
    const pool = poolOf(['a']);
    for (let i = 0; i < 3; i += 1) await fail(pool, down());
    await until(() => pool.free() === 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const trial = pool.run(async (_, noteAnswer) => {
      noteAnswer();
      await promise;
      throw badFile();
    });
    // The end of the suspension may be reported after it.
    await until(() => pool.changes.some(({ change }) => change === 'closed'));
    expect(pool.free()).toBe(9);
    resolve();
    expect(await jobFailure(trial)).toMatchObject({ status: 500 });
    expect(pool.states()).toEqual([{ address: 'a', running: 0, isOpen: false }]);
  });

  it('rests longer after each failed trial, up to the maximum', async () => {
    const pool = poolOf(['a']);
    for (let i = 0; i < 3; i += 1) await fail(pool, down());
    for (let trial = 1; trial <= 2; trial += 1) {
      await until(() => pool.free() === 1);
      await fail(pool, down());
      expect(pool.free()).toBe(0);
    }
    const rests = pool.changes.flatMap((change) => (change.change === 'opened' ? [change.restSeconds] : []));
    expect(rests).toEqual([0.1, 0.15, 0.15]);
  });

  it('reports nothing after the pool is stopped', async () => {
    jest.useFakeTimers();
    const pool = poolOf(['a']);
    for (let i = 0; i < 3; i += 1) await fail(pool, down());
    pool.stop();
    jest.advanceTimersByTime(1_000);
    expect(pool.free()).toBe(1);
    jest.useRealTimers();
    expect(pool.changes.map(({ change }) => change)).toEqual(['opened']);
  });
});

describe('a clock that is set back by two months', () => {
  const setBack = () => {
    const now = Date.now.bind(Date);
    return spyOn(Date, 'now').mockImplementation(() => now() - 60 * 86_400_000);
  };

  it('does not prolong the rest of a failed address', async () => {
    const pool = poolOf(['a']);
    for (let i = 0; i < 3; i += 1) await fail(pool, down());
    const clock = setBack();
    try {
      await until(() => pool.free() > 0);
      expect(await pool.run(async (address) => address)).toBe('a');
      expect(pool.states()).toEqual([{ address: 'a', running: 0, isOpen: false }]);
    } finally {
      clock.mockRestore();
    }
  });

  it('does not prolong the rest of an address with Retry-After', async () => {
    const pool = poolOf(['a']);
    await fail(pool, new JobFailure('not-now', 'Full.', { status: 503, retryAfterSeconds: 0.1 }));
    const clock = setBack();
    try {
      await until(() => pool.changes.length > 0);
      expect(pool.changes).toEqual([{ address: 'a', change: 'rested' }]);
      expect(pool.free()).toBe(10);
    } finally {
      clock.mockRestore();
    }
  });
});

describe('an address that returns Retry-After', () => {
  const full = () => new JobFailure('not-now', 'Full.', { status: 503, retryAfterSeconds: 0.1 });

  it('is suspended for that time, while others continue', async () => {
    const pool = poolOf(['a', 'b']);
    await fail(pool, full());
    const { addresses, end } = startJobs(pool, 2);
    expect(addresses).toEqual(['b', 'b']);
    expect(pool.states().map(({ isOpen }) => isOpen)).toEqual([false, false]);
    await until(() => pool.changes.length > 0);
    expect(pool.changes).toEqual([{ address: 'a', change: 'rested' }]);
    const next = startJobs(pool, 1);
    expect(next.addresses).toEqual(['a']);
    await Promise.all([end(), next.end()]);
  });

  it('leaves no room if it is the only one', async () => {
    const pool = poolOf(['a']);
    await fail(pool, full());
    expect(pool.free()).toBe(0);
    await until(() => pool.free() === 10);
  });
});

describe('a pool of real processors', () => {
  it('uses the running ones, and includes one again after it returns', async () => {
    const [firstPort, secondPort] = [await freePort(), await freePort()];
    const [first, second] = [`http://127.0.0.1:${firstPort}/`, `http://127.0.0.1:${secondPort}/`];
    startProcessor(firstPort, () => 200);
    const stopSecond = startProcessor(secondPort, () => 200);
    // Long enough for the calls before the second processor returns.
    const pool = poolOf([first, second], { rest: { firstMs: 500, longestMs: 500 } });
    const make = () => pool.run(async (address) => [address, await readAll(await call(address))]);
    expect(await make()).toEqual([first, 'a picture']);
    expect(await make()).toEqual([second, 'a picture']);

    await stopSecond();
    const made = await Promise.all(Array.from({ length: 6 }, make));
    expect(made).toEqual(Array.from({ length: 6 }, () => [first, 'a picture']));
    expect(pool.changes).toMatchObject([{ address: second, change: 'opened', failure: { kind: 'not-now' } }]);
    expect(await make()).toEqual([first, 'a picture']);

    startProcessor(secondPort, () => 200);
    await until(() => pool.changes.some(({ change }) => change === 'rested'));
    expect([(await make())[0], (await make())[0]].toSorted()).toEqual([first, second].toSorted());
    expect(pool.changes.map(({ change }) => change)).toEqual(['opened', 'rested', 'closed']);
  });

  it('suspends a proxy without a processor, but not for failed commands', async () => {
    const port = await freePort();
    let status = 500;
    startProcessor(port, () => status);
    const pool = poolOf([`http://127.0.0.1:${port}/`]);
    const make = () => jobFailure(pool.run(async (address) => readAll(await call(address))));
    for (let i = 0; i < 4; i += 1) await make();
    expect(pool.states()[0]?.isOpen).toBe(false);
    status = 502;
    for (let i = 0; i < 3; i += 1) await make();
    expect(pool.states()[0]?.isOpen).toBe(true);
    expect(pool.free()).toBe(0);
  });
});

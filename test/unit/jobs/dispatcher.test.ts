import { afterEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../../../src/base/log.ts';
import { createEmbeddedExecutor } from '../../../src/jobs/create-executors.ts';
import { type Dispatcher, type DispatcherParts, startDispatcher } from '../../../src/jobs/dispatcher.ts';
import type { ClaimedJob } from '../../../src/jobs/job.ts';
import type { Outbox } from '../../../src/jobs/outbox.ts';
import { DEFAULT_PACE } from '../../../src/jobs/outbox.ts';
import { until } from '../../support/until.ts';

const ENOUGH = 20;

const lines: string[] = [];
const released: number[] = [];
let dispatcher: Dispatcher;
let tell = () => {};
afterEach(async () => {
  await dispatcher.stop(0);
  lines.length = 0;
  released.length = 0;
});

function start(parts: Pick<DispatcherParts, 'work'> & Pick<Outbox, 'claim'>): void {
  const processor = {
    maxConcurrent: 1,
    call: () => Promise.reject(new Error('nobody calls')),
    missingFor: () => [],
    onChange: () => {},
  };
  const executor = createEmbeddedExecutor(processor, undefined);
  const outbox = {
    claim: parts.claim,
    findDue: async (pools: readonly string[]) => new Set(pools),
    renew: async () => [],
    release: async (jobs: readonly ClaimedJob[]) => void released.push(...jobs.map(({ id }) => id)),
  };
  dispatcher = startDispatcher({
    outbox: outbox as unknown as Outbox,
    watch(listener) {
      tell = listener;
      return { isTold: true, close: () => {} };
    },
    executors: new Map([
      ['endless', executor],
      ['other', executor],
    ]),
    work: parts.work,
    upkeep: async () => {},
    pace: DEFAULT_PACE,
    log: createLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } }),
  });
}

describe('pools with the same executor', () => {
  it('are served in turn, even if one of them is endless', async () => {
    const done: string[] = [];
    const enough = Promise.withResolvers<void>();
    let id = 0;
    start({
      claim: async (pool) => [{ id: ++id, action: pool } as ClaimedJob],
      work: (job, executor) =>
        executor.run(async () => {
          if (done.push(job.action) === ENOUGH) enough.resolve();
          await setImmediate();
        }),
    });
    await enough.promise;
    expect(done.slice(0, ENOUGH).filter((pool) => pool === 'other')).toHaveLength(ENOUGH / 2);
  });
});

describe('a queue that cannot be read', () => {
  it('is logged once, not after each write', async () => {
    start({ claim: () => Promise.reject(new Error('the disk is full')), work: async () => {} });
    for (let writes = 0; writes < ENOUGH; writes++) {
      await setImmediate();
      tell();
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('cannot read the queue');
  });
});

describe('quick jobs', () => {
  /** Does a few, and then holds on to the only place. Answers the ids that were begun. */
  async function holdPlace(): Promise<number[]> {
    const begun: number[] = [];
    const held = Promise.withResolvers<void>();
    let id = 0;
    start({
      claim: async (_pool, limit) => Array.from({ length: limit }, () => ({ id: ++id }) as ClaimedJob),
      work: (job, executor, signal) =>
        executor.run(async () => {
          if (begun.push(job.id) < ENOUGH) return setImmediate();
          held.resolve();
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        }),
    });
    await held.promise;
    return begun;
  }

  it('are claimed ahead, and released when the program stops', async () => {
    const begun = await holdPlace();
    await dispatcher.stop(0);
    expect(released.length).toBeGreaterThan(0);
    expect(new Set(begun).isDisjointFrom(new Set(released))).toBe(true);
    expect(begun).toHaveLength(ENOUGH);
  });

  it('are released to other workers if no place is free', async () => {
    await holdPlace();
    await until(() => released.length > 0);
    expect(dispatcher.running).toBe(1);
  });
});

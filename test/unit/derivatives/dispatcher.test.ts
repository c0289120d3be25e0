import { afterEach, describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../../../src/base/log.ts';
import { type Dispatcher, type DispatcherParts, startDispatcher } from '../../../src/derivatives/dispatcher.ts';
import { createEmbeddedMaker } from '../../../src/derivatives/embedded-maker.ts';
import type { ClaimedJob } from '../../../src/derivatives/job.ts';
import type { Outbox } from '../../../src/derivatives/outbox.ts';
import { USUAL_PACE } from '../../../src/derivatives/pace.ts';

const ENOUGH = 20;

const lines: string[] = [];
let dispatcher: Dispatcher;
let tell = () => {};
afterEach(async () => {
  await dispatcher.stop(0);
  lines.length = 0;
});

function start(parts: Pick<DispatcherParts, 'work'> & Pick<Outbox, 'claim'>): void {
  const processor = {
    maxConcurrent: 1,
    call: () => Promise.reject(new Error('nobody calls')),
    missingFor: () => [],
    onChange: () => {},
  };
  const maker = createEmbeddedMaker(processor, undefined);
  const outbox = {
    claim: parts.claim,
    findDue: async (pools: readonly string[]) => new Set(pools),
    renew: async () => [],
    release: async () => {},
  };
  dispatcher = startDispatcher({
    outbox: outbox as unknown as Outbox,
    watch(listener) {
      tell = listener;
      return { isTold: true, close: () => {} };
    },
    makers: new Map([
      ['endless', maker],
      ['other', maker],
    ]),
    work: parts.work,
    upkeep: async () => {},
    pace: USUAL_PACE,
    log: createLog({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } }),
  });
}

describe('pools with the same maker', () => {
  it('are served in turn, however much there is in one of them', async () => {
    const done: string[] = [];
    const enough = Promise.withResolvers<void>();
    let id = 0;
    start({
      claim: async (pool) => [{ id: ++id, action: pool } as ClaimedJob],
      work: (job, maker) =>
        maker.run(async () => {
          if (done.push(job.action) === ENOUGH) enough.resolve();
          await setImmediate();
        }),
    });
    await enough.promise;
    expect(done.slice(0, ENOUGH).filter((pool) => pool === 'other')).toHaveLength(ENOUGH / 2);
  });
});

describe('a queue that cannot be read', () => {
  it('is not told of as often as somebody writes', async () => {
    start({ claim: () => Promise.reject(new Error('the disk is full')), work: async () => {} });
    for (let writes = 0; writes < ENOUGH; writes++) {
      await setImmediate();
      tell();
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the queue cannot be read at present');
  });
});

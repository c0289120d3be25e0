import { describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../src/base/errors.ts';
import { createLog } from '../../../src/base/log.ts';
import { keepWorking, type Work, type WorkFailures } from '../../../src/runs/keep-working.ts';
import { createWaker } from '../../../src/runs/waker.ts';
import type { LogLine } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

const HOUR_MS = 3_600_000;

/** Starts work whose steps have the given outcomes, and then nothing to do. */
function start(outcomes: (boolean | Error)[], options: Partial<Work> = {}) {
  const control = new AbortController();
  const lines: LogLine[] = [];
  let steps = 0;
  const work: Work = {
    failure: 'this cannot be done at present',
    lookMs: HOUR_MS,
    async step() {
      steps += 1;
      const outcome = outcomes.shift() ?? false;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    ...options,
  };
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const failures: WorkFailures = new Map();
  const ended = keepWorking(work, log, control.signal, failures);
  return {
    failures,
    steps: () => steps,
    messages: () => lines.map(({ level, msg }) => [level, msg]),
    async stop() {
      control.abort(new Error('the server stops'));
      await ended;
    },
  };
}

describe('keepWorking', () => {
  it('does the steps that there are, and those of the next look', async () => {
    const outcomes = [true, true, false];
    const working = start(outcomes, { lookMs: 5 });
    await until(() => working.steps() === 3);
    outcomes.push(true, false);
    await until(() => working.steps() > 5);
    await working.stop();
    const done = working.steps();
    await Bun.sleep(20);
    expect({ steps: working.steps(), messages: working.messages() }).toEqual({ steps: done, messages: [] });
  });

  it('looks at once when it is woken, even during a step', async () => {
    const waker = createWaker();
    const step = Promise.withResolvers<boolean>();
    let looks = 0;
    const working = start([], {
      waker,
      step() {
        looks += 1;
        return looks === 1 ? step.promise : Promise.resolve(false);
      },
    });
    await until(() => looks === 1);
    waker.wake();
    step.resolve(false);
    await until(() => looks === 2);
    waker.wake();
    await until(() => looks === 3);
    await working.stop();
  });

  it('waits before its first look', async () => {
    const working = start([], { firstMs: HOUR_MS });
    await Bun.sleep(20);
    await working.stop();
    expect(working.steps()).toBe(0);
  });

  it('logs a failure once until it changes, and goes on', async () => {
    const full = new Error('the disk is full');
    const working = start([full, full, new Error('the disk is gone'), new Error('the disk is gone')], { lookMs: 1 });
    await until(() => working.steps() > 5);
    await working.stop();
    const warning = ['warn', 'this cannot be done at present'];
    expect(working.messages()).toEqual([warning, warning]);
  });

  it('reports a failure, with its time, until a step succeeds', async () => {
    const outcomes: (boolean | Error)[] = [new Error('the disk is full')];
    const waker = createWaker();
    const working = start(outcomes, { waker });
    await until(() => working.failures.size > 0);
    expect([...working.failures]).toEqual([
      ['this cannot be done at present', { reason: 'the disk is full', since: expect.any(Number) }],
    ]);
    waker.wake();
    await until(() => working.failures.size === 0);
    await working.stop();
  });

  it('logs a failure again after a success', async () => {
    const full = new Error('the disk is full');
    const working = start([full, false, full], { lookMs: 1 });
    await until(() => working.steps() > 3);
    await working.stop();
    expect(working.messages()).toHaveLength(2);
  });

  it('says nothing of work that another process does', async () => {
    const working = start([new ServiceError('conflict', 'Another process has taken over.')], { lookMs: 1 });
    await until(() => working.steps() > 1);
    await working.stop();
    expect(working.messages()).toEqual([]);
  });

  it('ends although steps remain', async () => {
    const working = start([], { step: async () => Bun.sleep(1).then(() => true) });
    await Bun.sleep(10);
    await working.stop();
    expect(working.messages()).toEqual([]);
  });
});

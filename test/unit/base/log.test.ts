import { describe, expect, it } from 'bun:test';
import { Writable } from 'node:stream';
import pino from 'pino';
import { createLog, type LogLevel, logFacts } from '../../../src/base/log.ts';

function collect(level: LogLevel) {
  const lines: string[] = [];
  return { lines, log: createLog({ level, format: 'json', destination: { write: (line) => void lines.push(line) } }) };
}

describe('a JSON log', () => {
  it('writes one line of JSON with level, time and facts', () => {
    const { lines, log } = collect('info');
    log.warn({ status: 400, text: 'two\nlines' }, 'GET / 400');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toEndWith('}\n');
    expect(lines[0]?.trimEnd()).not.toContain('\n');
    const { time, ...line } = JSON.parse(lines[0] ?? '');
    expect(line).toEqual({ level: 'warn', status: 400, text: 'two\nlines', msg: 'GET / 400' });
    expect(new Date(time).toISOString()).toBe(time);
  });

  it('writes the facts of its context before those of the line', () => {
    const { lines, log } = collect('info');
    log.child({ part: 'processor' }).info({ status: 200, client: undefined }, 'GET / 200');
    expect(lines[0]).toMatch(/^{"level":"info","time":"[^"]+","part":"processor","status":200,"msg":"GET \/ 200"}\n$/);
  });

  it.each(['info', 'warn', 'error'] as const)('writes all facts of a line as it would one by one: %s', (level) => {
    const { lines, log } = collect('info');
    const facts = { path: '/a "b"\n\u2028é', status: 200, client: undefined, failure: { kind: 'x', cause: null } };
    for (const each of [log, log.child({ part: 'processor' }), log.child({ part: 'a' }).child({ worker: 2 })]) {
      each[level](facts, 'GET / 200');
      logFacts(each, level, facts, 'GET / 200');
    }
    const bare = lines.map((line) => line.replace(/"time":"[^"]+"/, ''));
    expect(bare).toHaveLength(6);
    for (const index of [0, 2, 4]) expect(bare[index + 1]).toBe(bare[index] ?? '');
  });

  it('omits facts below its level, and writes facts to a log of another program', () => {
    const { lines, log } = collect('error');
    logFacts(log, 'warn', { status: 400 }, 'GET / 400');
    expect(lines).toEqual([]);
    const foreign = pino({ base: null }, { write: (line) => void lines.push(line) });
    logFacts(foreign, 'info', { status: 200 }, 'GET / 200');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ status: 200, msg: 'GET / 200' });
  });

  it('writes a line without facts, and an empty line', () => {
    const { lines, log } = collect('info');
    log.info('ready');
    log.info({});
    const [ready, nothing] = lines.map((line) => JSON.parse(line));
    expect(ready).toEqual({ level: 'info', time: expect.any(String), msg: 'ready' });
    expect(nothing).toEqual({ level: 'info', time: expect.any(String) });
  });

  it('writes a list of facts by index', () => {
    const { lines, log } = collect('info');
    log.info(['first', 'second']);
    log.info([]);
    const [list, none] = lines.map((line) => JSON.parse(line));
    expect(list).toEqual({ level: 'info', time: expect.any(String), 0: 'first', 1: 'second' });
    expect(none).toEqual({ level: 'info', time: expect.any(String) });
  });

  it('logs the kind, message and stack of an error', () => {
    const { lines, log } = collect('info');
    log.error({ err: new RangeError('too much'), scheme: 'public' }, 'it failed');
    log.error(new TypeError('too little'));
    const [told, alone] = lines.map((line) => JSON.parse(line));
    expect(told).toMatchObject({
      scheme: 'public',
      msg: 'it failed',
      err: { type: 'RangeError', message: 'too much' },
    });
    expect(told.err.stack).toContain('log.test.ts');
    expect(alone).toMatchObject({ msg: 'too little', err: { type: 'TypeError', message: 'too little' } });
  });

  it('writes facts without a JSON form as text', () => {
    const { lines, log } = collect('info');
    const circle: Record<string, unknown> = { name: 'circle' };
    circle.self = circle;
    log.info({ circle }, 'round');
    log.info({ count: 2n ** 60n }, 'many');
    const [round, many] = lines.map((line) => JSON.parse(line));
    expect(round).toMatchObject({ circle: { name: 'circle', self: '[Circular]' }, msg: 'round' });
    expect(many).toMatchObject({ msg: 'many' });
    expect(lines[1]).toContain('1152921504606846976');
  });

  it.each([
    ['info', 2],
    ['error', 1],
    ['silent', 0],
    ['trace', 3],
  ] as const)('of level %s writes %i of the lines debug, info and error', (level, count) => {
    const { lines, log } = collect(level);
    log.debug('a');
    log.info('b');
    log.error('c');
    expect(lines).toHaveLength(count);
  });
});

it('a JSON log of a killed process contains all lines up to the last error', () => {
  const script = `
    import { createLog } from '${import.meta.dir}/../../../src/base/log.ts';
    const log = createLog({ level: 'info', format: 'json' });
    log.info('before');
    log.error('an error');
    log.info('after');
    process.kill(process.pid, 'SIGKILL');
  `;
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script]);
  const lines = stdout.toString().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['before', 'an error']);
});

it('a text log has one line with message and facts, without JSON', () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => done(void lines.push(String(chunk)) as undefined),
  });
  createLog({ level: 'info', format: 'pretty', destination }).info({ status: 200 }, 'GET / 200');
  const text = lines.join('');
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: GET \/ 200 .*"?status"?:\s*200/);
  expect(text.trimEnd()).not.toContain('\n');
});

describe('a log whose output cannot be written', () => {
  const run = (format: string, redirection: string) => {
    const script = `
      import { setImmediate } from 'node:timers/promises';
      import { createLog } from '${import.meta.dir}/../../../src/base/log.ts';
      const log = createLog({ level: 'info', format: '${format}' });
      for (let count = 0; count < 5; count++) { log.info('x'.repeat(9000)); await setImmediate(); }
      process.exitCode = 12;
    `;
    return Bun.spawnSync(['sh', '-c', `"$0" -e "$1" ${redirection}`, process.execPath, script]);
  };

  it.each(['json', 'pretty'])('reports the error once and lets the program continue: %s', (format) => {
    const { exitCode, stderr } = run(format, '> /dev/full');
    expect(stderr.toString()).toMatch(/^The log cannot be written at present: .*ENOSPC.*\n$/);
    expect(exitCode).toBe(12);
  });

  it.each(['json', 'pretty'])('writes the buffered lines when space is available again: %s', (format) => {
    const script = `
      import fs from 'node:fs';
      import { createLog } from '${import.meta.dir}/../../../src/base/log.ts';
      import { until } from '${import.meta.dir}/../../support/until.ts';
      const log = createLog({ level: 'info', format: '${format}' });
      let writes = 0;
      const say = async (text) => {
        const before = writes;
        log.info(text);
        await until(() => writes > before);
      };
      const { writeSync } = fs;
      let isFull = true;
      fs.writeSync = (...of) => {
        writes += 1;
        if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        return writeSync(...of);
      };
      for (const count of [1, 2]) {
        isFull = true;
        await say('full ' + count);
        await say('still full ' + count);
        isFull = false;
        await say('room ' + count);
      }
      log.info('the end');
    `;
    const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', script]);
    expect(stderr.toString()).toBe('The log cannot be written at present: ENOSPC\n'.repeat(2));
    const [time, rest] = format === 'json' ? ['.*"msg":"', '"}\n'] : ['\\[.*\\] INFO: ', '\n'];
    const texts = ['full 1', 'still full 1', 'room 1', 'full 2', 'still full 2', 'room 2', 'the end'];
    expect(stdout.toString()).toMatch(new RegExp(`^${texts.map((text) => time + text + rest).join('')}$`));
  });

  it('lets the program continue if the error cannot be reported either', () => {
    expect(run('json', '> /dev/full 2>&1').exitCode).toBe(12);
  });
});

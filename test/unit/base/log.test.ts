import { describe, expect, it } from 'bun:test';
import { Writable } from 'node:stream';
import { createLog, type LogLevel } from '../../../src/base/log.ts';

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

  it.each([
    ['info', 2],
    ['error', 1],
    ['silent', 0],
    ['trace', 3],
  ] as const)('of level %s writes %i of debug, info and error', (level, count) => {
    const { lines, log } = collect(level);
    log.debug('a');
    log.info('b');
    log.error('c');
    expect(lines).toHaveLength(count);
  });
});

it('a log for people has one line with message and facts, and no JSON', () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => done(void lines.push(String(chunk)) as undefined),
  });
  createLog({ level: 'info', format: 'pretty', destination }).info({ status: 200 }, 'GET / 200');
  const text = lines.join('');
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: GET \/ 200 .*"?status"?:\s*200/);
  expect(text.trimEnd()).not.toContain('\n');
});

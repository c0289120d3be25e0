import { describe, expect, it } from 'bun:test';
import { countsLine, jobTable } from '../../../src/cli/job-text.ts';
import type { JobJson } from '../../../src/representation/derivative-json.ts';

const NOW = Date.parse('2026-01-02T00:00:00.000Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

function job(facts: Partial<JobJson> = {}): JobJson {
  return {
    id: 1,
    event_id: '01890000-0000-7000-8000-000000000000',
    action: 'make_it',
    node: 4,
    media: 5,
    user: 1,
    state: 'queued',
    attempts: 0,
    created: at(-600),
    started: null,
    ended: null,
    due: null,
    status: null,
    message: null,
    stderr: null,
    source_type: 'image/png',
    ...facts,
  };
}

/** The column WHEN of one job. */
function whenOf(facts: Partial<JobJson>): string | undefined {
  const [head, row] = jobTable([job(facts)], NOW, undefined);
  return row?.slice(head?.indexOf('WHEN')).trim();
}

describe('the line of counts', () => {
  it('lists every state, even without jobs', () => {
    const counts = { queued: 12, running: 1, waiting: 0, failed: 3, done: 1000, cancelled: 0 };
    expect(countsLine(counts)).toBe('12 queued, 1 running, 0 waiting, 3 failed, 1000 done, 0 cancelled');
  });
});

describe('the table of jobs', () => {
  it('is empty without jobs', () => {
    expect(jobTable([], NOW, 80)).toEqual([]);
  });

  it('aligns its columns, with numbers at the right', () => {
    const jobs = [
      job({ id: 1234, state: 'failed', attempts: 5, started: at(-180), message: 'It answered 500.' }),
      job({ id: 7, action: 'a_longer_name', node: 100, due: at(40) }),
    ];
    expect(jobTable(jobs, NOW, undefined)).toEqual([
      '  ID  STATE   ACTION         NODE  TRIES  WHEN       MESSAGE',
      '1234  failed  make_it           4      5  3 min ago  It answered 500.',
      '   7  queued  a_longer_name   100      0  in 40 s',
    ]);
  });

  it.each([
    ['the output of a failed command', 'The command failed.', 'Incorrect password', 'Incorrect password'],
    [
      'the whole message if it contains that output',
      'It answered 500: No pixels',
      'No pixels',
      'It answered 500: No pixels',
    ],
    ['the message if the command wrote no output', 'It sent an empty answer.', null, 'It sent an empty answer.'],
  ])('shows %s', (_, message, stderr, shown) => {
    const [, row] = jobTable([job({ state: 'failed', message, stderr })], NOW, undefined);
    expect(row).toEndWith(`ago  ${shown}`);
  });

  it.each<[Partial<JobJson>, string]>([
    [{ due: at(0.2) }, 'in 1 s'],
    [{ due: at(3_700) }, 'in 1 h'],
    [{ due: at(-90) }, 'due 1 min ago'],
    [{ state: 'running', started: at(-5.9) }, 'for 5 s'],
    [{ state: 'waiting' }, '10 min ago'],
    [{ state: 'failed', started: at(-86_400) }, '1 d ago'],
    [{ state: 'done', started: at(-50), ended: at(-7_200) }, '2 h ago'],
    [{ state: 'cancelled', ended: at(5) }, '0 s ago'],
  ])('describes the time of %j as %s', (facts, words) => {
    expect(whenOf(facts)).toBe(words);
  });

  it('cuts messages to the width of a terminal, and is complete elsewhere', () => {
    const jobs = [job({ state: 'failed', message: 'The processor is on strike. '.repeat(20) })];
    const lines = jobTable(jobs, NOW, 72);
    expect(lines.map((line) => Bun.stringWidth(line)).filter((width) => width > 72)).toEqual([]);
    expect(lines[1]).toMatch(/ The processor is.*…$/);
    expect(jobTable(jobs, NOW, undefined)[1]).toEndWith('strike.');
  });

  it('measures the columns of characters, not their number', () => {
    const [, row] = jobTable([job({ state: 'failed', message: '日本語'.repeat(40) })], NOW, 72);
    expect(Bun.stringWidth(row ?? '')).toBeWithin(70, 73);
  });

  it('shows the start of a message on a narrow terminal', () => {
    const [, row] = jobTable([job({ state: 'failed', message: 'On strike again' })], NOW, 20);
    expect(row).toEndWith('On strike…');
  });

  it('escapes control sequences in a message', () => {
    const message = 'first\nsecond\u001b[2J\u009b31m\u202ethird\r';
    const lines = jobTable([job({ state: 'failed', message, action: 'a\u001b[1mb' })], NOW, undefined);
    expect(lines).toHaveLength(2);
    expect(lines[1]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines[1]).toEndWith('first second [2J 31m third');
  });
});

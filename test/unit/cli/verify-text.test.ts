import { describe, expect, it } from 'bun:test';
import { planLine, problemLine, reportLines, runLine, scopeText } from '../../../src/cli/verify-text.ts';
import type { FixityReport } from '../../../src/upkeep/fixity/verify-report.ts';
import type { VerifyRun } from '../../../src/upkeep/fixity/verify-run.ts';

const RUN: VerifyRun = {
  id: 1,
  scope: {},
  position: 9,
  lastId: 9,
  total: 9,
  checked: 9,
  bytes: 1_234_567,
  damaged: 1,
  missing: 2,
  unreadable: 0,
  startedAt: 1_763_800_000,
  endedAt: 1_763_803_600,
  isUnderWay: false,
};
const NOTHING: FixityReport = {
  plan: undefined,
  open: [],
  last: undefined,
  files: 1,
  outcomes: { intact: 0, damaged: 0, missing: 0, unreadable: 0 },
  neverChecked: 1,
};

describe('the report of a check', () => {
  it('shows the result', () => {
    expect(runLine(RUN)).toBe('Checked 9 files, 1.2 MB: 6 intact, 1 damaged, 2 missing, 0 unreadable.');
  });

  it.each([
    [{}, 'all files'],
    [{ store: 's3' }, 'all files in s3'],
    [{ sample: { percent: 0.5 } }, '0.5% of the files, chosen at random'],
    [{ sample: { files: 1 }, store: 's3' }, '1 file in s3, chosen at random'],
  ])('shows the scope of %j', (scope, text) => {
    expect(scopeText(scope)).toBe(text);
  });

  it('names a file in one line without control characters', () => {
    const problem = { id: 7, uri: 'public://a\u001b[2J\nb', outcome: 'missing', detail: 'gone', at: 0 } as const;
    expect(problemLine(problem)).toBe('file 7, public://a [2J b: missing; gone');
  });

  it.each([
    [{ everySeconds: 2_592_000, bytesPerSecond: 20e6 }, 'all files, every 30 days, at most 20.0 MB/s'],
    [{ everySeconds: 3_600, bytesPerSecond: 500, store: 'a' }, 'all files in a, every 1 hour, at most 500 bytes/s'],
    [{ everySeconds: 5_400, bytesPerSecond: 1e6 }, 'all files, every 90 minutes, at most 1.0 MB/s'],
  ])('describes the scheduled checks', (plan, text) => {
    expect(planLine(plan)).toBe(`Schedule: ${text}.`);
  });

  it('reports that no check was recorded', () => {
    expect(reportLines(NOTHING)).toEqual([
      '1 file: 0 intact, 0 damaged, 0 missing, 0 unreadable in the last check; 1 never checked.',
      'No check is complete yet.',
      'Schedule: none.',
    ]);
  });

  it('distinguishes running, interrupted and scheduled checks', () => {
    const { endedAt: _, ...rest } = RUN;
    const open = { ...rest, endedAt: undefined, total: 20 };
    const report: FixityReport = {
      ...NOTHING,
      last: RUN,
      open: [
        { ...open, isUnderWay: true },
        { ...open, isUnderWay: false },
        { ...open, isUnderWay: false, scope: { isScheduled: true } },
      ],
    };
    const [, last, ...lines] = reportLines(report);
    expect(last).toStartWith('Last check, ended 2025-11-22 09:26:40Z: all files. Checked 9 files');
    expect(lines.map((line) => line.slice(0, 18))).toEqual([
      'Running, started 2',
      'Interrupted, start',
      'Started by the sch',
      'Schedule: none.',
    ]);
    expect(lines[0]).toEndWith('0 unreadable. 20 in total.');
  });
});

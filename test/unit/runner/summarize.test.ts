import { describe, expect, it } from 'bun:test';
import { type FileResult, readReport } from '../../runner/read-report.ts';
import type { Outcome } from '../../runner/run-files.ts';
import { failedFiles, summarize } from '../../runner/summarize.ts';

const suite = { name: 'test', places: ['unit'], processesPerCore: 1 };
const passed: FileResult = { tests: 2, skipped: 0, failed: [] };
const failed: FileResult = { tests: 2, skipped: 0, failed: ['a thing > works'] };

interface Ending {
  readonly ending?: string;
  readonly files?: string[];
  readonly errors?: number;
}

function outcome(results: Record<string, FileResult>, { ending, files, errors = 0 }: Ending = {}) {
  const all = files ?? Object.keys(results);
  const times = { seconds: 1, processorSeconds: 2 };
  return { suite, files: all, results: new Map(Object.entries(results)), errors, ending, ...times } satisfies Outcome;
}

describe('the report of a run', () => {
  it('is read by file, with the full names of failed tests', () => {
    const report = readReport(`<?xml version="1.0"?><testsuites tests="3">
      <testsuite name="a.test.ts" file="a.test.ts"><testsuite name="a thing"><testsuite name="at night">
        <testcase name="works &amp; rests"><failure type="Error" message="no" /></testcase></testsuite>
        <testcase name="waits"><skipped /></testcase></testsuite></testsuite>
      <testsuite name="b.test.ts" file="b.test.ts"><testcase name="works" /></testsuite></testsuites>`);
    expect([...report]).toEqual([
      ['a.test.ts', { tests: 2, skipped: 1, failed: ['a thing > at night > works & rests'] }],
      ['b.test.ts', { tests: 1, skipped: 0, failed: [] }],
    ]);
  });

  it('is empty when no test ran', () => {
    expect([...readReport('<testsuites></testsuites>')]).toEqual([]);
  });
});

describe('the summary of a run', () => {
  it('counts the tests of all files last', () => {
    const { lines, isGreen } = summarize([outcome({ a: passed, b: passed })], []);
    expect(lines).toEqual(['test: 1 s, 2 s of processor time', '4 passed, 0 failed']);
    expect(isGreen).toBe(true);
  });

  it('names a test that passed only when run again before the count, and is green', () => {
    const first = outcome({ a: failed, b: passed }, { ending: 'exit code 1' });
    expect(failedFiles(first)).toEqual([{ suite, files: ['a'] }]);
    const { lines, isGreen } = summarize([first], [outcome({ a: passed })]);
    expect(lines.slice(1)).toEqual(['Passed only when run again: test a: a thing > works', '4 passed, 0 failed']);
    expect(isGreen).toBe(true);
  });

  it('is red when a test fails twice', () => {
    const first = outcome({ a: failed, b: passed }, { ending: 'exit code 1' });
    const { lines, isGreen } = summarize([first], [outcome({ a: failed }, { ending: 'exit code 1' })]);
    expect(lines.slice(1)).toEqual(['Failed: test a: a thing > works', '3 passed, 1 failed']);
    expect(isGreen).toBe(false);
  });

  it('is red when another test of the file fails in the second run', () => {
    const other = { ...failed, failed: ['another thing'] };
    const { lines, isGreen } = summarize([outcome({ a: failed })], [outcome({ a: other })]);
    expect(lines.slice(1)).toEqual(['Failed: test a: another thing', '1 passed, 1 failed']);
    expect(isGreen).toBe(false);
  });

  it('runs files without a report again after a crash', () => {
    const first = outcome({ a: passed }, { ending: 'SIGSEGV', files: ['a', 'b'] });
    expect(failedFiles(first)).toEqual([{ suite, files: ['b'] }]);
    expect(summarize([first], []).lines.slice(1)).toEqual([
      'Failed: test b: has no report: SIGSEGV',
      '2 passed, 1 failed',
    ]);
  });

  it('runs every file again after a failure outside of tests', () => {
    const first = outcome({ a: passed, b: passed }, { ending: 'exit code 1' });
    expect(failedFiles(first)).toEqual([
      { suite, files: ['a'] },
      { suite, files: ['b'] },
    ]);
  });

  it('runs every file again after an error outside of tests, even beside a failed test', () => {
    const first = outcome({ a: failed, b: passed }, { ending: 'exit code 1', errors: 1 });
    expect(failedFiles(first).map(({ files }) => files)).toEqual([['a'], ['b']]);
  });

  it('runs only the file again that cannot be loaded', () => {
    const first = outcome({ a: passed }, { ending: 'exit code 1', errors: 1, files: ['a', 'b'] });
    expect(failedFiles(first).map(({ files }) => files)).toEqual([['b']]);
  });

  it('is red when a test is skipped, or when none ran', () => {
    expect(summarize([outcome({ a: { ...passed, skipped: 1 } })], []).isGreen).toBe(false);
    expect(summarize([outcome({})], []).isGreen).toBe(false);
  });
});

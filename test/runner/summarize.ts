import type { FileResult } from './read-report.ts';
import type { Outcome } from './run-files.ts';
import type { Run } from './suites.ts';

/** Returns a run for each file that has failed. */
export function failedFiles(outcome: Outcome): Run[] {
  const { suite } = outcome;
  return resultsOf(outcome).flatMap(([file, { failed }]) => (failed.length > 0 ? [{ suite, files: [file] }] : []));
}

/**
 * Returns the last lines of suites that ran, and whether all tests passed in the end. `again` has the second results of files
 * that failed, which replace the first ones.
 */
export function summarize(
  first: readonly Outcome[],
  again: readonly Outcome[],
): { readonly lines: string[]; readonly isGreen: boolean } {
  const second = new Map(again.flatMap(named));
  const counts = { tests: 0, skipped: 0, failed: 0 };
  const [late, failures]: [string[], string[]] = [[], []];
  for (const [name, before] of first.flatMap(named)) {
    const { tests, skipped, failed } = second.get(name) ?? before;
    counts.tests += tests;
    counts.skipped += skipped;
    counts.failed += failed.length;
    failures.push(...failed.map((test) => `Failed: ${name}: ${test}`));
    if (failed.length === 0) late.push(...before.failed.map((test) => `Passed only when run again: ${name}: ${test}`));
  }
  if (counts.skipped > 0) failures.push(`Failed: ${counts.skipped} tests were skipped`);
  const passed = Math.max(0, counts.tests - counts.failed - counts.skipped);
  return {
    lines: [...first.map(timesOf), ...failures, ...late, `${passed} passed, ${counts.failed} failed`],
    isGreen: failures.length === 0 && passed > 0,
  };
}

function named(outcome: Outcome) {
  return resultsOf(outcome).map(([file, result]) => [`${outcome.suite.name} ${file}`, result] as const);
}

/** The results by file, with what the report lacks: files that it does not have, and failures outside of tests. */
function resultsOf({ files, results, errors, ending }: Outcome): [string, FileResult][] {
  const lacking = files.filter((file) => !results.has(file));
  const hasFailure = lacking.length > 0 || [...results.values()].some(({ failed }) => failed.length > 0);
  // A file that cannot be loaded is one error, and lacks a report. Any file may have caused another error outside of tests.
  const isUnclear = errors > lacking.length || (ending !== undefined && !hasFailure);
  return files.map((file) => {
    const result = results.get(file) ?? { tests: 1, skipped: 0, failed: [`has no report: ${ending ?? 'no tests'}`] };
    const isSuspect = isUnclear && result.failed.length === 0;
    return [file, isSuspect ? { ...result, failed: [`an error outside of tests: ${ending}`] } : result];
  });
}

function timesOf({ suite, seconds, processorSeconds }: Outcome): string {
  return `${suite.name}: ${seconds.toFixed(0)} s, ${processorSeconds.toFixed(0)} s of processor time`;
}

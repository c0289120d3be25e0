/**
 * Runs test suites one after another (`bun test/runner/main.ts test e2e`), or one file or folder (`bun test/runner/main.ts
 * test/http/search`). Each file of a suite that has failed, or has no report because the process crashed, runs once more,
 * alone, after all others: the tests of a file may build on each other. The last line is the count of tests.
 */
import { availableParallelism } from 'node:os';
import { endAll, type Outcome, runFiles } from './run-files.ts';
import { isSuite, type Run, runOf } from './suites.ts';
import { failedFiles, summarize } from './summarize.ts';

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
const names = Bun.argv.slice(2);
const runs = runsOf(names);
const first: Outcome[] = [];
for (const run of runs) first.push(await runFiles(run, Math.ceil(availableParallelism() * run.suite.processesPerCore)));
const again: Outcome[] = [];
if (names.every(isSuite)) for (const run of first.flatMap(failedFiles)) again.push(await runFiles(run, 1));
const { lines, isGreen } = summarize(first, again);
console.log(lines.join('\n'));
process.exitCode = isGreen ? 0 : 1;

function runsOf(all: readonly string[]): Run[] {
  try {
    return all.map(runOf);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

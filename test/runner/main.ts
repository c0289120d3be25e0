/**
 * Runs test suites one after another: `bun test/runner/main.ts test e2e`. Each file that has failed, or has no report
 * because the process crashed, runs once more, alone, after all others: the tests of a file may build on each other. The last
 * line is the count of tests.
 */
import { availableParallelism } from 'node:os';
import { type Outcome, runFiles } from './run-files.ts';
import { filesOf, SUITES } from './suites.ts';
import { failedFiles, summarize } from './summarize.ts';

/** Tests also wait: for children, disks and retries. */
const PROCESSES = availableParallelism() * 2;

const names = Bun.argv.slice(2);
const suites = names.map((name) => SUITES.find((suite) => suite.name === name));
if (names.length === 0 || suites.includes(undefined)) {
  console.error(`Usage: bun test/runner/main.ts SUITE…   Suites: ${SUITES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const first: Outcome[] = [];
for (const suite of suites)
  if (suite !== undefined) first.push(await runFiles({ suite, files: filesOf(suite) }, PROCESSES));
const again: Outcome[] = [];
for (const run of first.flatMap(failedFiles)) again.push(await runFiles(run, 1));
const { lines, isGreen } = summarize(first, again);
console.log(lines.join('\n'));
process.exitCode = isGreen ? 0 : 1;

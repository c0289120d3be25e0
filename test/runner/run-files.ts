import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killGroup } from '../support/kill-group.ts';
import { type FileResult, readReport } from './read-report.ts';
import { ROOT, type Run } from './suites.ts';

/** Allows for real faults: KILL follows five seconds after TERM. */
export const TIMEOUT_FLAG = '--timeout=30000';
/** For processes of Bun: the header size of the executable (src/build/compile.ts), for tests that run from source. */
export const BUN_OPTIONS = '--max-http-header-size=2097152';

export interface Outcome extends Run {
  /** By file. A file without a report is missing: the runner ended before it. */
  readonly results: ReadonlyMap<string, FileResult>;
  /** The number of errors outside of tests, such as those of files that cannot be loaded. */
  readonly errors: number;
  /** How the runner ended if not with success. */
  readonly ending: string | undefined;
  readonly seconds: number;
  /** Processor time, with that of all children. */
  readonly processorSeconds: number;
}

/** The process group of the tests that run. */
let running: number | undefined;

/** Ends the tests that run, with all processes that they have started. */
export function endAll(): void {
  if (running !== undefined) killGroup(running);
  running = undefined;
}

/**
 * Runs test files in `processes` processes of `bun test`, shows their failures, and reads the report. What they leave in the
 * folder for temporary files, and their children, end with them.
 */
export async function runFiles({ suite, files }: Run, processes: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'repo-run-'));
  const report = join(folder, 'report.xml');
  const startedAt = performance.now();
  const isShared = processes > 1 && files.length > 1;
  const parallel = isShared ? [`--parallel=${processes}`, '--no-isolate', '--only-failures'] : [];
  const child = Bun.spawn(
    [
      ...[process.execPath, 'test', ...parallel, TIMEOUT_FLAG],
      ...(suite.flags ?? []),
      ...['--reporter=junit', `--reporter-outfile=${report}`, ...files.map((file) => `./${file}`)],
    ],
    {
      cwd: ROOT,
      env: { ...process.env, BUN_OPTIONS, TMPDIR: folder, ...suite.env },
      stdio: ['ignore', 'inherit', 'pipe'],
      // A group of its own, whose end ends the servers that tests have left.
      detached: true,
    },
  );
  running = child.pid;
  const [errors, code] = await Promise.all([showAndCountErrors(child.stderr), child.exited]);
  endAll();
  const xml = await readFile(report, 'utf8').catch(() => '<testsuites></testsuites>');
  await rm(folder, { recursive: true, force: true });
  return {
    ...{ suite, files, errors, results: readReport(xml) },
    ending: code === 0 ? undefined : `${child.signalCode ?? `exit code ${code}`}`,
    seconds: (performance.now() - startedAt) / 1_000,
    processorSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
  };
}

/** Shows what `bun test` writes, and returns the number of errors that it counts in the end: the report has none of them. */
async function showAndCountErrors(stream: ReadableStream<Uint8Array>): Promise<number> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    process.stderr.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return Number(/^ (\d+) errors?$/m.exec(text)?.[1] ?? 0);
}

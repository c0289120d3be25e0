import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BUN_OPTIONS, TIMEOUT_FLAG } from '../../runner/run-files.ts';
import { runOf } from '../../runner/suites.ts';
import { emptyFolder } from '../empty-folder.ts';
import { killGroup } from '../kill-group.ts';
import { testsOf } from './parts.ts';
import type { Mutant } from './pick-mutants.ts';

/** Folders that are linked, since no test writes to them. */
const LINKED = ['node_modules', 'dist'];
const LEFT_OUT = ['.git', '.bun', 'data'];
/** Maximum time for the tests of a mutant. One that needs longer hangs. */
const TIME_OUT_MS = 120_000;

/** The result of tests: what failed first, or undefined if all passed. */
export type Failure = string | undefined;

/** A copy of the checkout in which sources are changed and tests run. It is removed when this process exits. */
export interface CopiedCheckout {
  /** Runs files and folders of `test` until one fails. */
  run(tests: readonly string[], signal?: AbortSignal): Promise<Failure>;
  /** Runs the tests of a mutant, and restores its file. */
  judge(mutant: Mutant): Promise<Failure>;
}

/** The process groups of tests that run now. */
const running = new Set<number>();
process.on('exit', () => running.forEach(killGroup));

export async function copyCheckout(): Promise<CopiedCheckout> {
  const parent = await emptyFolder();
  const folder = join(parent, 'checkout');
  // Within the folder, so that nothing of a killed test stays.
  const temporary = join(parent, 'tmp');
  await mkdir(temporary);
  const kept = new Set([...LINKED, ...LEFT_OUT].map((name) => resolve(name)));
  await cp('.', folder, { recursive: true, filter: (path) => !kept.has(resolve(path)) });
  for (const name of LINKED) await symlink(resolve(name), join(folder, name));

  async function run(tests: readonly string[], signal?: AbortSignal): Promise<Failure> {
    for (const test of tests) {
      const failure = await runTest(folder, temporary, test, signal);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  return {
    run,
    async judge({ part, file, text }) {
      const path = join(folder, file);
      const original = await readFile(path);
      await writeFile(path, text);
      try {
        const mirror = file.replace(/^src/, 'unit').replace(/\.tsx?$/, '.test.ts');
        const tests = [...(existsSync(join(folder, 'test', mirror)) ? [mirror] : []), ...testsOf(part, file)];
        return await run(tests, AbortSignal.timeout(TIME_OUT_MS));
      } finally {
        await writeFile(path, original);
      }
    },
  };
}

async function runTest(folder: string, temporary: string, test: string, signal?: AbortSignal): Promise<Failure> {
  const path = `test/${test}`;
  const { flags = [] } = runOf(path).suite;
  const child = Bun.spawn([process.execPath, 'test', TIMEOUT_FLAG, '--bail', ...flags, `./${path}`], {
    cwd: folder,
    env: { ...process.env, BUN_OPTIONS, TMPDIR: temporary, FORCE_COLOR: '0' },
    stdout: 'ignore',
    stderr: 'pipe',
    detached: true,
  });
  running.add(child.pid);
  const end = () => killGroup(child.pid);
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  const output = await new Response(child.stderr).text();
  const code = await child.exited;
  signal?.removeEventListener('abort', end);
  // Servers that the tests started, if they could not stop them.
  end();
  running.delete(child.pid);
  if (signal?.aborted) return `time-out of ${TIME_OUT_MS / 1_000} s`;
  return code === 0 ? undefined : firstFailure(output, test);
}

/** Returns the name of the first failed test, or the error that kept them from running. */
function firstFailure(output: string, test: string): string {
  const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1];
  return `${test}: ${failed ?? /^error: .*$/m.exec(output)?.[0] ?? 'no test ran'}`;
}

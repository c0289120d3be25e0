import { afterAll, afterEach, beforeAll } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

const MACHINE_TMP = tmpdir();

/** The resources of a process that a finished request must have released. */
export interface Holdings {
  descriptors: number;
  /** The folder for temporary files of the service and its commands only. */
  temporaryFolder: string;
}

/**
 * Checks after each test of a file that no child and no temporary file is left, and at the end that descriptors are closed.
 * `warmUp` makes a request, so that the runtime has opened its own before. `stop` ends the service. Returns a function for
 * the holdings before the first test.
 */
export function checkLeftovers(warmUp: () => Promise<Response>, stop: () => Promise<void>): () => Holdings {
  let before: Holdings;
  beforeAll(async () => {
    await (await warmUp()).text();
    before = takeStock();
  });
  afterEach(() => expectNothingLeft(before));
  afterAll(async () => {
    await stop();
    await until(() => childProcesses().length === 0);
    await closeStock(before);
  });
  return () => before;
}

/** Remembers what is held now, to be compared with `expectNothingLeft` later. */
function takeStock(): Holdings {
  const temporaryFolder = mkdtempSync(join(MACHINE_TMP, 'repo-stock-'));
  process.env.TMPDIR = temporaryFolder;
  return { descriptors: openDescriptors(), temporaryFolder };
}

/** The descriptors that the runtime may keep open, with idle connections of the tests' client. */
const RUNTIME_DESCRIPTORS = 8;

/**
 * Waits until the descriptors of many requests are given back. A leak of one for each request would
 * be far more than the runtime's own few.
 */
export async function expectDescriptorsBack(before: Holdings): Promise<void> {
  await until(() => openDescriptors() <= before.descriptors + RUNTIME_DESCRIPTORS);
}

/** Ends a stock-taking: checks the descriptors once more and lets temporary files go where they went before. */
async function closeStock(before: Holdings): Promise<void> {
  await expectDescriptorsBack(before);
  process.env.TMPDIR = MACHINE_TMP;
  rmSync(before.temporaryFolder, { recursive: true });
}

/** Waits until neither a child nor a temporary file is left. */
async function expectNothingLeft(before: Holdings): Promise<void> {
  await until(() => livingChildren().length === 0);
  await until(() => readdirSync(before.temporaryFolder).length === 0);
}

/** Returns the command lines of this process's children without zombies. */
function childProcesses(): string[] {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-o', 'ppid=,stat=,args=']);
  return stdout
    .toString()
    .split('\n')
    .map((row) => row.trim().match(/^(\d+)\s+(\S+)\s+(.*)$/))
    .filter((row) => row !== null)
    .map(([, parent, stat, args]) => ({ parent, stat, args: args as string }))
    .filter(
      ({ parent, stat, args }) => parent === `${process.pid}` && !stat?.startsWith('Z') && !args.startsWith('ps -A'),
    )
    .map(({ args }) => args);
}

/** Returns the command lines of commands that a processor of this process runs, not of its watcher, which outlives them. */
export function livingChildren(): string[] {
  return childProcesses().filter((args) => !args.includes('repo-watch'));
}

/** Returns true if any process of the machine has a text in its command line. */
export function isRunning(marker: string): boolean {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-o', 'stat=,args=']);
  return stdout
    .toString()
    .split('\n')
    .some((row) => row.includes(marker) && !row.trim().startsWith('Z'));
}

function openDescriptors(): number {
  return readdirSync('/dev/fd').length;
}

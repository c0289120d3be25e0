import { afterAll, afterEach, beforeAll } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './test-processor.ts';

const MACHINE_TMP = tmpdir();

/** What a process holds that a finished request must have given back. */
export interface Holdings {
  descriptors: number;
  /** Where the service and its commands make temporary files from now on; nothing else does. */
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

/** What the runtime itself may open once and keep, and the idle connections of the tests' own client. */
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

/** Waits until no child is there, and makes sure that no temporary file is. */
async function expectNothingLeft(before: Holdings): Promise<void> {
  await until(() => livingChildren().length === 0);
  const left = readdirSync(before.temporaryFolder);
  if (left.length > 0) throw new Error(`temporary files are left: ${left.join(', ')}`);
}

/** The command lines of this process's children and theirs, zombies aside. */
export function livingChildren(root = process.pid): string[] {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid=,pgid=,stat=,args=']);
  const rows = stdout
    .toString()
    .split('\n')
    .map((row) => row.trim().match(/^(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/))
    .filter((row) => row !== null)
    .map(([, pid, parent, group, stat, args]) => ({ pid, parent, group, stat, args: args as string }))
    .filter((row) => !row.stat?.startsWith('Z') && !row.args.startsWith('ps -A'));
  const children = rows.filter((row) => row.parent === String(root));
  return children.map((row) => row.args);
}

/** Whether any process, whoever its parent is, has this in its command line. */
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

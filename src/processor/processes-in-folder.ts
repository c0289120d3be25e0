import { readdir, readFile, readlink } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';
import { isGroupAlive, killProcessGroup } from './process-group.ts';

const PROCESSES = '/proc';
/** Field 5 of proc_pid_stat(5), counted from behind the command, which may itself hold spaces. */
const GROUP_FIELD = 5 - 3;
/** How long killed processes are waited for. */
const MAX_WAIT_MS = 5_000;
const CHECK_EVERY_MS = 20;

/**
 * Kills the process groups of every process that works in a folder, or has it as `TMPDIR`, and waits for their end.
 * Where the system has no /proc, nothing is found.
 */
export async function killProcessesIn(folder: string): Promise<void> {
  const groups = new Set<number>();
  for (const pid of await processIds()) {
    const group = (await isIn(folder, pid)) ? await groupOf(pid) : undefined;
    if (group !== undefined) groups.add(group);
  }
  groups.delete(1);
  for (const group of groups) killProcessGroup(group);
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  while ([...groups].some(isGroupAlive) && performance.now() < giveUpAt) await Bun.sleep(CHECK_EVERY_MS);
}

async function processIds(): Promise<string[]> {
  return ((await unlessGone(readdir(PROCESSES))) ?? []).filter((name) => /^\d+$/.test(name));
}

async function isIn(folder: string, pid: string): Promise<boolean> {
  const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
  // The folder may have been removed already, which the system then says behind its name.
  if (isBelow((await unlessGone(readlink(`${PROCESSES}/${pid}/cwd`))) ?? '')) return true;
  const environment = (await unlessGone(readFile(`${PROCESSES}/${pid}/environ`, 'latin1'))) ?? '';
  return environment.split('\0').some((each) => each.startsWith('TMPDIR=') && isBelow(each.slice('TMPDIR='.length)));
}

async function groupOf(pid: string): Promise<number | undefined> {
  const stat = await unlessGone(readFile(`${PROCESSES}/${pid}/stat`, 'latin1'));
  const group = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[GROUP_FIELD]);
  return Number.isSafeInteger(group) && group > 0 ? group : undefined;
}

/** Processes come and go, and those of other users are closed to us: undefined then. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

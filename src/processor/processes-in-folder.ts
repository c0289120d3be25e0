import { readdir, readFile, readlink } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';
import { isGroupAlive, killProcessGroup } from './process-group.ts';

const PROCESSES = '/proc';
/** The index of field 5 of proc_pid_stat(5) after the command (field 2), which may contain spaces. */
const GROUP_FIELD = 5 - 3;
/** Maximum wait for the end of killed processes. */
const MAX_WAIT_MS = 5_000;
const CHECK_EVERY_MS = 20;

/**
 * Kills the process group of every process whose current directory or `TMPDIR` is in a folder, and waits for their
 * end. Finds none on a system without /proc.
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
  // For a removed folder the system appends " (deleted)" to its name.
  if (isBelow((await unlessGone(readlink(`${PROCESSES}/${pid}/cwd`))) ?? '')) return true;
  const environment = (await unlessGone(readFile(`${PROCESSES}/${pid}/environ`, 'latin1'))) ?? '';
  return environment.split('\0').some((each) => each.startsWith('TMPDIR=') && isBelow(each.slice('TMPDIR='.length)));
}

async function groupOf(pid: string): Promise<number | undefined> {
  const stat = await unlessGone(readFile(`${PROCESSES}/${pid}/stat`, 'latin1'));
  const group = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[GROUP_FIELD]);
  return Number.isSafeInteger(group) && group > 0 ? group : undefined;
}

/** Returns undefined if the process has ended or belongs to another user. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

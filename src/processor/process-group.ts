import { readdir, readFile, readlink } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';

/** The time that a child has to end after SIGTERM, in milliseconds. */
const KILL_AFTER_MS = 5_000;
/** Maximum wait for a killed group: in a container without an init, zombies may keep it alive for ever. */
const GIVE_UP_AFTER_MS = KILL_AFTER_MS + 500;
const CHECK_EVERY_MS = 50;

/**
 * Ends every process of a group: TERM, then KILL after five seconds. Resolves when all have ended. On POSIX the leader's
 * pid identifies the group. Windows has no groups: `taskkill` ends the process tree.
 */
export async function endProcessGroup(leaderPid: number): Promise<void> {
  if (process.platform === 'win32') {
    const stdio = ['ignore', 'ignore', 'ignore'] as const;
    await Bun.spawn(['taskkill', '/pid', String(leaderPid), '/t', '/f'], { stdio: [...stdio] }).exited;
    return;
  }
  if (!signalGroup(leaderPid, 'SIGTERM')) return;
  const startedAt = performance.now();
  const ended = Promise.withResolvers<void>();
  // Watched closely: five seconds later, the number could belong to another group.
  const timer = setInterval(() => {
    const waitedMs = performance.now() - startedAt;
    if (signalGroup(leaderPid, waitedMs >= KILL_AFTER_MS ? 'SIGKILL' : 0) && waitedMs < GIVE_UP_AFTER_MS) return;
    clearInterval(timer);
    ended.resolve();
  }, CHECK_EVERY_MS);
  await ended.promise;
}

/** Returns true if any process of a group is left, the leader or its descendants. */
export function isGroupAlive(leaderPid: number): boolean {
  return process.platform !== 'win32' && signalGroup(leaderPid, 0);
}

/** Kills every process of a group at once. */
export function killProcessGroup(leaderPid: number): void {
  if (process.platform === 'win32') void endProcessGroup(leaderPid);
  else signalGroup(leaderPid, 'SIGKILL');
}

/** Signals a group. Returns false if it has ended or belongs to another user. */
function signalGroup(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leaderPid, signal);
    return true;
  } catch (error) {
    // EPERM: macOS for a group of zombies, and every system for processes of other users.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

const PROCESSES = '/proc';
/** The index of field 5 of proc_pid_stat(5) after the command (field 2), which may contain spaces. */
const GROUP_FIELD = 5 - 3;
/** Maximum wait for the end of killed processes. */
const MAX_WAIT_MS = 5_000;
const KILL_CHECK_MS = 20;

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
  while ([...groups].some(isGroupAlive) && performance.now() < giveUpAt) await Bun.sleep(KILL_CHECK_MS);
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

/** The time that a child has to end after SIGTERM, in milliseconds. */
const KILL_AFTER_MS = 5_000;
/** Maximum wait for a killed group: in a container without an init, zombies may keep it alive for ever. */
const GIVE_UP_AFTER_MS = KILL_AFTER_MS + 500;
const CHECK_EVERY_MS = 50;

/**
 * Ends every process of a group: TERM, then KILL after five seconds. Resolves when none is
 * left. The leader's pid names the group on POSIX; Windows has no groups; there `taskkill` ends the tree.
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

/** How long a child may take to leave after SIGTERM. */
const KILL_AFTER_MS = 5_000;
const CHECK_EVERY_MS = 50;

/**
 * Ends every process of a group: TERM, then KILL after five seconds (decisions: "Processor"). The
 * leader's pid names the group on POSIX; Windows knows no groups and has a tool that ends a tree.
 */
export function endProcessGroup(leaderPid: number): void {
  if (process.platform === 'win32') {
    Bun.spawn(['taskkill', '/pid', String(leaderPid), '/t', '/f'], { stdio: ['ignore', 'ignore', 'ignore'] });
    return;
  }
  if (!signalGroup(leaderPid, 'SIGTERM')) return;
  const killAt = performance.now() + KILL_AFTER_MS;
  // Watched closely rather than killed blindly: five seconds on, the number could be someone else's.
  const timer = setInterval(() => {
    const isLate = performance.now() >= killAt;
    const isAlive = signalGroup(leaderPid, isLate ? 'SIGKILL' : 0);
    if (isLate || !isAlive) clearInterval(timer);
  }, CHECK_EVERY_MS);
}

/** Whether any process of a group is left, the leader or what it started. */
export function isGroupAlive(leaderPid: number): boolean {
  return process.platform !== 'win32' && signalGroup(leaderPid, 0);
}

/** Kills every process of a group at once. */
export function killProcessGroup(leaderPid: number): void {
  if (process.platform === 'win32') endProcessGroup(leaderPid);
  else signalGroup(leaderPid, 'SIGKILL');
}

/** Signals a group; false if there is no such group any more, or none that is ours to end. */
function signalGroup(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leaderPid, signal);
    return true;
  } catch (error) {
    // EPERM is what macOS says of a group in which only zombies are left, and every system of strangers' processes.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

/** Ends the processes of a group that still run, by SIGKILL. The id is that of the process that was started `detached`. */
export function killGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch (error) {
    // All have ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

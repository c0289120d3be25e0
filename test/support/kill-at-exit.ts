import type { Subprocess } from 'bun';

const running = new Set<Subprocess>();
let isWatching = false;

/** Ends a process with the process of the tests, even if that is interrupted. */
export function killAtExit(child: Subprocess): void {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const each of running) each.kill('SIGKILL');
  });
}

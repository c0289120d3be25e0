import type { Subprocess } from 'bun';

const running = new Set<Subprocess>();
let isWatching = false;

/** Sees to it that a process ends with the tests, even with tests that break off. */
export function remember(child: Subprocess): void {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const each of running) each.kill('SIGKILL');
  });
}

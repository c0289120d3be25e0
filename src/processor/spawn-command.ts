import type { CommandDefinition } from './config/commands.ts';
import { commandNotStarted } from './errors.ts';

/** Error messages of programs without memory. None of them has another cause. */
const OUT_OF_MEMORY =
  /out of (memory|space)|cannot allocate|allocation (failed|failure)|failed to allocate|memory exhausted|bad_alloc|MemoryError|heap exhausted/i;

export interface CommandStart {
  command: CommandDefinition;
  args: readonly string[];
  /** The whole environment of the child. */
  env: Record<string, string>;
  /** The working folder of the run: its `TMPDIR` and, unless `cwd` says otherwise, its current directory. */
  folder: string;
  /** The current directory for scripts of the original service, which name files relative to it. */
  cwd?: string | undefined;
  /** Removes the folder. Called once no process of the run is left. */
  cleanUp(): Promise<void>;
}

/** Starts the program of a command as leader of a new process group. Throws `misconfigured` if it cannot be run. */
export function spawnCommand({ command, args, env, folder, cwd = folder }: CommandStart) {
  try {
    return Bun.spawn([...memoryLimiting(command), command.program, ...args], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...env, TMPDIR: command.env.TMPDIR ?? folder },
      cwd,
      detached: true,
    });
  } catch (cause) {
    throw commandNotStarted(cause);
  }
}

/** Returns the words before a program that start it with its `maxMemoryBytes`. */
function memoryLimiting({ maxMemoryBytes, memoryLimiter }: CommandDefinition): string[] {
  // Not the address space: runtimes reserve far more of it than they use.
  return maxMemoryBytes === undefined || memoryLimiter === undefined
    ? []
    : [memoryLimiter, `--data=${maxMemoryBytes}`, '--'];
}

/**
 * Returns true if the standard error of a failed command reports a lack of memory. There is no signal or exit code for
 * it: each program fails in its own way.
 */
export function isOutOfMemory({ memoryLimiter }: CommandDefinition, stderr: string): boolean {
  return memoryLimiter !== undefined && OUT_OF_MEMORY.test(stderr);
}

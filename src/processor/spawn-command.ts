import { memoryLimiting } from './command-limits.ts';
import type { CommandDefinition } from './commands.ts';
import { commandNotStarted } from './errors.ts';

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

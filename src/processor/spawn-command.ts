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
  /** The current directory of scripts that were written for the original service, which names files beside them. */
  cwd?: string | undefined;
  /** Called once no process of the run is left. */
  tidy(): Promise<void>;
}

/** Starts the program of a command as leader of a group of its own. Throws `misconfigured` if it cannot be run. */
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

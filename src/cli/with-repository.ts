import type { Command } from 'commander';
import type { Log } from '../base/log.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { attempt, EXIT, type ExitCode } from './attempt.ts';
import { overridesFrom, type SettingFlags } from './settings.ts';

/** Loads the configuration of the flags for some work, with a log of warnings. Returns the exit code of the work. */
export function withConfig(
  flags: SettingFlags,
  command: Command,
  work: (config: ServerConfig, log: Log) => Promise<ExitCode>,
): Promise<ExitCode> {
  const overrides = overridesFrom(flags, command);
  return attempt(async () => {
    const [{ createLog }, { loadServerConfig }, { enterDataFolder }] = await Promise.all([
      import('../base/log.ts'),
      import('../config/load-server-config.ts'),
      import('../server/enter-data-folder.ts'),
    ]);
    const config = await loadServerConfig(flags.config, overrides);
    enterDataFolder(config);
    return work(config, createLog({ level: 'warn', format: 'pretty' }));
  });
}

/**
 * Opens the repository of the flags for some work. Returns the exit code: a failure if the work returns false, or has read a
 * damaged text from the database.
 */
export function withRepository(
  flags: SettingFlags,
  command: Command,
  work: (repository: CommandRepository) => Promise<unknown>,
  options: { readonly hasStores?: boolean } = {},
): Promise<ExitCode> {
  return withConfig(flags, command, async (config, log) => {
    const { openRepositoryForCommand } = await import('../server/open-repository-for-command.ts');
    const repository = await openRepositoryForCommand(config, log, options);
    try {
      const isDone = (await work(repository)) !== false;
      return isDone && repository.services.database.damages.count === 0 ? EXIT.ok : EXIT.failure;
    } finally {
      await repository.close();
    }
  });
}

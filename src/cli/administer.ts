import type { Command } from 'commander';
import type { Administration, AdministrationOptions } from '../modes/administration.ts';
import { attempt } from './attempt.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { overridesFrom, type SettingFlags } from './settings.ts';

/** Opens the repository that the flags name, does something with it, and closes it. Answers the exit code. */
export function administer(
  flags: SettingFlags,
  command: Command,
  work: (repository: Administration) => Promise<void>,
  options: AdministrationOptions = {},
): Promise<ExitCode> {
  const overrides = overridesFrom(flags, command);
  return attempt(async () => {
    const [{ createLog }, { loadServerConfig }, { openAdministration }] = await Promise.all([
      import('../base/log.ts'),
      import('../modes/load-repository-config.ts'),
      import('../modes/administration.ts'),
    ]);
    const config = await loadServerConfig(flags.config, overrides);
    const repository = await openAdministration(config, createLog({ level: 'warn', format: 'pretty' }), options);
    try {
      await work(repository);
    } finally {
      await repository.close();
    }
    return EXIT.ok;
  });
}

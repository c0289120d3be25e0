import { Command } from 'commander';
import { attempt } from './attempt.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { overridesFrom, type SettingFlags, settingOptions } from './settings.ts';

interface MigrateFlags extends SettingFlags {
  dropFields?: boolean;
}

const AFTER = `
repo serve does this by itself, but never with --drop-fields. Make a backup first.`;

/** `repo migrate`: what a new version or a new content model asks of the database. */
export function migrateCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('migrate').description(
    'bring the database up to date with the program and the content model',
  );
  for (const option of settingOptions()) command.addOption(option);
  return command
    .option('--drop-fields', 'remove, for good, values of fields that the content model no longer has')
    .addHelpText('after', AFTER)
    .action(async (flags: MigrateFlags, self: Command) => {
      const overrides = overridesFrom(flags, self);
      finish(
        await attempt(async () => {
          const [{ createLog }, { loadServerConfig }, { migrateRepository }] = await Promise.all([
            import('../base/log.ts'),
            import('../modes/load-repository-config.ts'),
            import('../modes/migrate-repository.ts'),
          ]);
          const config = await loadServerConfig(flags.config, overrides);
          await migrateRepository(config, flags.dropFields ?? false, createLog({ level: 'warn', format: 'pretty' }));
          console.log(`The database in ${config.dataFolder} is up to date.`);
          return EXIT.ok;
        }),
      );
    });
}

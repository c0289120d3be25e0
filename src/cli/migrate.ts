import { Command } from 'commander';
import { EXIT, type ExitCode } from './attempt.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withConfig } from './with-repository.ts';

interface MigrateFlags extends SettingFlags {
  dropFields?: boolean;
}

const AFTER = `
repo serve also migrates a local database, but never drops fields. Make a backup first.`;

/** Creates `repo migrate`, which updates the database to the program and the content model. */
export function migrateCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('migrate').description('migrate the database to this version and to the content model');
  return withSettings(command)
    .option('--drop-fields', 'permanently delete the values of fields that the content model no longer has')
    .addHelpText('after', AFTER)
    .action(async (flags: MigrateFlags, self: Command) =>
      finish(
        await withConfig(flags, self, async (config, log) => {
          const { atServer, requireFile } = await import('../server/open-database.ts');
          const { openRepository } = await import('../server/open-repository.ts');
          await requireFile(config);
          const options = { dropsFields: flags.dropFields ?? false, migratesShared: true };
          await (await openRepository(atServer(config), log, options)).close();
          console.log(`The database in ${config.dataFolder} is up to date.`);
          return EXIT.ok;
        }),
      ),
    );
}

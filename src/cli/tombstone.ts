import { Command } from 'commander';
import { CommandError } from '../base/errors.ts';
import type { ExitCode } from './attempt.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

const AFTER = `
The page of a deleted item that was public shows its title and citation, with the status 410 (setting tombstones). Remove it if the title
must disappear, too: its address and its former aliases then answer 404.

Example:
  repo tombstone remove 12`;

/** Creates `repo tombstone`, which removes what the pages of deleted items show. */
export function tombstoneCommand(finish: (code: ExitCode) => void): Command {
  const tombstone = new Command('tombstone')
    .description('remove the titles and citations of deleted items')
    .addHelpText('after', AFTER);
  tombstone.addCommand(removeCommand(finish));
  return tombstone;
}

function removeCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('remove')
    .description('remove the title and citation of a deleted item permanently')
    .argument('<id>', 'id of the deleted node');
  return withSettings(command).action(async (text: string, flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { removeTombstone } = await import('../repository/content/tombstones.ts');
        const isRemoved = /^[1-9]\d{0,14}$/.test(text) && (await removeTombstone(services, Number(text)));
        if (!isRemoved) throw new CommandError(`There is no tombstone of node ${JSON.stringify(text.slice(0, 100))}.`);
        console.log(`Removed the tombstone of node ${text}.`);
      }),
    ),
  );
}

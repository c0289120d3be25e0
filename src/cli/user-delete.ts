import { Command } from 'commander';
import { CommandError } from '../base/errors.ts';
import { countInWords } from '../base/in-words.ts';
import type { ExitCode } from './attempt.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

interface DeleteFlags extends SettingFlags {
  contentTo?: string;
}

const AFTER = `
It erases name, mail address, password and roles, and ends all sessions and tokens; this cannot be undone. Items, media, files and
earlier revisions of the user stay, and name "Deleted user" with its number. --content-to first gives items, media and files to
another user, each with a new revision. To end all access and keep the account, use: repo user block

Examples:
  repo user delete jane
  repo user delete jane --content-to joe`;

/** Creates `repo user delete`, which erases an account. */
export function deleteUserCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('delete')
    .description('delete a user permanently; content stays')
    .argument('<name>', 'name of the user')
    .option('--content-to <name>', 'user who gets the items, media and files');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (name: string, flags: DeleteFlags, self: Command) =>
      finish(
        await withRepository(flags, self, async ({ services, findUser, contextOf }) => {
          const [{ countOwned, deleteAccount }, { reassignContent }, { createFindContent }] = await Promise.all([
            import('../repository/users/delete-account.ts'),
            import('../repository/content/write/reassign-content.ts'),
            import('../repository/content/read/find-content.ts'),
          ]);
          const user = await findUser(name);
          const { contentTo } = flags;
          if (contentTo !== undefined) {
            const to = await findUser(contentTo);
            if (to.row.id === user.row.id) throw new CommandError(`The content of ${name} is already that of ${name}.`);
            const { kinds, actor } = contextOf(await findUser());
            const findContent = createFindContent(services.database, kinds);
            const { nodes, media } = await reassignContent(services, actor, {
              findContent,
              from: user.row.id,
              to: to.row.id,
            });
            console.log(`Gave ${ownedText(nodes, media)} to ${to.row.name}.`);
          }
          const { nodes, media } = await countOwned(services.database, user.row.id);
          await deleteAccount(services, await findUser(name));
          const kept = nodes + media === 0 ? '' : ` ${ownedText(nodes, media)} stay, of "Deleted user ${user.row.id}".`;
          console.log(`Deleted ${user.row.name}, user ${user.row.id}.${kept}`);
        }),
      ),
    );
}

function ownedText(nodes: number, media: number): string {
  return `${countInWords(nodes, 'item')} and ${countInWords(media, 'media', 'media')}`;
}

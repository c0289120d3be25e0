import { Argument, Command } from 'commander';
import { administer } from './administer.ts';
import type { ExitCode } from './exit-code.ts';
import { readPassword } from './read-password.ts';
import { type SettingFlags, settingOptions } from './settings.ts';

interface PasswordFlags extends SettingFlags {
  passwordStdin?: boolean;
}
interface AddFlags extends PasswordFlags {
  mail?: string;
  role?: string[];
}

const AFTER = `
All of this may be done while the repository runs, and is in force for its next request.

Examples:
  repo user add jane --mail jane@example.org --role repository_editor
  repo user passwd jane --password-stdin < password.txt
  repo user role jane add workbench_user`;

/** `repo user`: who may sign in, and as what. */
export function userCommand(finish: (code: ExitCode) => void): Command {
  const user = new Command('user').description('add and change users').addHelpText('after', AFTER);
  user.addCommand(addCommand(finish));
  user.addCommand(passwdCommand(finish));
  user.addCommand(blockCommand(finish, 'block', 'sign a user out everywhere, and let them in no more'));
  user.addCommand(blockCommand(finish, 'unblock', 'let a blocked user in again'));
  user.addCommand(roleCommand(finish));
  user.addCommand(listCommand(finish));
  return user;
}

function addCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('add')
    .description('add a user; without --password-stdin a password is made up, and printed')
    .argument('<name>', 'what the user signs in with')
    .option('--mail <address>', 'where the user gets mail')
    .option('--role <role>', 'a role of the content model; may be given more than once', collect)
    .option('--password-stdin', 'read the password from standard input');
  return withSettings(command).action(async (name: string, flags: AddFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        const password = await readPassword(flags.passwordStdin);
        const { id, generatedPassword } = await repository.addUser({
          name,
          mail: flags.mail,
          roles: flags.role ?? [],
          password,
        });
        console.log(`Added ${name}, user ${id}.${shown(generatedPassword)}`);
      }),
    ),
  );
}

function passwdCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('passwd')
    .description('change a password; without --password-stdin one is made up, and printed')
    .argument('<name>', 'the user')
    .option('--password-stdin', 'read the password from standard input');
  return withSettings(command).action(async (name: string, flags: PasswordFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        const generated = await repository.changePassword(name, await readPassword(flags.passwordStdin));
        console.log(`Changed the password of ${name}.${shown(generated)}`);
      }),
    ),
  );
}

function blockCommand(finish: (code: ExitCode) => void, verb: 'block' | 'unblock', description: string): Command {
  const command = new Command(verb).description(description).argument('<name>', 'the user');
  return withSettings(command).action(async (name: string, flags: SettingFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        await repository.setBlocked(name, verb === 'block');
        console.log(`${verb === 'block' ? 'Blocked' : 'Unblocked'} ${name}.`);
      }),
    ),
  );
}

function roleCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('role')
    .description('give a role to a user, or take it away')
    .argument('<name>', 'the user')
    .addArgument(new Argument('<action>', 'what to do').choices(['add', 'remove']))
    .argument('<role>', 'a role of the content model');
  return withSettings(command).action(
    async (name: string, action: 'add' | 'remove', role: string, flags: SettingFlags, self: Command) =>
      finish(
        await administer(flags, self, async (repository) => {
          const roles = await (action === 'add' ? repository.addRole(name, role) : repository.removeRole(name, role));
          console.log(`Roles of ${name}: ${roles.join(', ') || 'none'}`);
        }),
      ),
  );
}

function listCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('list').description('list all users: id, name, blocked or not, mail, roles');
  return withSettings(command).action(async (flags: SettingFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        for (const { id, name, isBlocked, mail, roles } of await repository.users())
          console.log([id, name, isBlocked ? 'blocked' : 'active', mail ?? '-', roles.join(',') || '-'].join('\t'));
      }),
    ),
  );
}

function withSettings(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

function collect(role: string, roles: string[] = []): string[] {
  return [...roles, role];
}

function shown(password: string | undefined): string {
  return password === undefined ? '' : `\nPassword: ${password}   (shown this once)`;
}

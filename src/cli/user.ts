import { Argument, Command } from 'commander';
import { CommandError } from '../base/errors.ts';
import { readLimited } from '../base/read-limited.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { pathOf } from '../paths.ts';
import type { ExitCode } from './attempt.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { deleteUserCommand } from './user-delete.ts';
import { withRepository } from './with-repository.ts';

interface PasswordFlags extends SettingFlags {
  passwordStdin?: boolean;
}
interface AddFlags extends PasswordFlags {
  mail?: string;
  role?: string[];
}

const MAX_INPUT_BYTES = 64 * 1024;

const AFTER = `
These commands work while the repository runs, and take effect with its next request.

Examples:
  repo user add jane --mail jane@example.org --role repository_editor
  repo user passwd jane --password-stdin < password.txt
  repo user reset-link jane
  repo user role jane add workbench_user`;

/** Creates `repo user`, which manages accounts. */
export function userCommand(finish: (code: ExitCode) => void): Command {
  const user = new Command('user').description('manage users').addHelpText('after', AFTER);
  user.addCommand(addCommand(finish));
  user.addCommand(passwdCommand(finish));
  user.addCommand(resetLinkCommand(finish));
  user.addCommand(blockCommand(finish, 'block', 'block a user, and end all sessions and tokens'));
  user.addCommand(blockCommand(finish, 'unblock', 'unblock a user'));
  user.addCommand(deleteUserCommand(finish));
  user.addCommand(roleCommand(finish));
  user.addCommand(listCommand(finish));
  return user;
}

function addCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('add')
    .description('add a user; without --password-stdin, generate a password and show it on the terminal')
    .argument('<name>', 'name for signing in')
    .option('--mail <address>', 'mail address')
    .option('--role <role>', 'role of the content model; repeatable', collect)
    .option('--password-stdin', 'read the password from standard input');
  return withSettings(command).action(async (name: string, flags: AddFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ config, services }) => {
        const { createUser } = await import('../repository/users/manage-users.ts');
        const { mail, role: roles = [] } = flags;
        const { password, noteFor } = await choosePassword(flags, name, config);
        const id = await createUser(services, { name, password, roles, ...(mail !== undefined && { mail }) });
        console.log(`Added ${name}, user ${id}.${await noteFor(id)}`);
      }),
    ),
  );
}

function passwdCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('passwd')
    .description('change a password; without --password-stdin, generate one and show it on the terminal')
    .argument('<name>', 'name of the user')
    .option('--password-stdin', 'read the password from standard input');
  return withSettings(command).action(async (name: string, flags: PasswordFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ config, services, findUser }) => {
        const { setPassword } = await import('../repository/users/manage-users.ts');
        const user = await findUser(name);
        const { password, noteFor } = await choosePassword(flags, user.row.name, config);
        await setPassword(services, user, password);
        console.log(`Changed the password of ${name}.${await noteFor(user.row.id)}`);
      }),
    ),
  );
}

function resetLinkCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('reset-link')
    .description('print a link with which a user sets a password; it is valid once, and earlier links become invalid')
    .argument('<name>', 'name of the user');
  return withSettings(command).action(async (name: string, flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services, findUser, baseUrl }) => {
        const { createResetLink, RESET_LINK_HOURS } = await import('../repository/users/reset-links.ts');
        const { token } = await createResetLink(services, await findUser(name));
        console.log(
          `${baseUrl}${pathOf('passwordReset', { token })}\nValid for ${RESET_LINK_HOURS} hours, for one change of the password.`,
        );
      }),
    ),
  );
}

function blockCommand(finish: (code: ExitCode) => void, verb: 'block' | 'unblock', description: string): Command {
  const command = new Command(verb).description(description).argument('<name>', 'name of the user');
  return withSettings(command).action(async (name: string, flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services, findUser }) => {
        const { setBlocked } = await import('../repository/users/manage-users.ts');
        await setBlocked(services, await findUser(name), verb === 'block');
        console.log(`${verb === 'block' ? 'Blocked' : 'Unblocked'} ${name}.`);
      }),
    ),
  );
}

function roleCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('role')
    .description('add a role to a user, or remove it')
    .argument('<name>', 'name of the user')
    .addArgument(new Argument('<action>', 'add or remove').choices(['add', 'remove']))
    .argument('<role>', 'role of the content model');
  return withSettings(command).action(
    async (name: string, action: 'add' | 'remove', role: string, flags: SettingFlags, self: Command) =>
      finish(
        await withRepository(flags, self, async ({ services, findUser }) => {
          const { setRoles } = await import('../repository/users/manage-users.ts');
          const user = await findUser(name);
          const roles = action === 'add' ? [...new Set([...user.roles, role])] : without(role, name, user.roles);
          await setRoles(services, user, roles);
          console.log(`Roles of ${name}: ${roles.join(', ') || 'none'}`);
        }),
      ),
  );
}

function listCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('list').description('list all users: id, name, status, mail, roles');
  return withSettings(command).action(async (flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { listUsers } = await import('../repository/users/find-user.ts');
        for (const { id, name, isBlocked, mail, roles } of await listUsers(services.database))
          console.log([id, name, isBlocked ? 'blocked' : 'active', mail ?? '-', roles.join(',') || '-'].join('\t'));
      }),
    ),
  );
}

function collect(role: string, roles: string[] = []): string[] {
  return [...roles, role];
}

function without(role: string, name: string, roles: readonly string[]): string[] {
  if (roles.includes(role)) return roles.filter((each) => each !== role);
  const held = roles.length === 0 ? 'no roles' : `the roles ${roles.join(', ')}`;
  throw new CommandError(`${name} does not have the role ${role}, but ${held}.`);
}

interface ChosenPassword {
  readonly password: string;
  /** Returns the line that shows a generated password of a user. Call it when the user has the password. */
  noteFor(user: number): Promise<string>;
}

/**
 * Returns the password of the user `name` on standard input, or a generated one. Warns about a weak one, which whoever has
 * access to the machine may choose.
 */
async function choosePassword(
  { passwordStdin }: PasswordFlags,
  name: string,
  { dataFolder }: ServerConfig,
): Promise<ChosenPassword> {
  if (passwordStdin) {
    const text = await readLimited(Bun.stdin.stream(), MAX_INPUT_BYTES);
    const [password = ''] = text.split(/\r?\n/, 1);
    const { passwordWeakness } = await import('../auth/password-policy.ts');
    const weakness = password === '' ? undefined : passwordWeakness(password, name);
    if (weakness !== undefined) console.error(`warning: ${weakness}`);
    return { password, noteFor: async () => '' };
  }
  const [{ generatePassword }, { showPassword }] = await Promise.all([
    import('../auth/password.ts'),
    import('./show-password.ts'),
  ]);
  const password = generatePassword();
  return {
    password,
    noteFor: async (user) => `\nPassword: ${(await showPassword({ user, password }, dataFolder)).text}`,
  };
}

import { resolve } from 'node:path';
import { Command } from 'commander';
import { CommandError } from '../base/errors.ts';
import { createServerConfig } from '../config/server-config.ts';
import { SETTINGS } from '../config/settings.ts';
import { serverAddress } from '../server/listen.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import { parseExpiry } from './parse-value.ts';
import { optionFor, overridesFrom, type SettingFlags, withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

interface TokenFlags extends SettingFlags {
  expires?: number;
}

/** Returns the end of the help. Its example uses the server address of the flags and the environment. */
function after(command: Command): string {
  const { host, port, baseUrl } = createServerConfig(overridesFrom(command.opts<TokenFlags>(), command));
  const address = baseUrl ?? serverAddress({ host, port, tls: undefined });
  return `
The token contains its issuer: the address of the server by these options, the environment or the configuration file. Use the
same options as for the server.

Example:
  curl -H "Authorization: Bearer $(repo token admin --expires 10m)" '${address}/node/1?_format=json'`;
}

/** Creates `repo token`, which issues a token for a program that acts as a user. */
export function tokenCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('token')
    .description('create a token (JWT) for a program that acts as a user')
    .argument('<name>', 'name of the user')
    .option('--expires <time>', 'validity, such as 30m, 2h or 7d (default: tokenExpiry, else 2h)', parseExpiry);
  return withSettings(command)
    .addOption(optionFor(SETTINGS.host, 'address that the server listens on (default: 0.0.0.0, all addresses)'))
    .addOption(optionFor(SETTINGS.port, 'port of the server (default: REPO_PORT, else 8000)'))
    .addOption(optionFor(SETTINGS.baseUrl, 'public address of the server (default: REPO_BASE_URL, else host and port)'))
    .addHelpText('after', ({ command: self }) => after(self))
    .action(async (name: string, flags: TokenFlags, self: Command) =>
      finish(
        await withRepository(flags, self, async (repository) => {
          console.log(await issueTokenFor(repository, name, flags.expires));
        }),
      ),
    );
}

/** Issues a token as `/jwt/token` does. Throws CommandError for an unknown or blocked user. */
export async function issueTokenFor(
  { config, services, baseUrl, findUser }: CommandRepository,
  user: string,
  expirySeconds = config.tokenExpirySeconds,
): Promise<string> {
  const { row, roles } = await findUser(user);
  const { id: uid, name, credentialsChanged } = row;
  if (!row.status) throw new CommandError(`${user} is blocked: the server would reject the token.`);
  const [{ issueToken }, { loadKeys }] = await Promise.all([
    import('../auth/issue-token.ts'),
    import('../server/load-keys.ts'),
  ]);
  const { signingKey } = await loadKeys(services.database, resolve(config.dataFolder));
  const now = Date.now();
  return issueToken({ uid, name, roles, credentialsChanged, issuer: baseUrl, now, expirySeconds }, signingKey);
}

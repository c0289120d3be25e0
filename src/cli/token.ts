import { resolve } from 'node:path';
import { Command } from 'commander';
import { CommandError } from '../base/command-error.ts';
import { createServerConfig } from '../config/server-config.ts';
import { SETTINGS } from '../config/settings.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { serverAddress } from '../server/server-address.ts';
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
The token names its issuer: the address of the server by these options, the environment or the configuration
file. Give the options that the server was started with.

Example:
  curl -H "Authorization: Bearer $(repo token admin --expires 10m)" '${address}/node/1?_format=json'`;
}

/** Creates `repo token`, which issues a token for a program that acts as a user. */
export function tokenCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('token')
    .description('print a token (JWT) with which a program acts as a user')
    .argument('<name>', 'the user')
    .option(
      '--expires <time>',
      'how long it is good for, such as 30m, 2h or 7d (default: tokenExpiry, else 2h)',
      parseExpiry,
    );
  return withSettings(command)
    .addOption(optionFor(SETTINGS.host, 'the address that the server listens on (default: 0.0.0.0, every one)'))
    .addOption(optionFor(SETTINGS.port, 'the port of the server (default: REPO_PORT, else 8000)'))
    .addOption(
      optionFor(SETTINGS.baseUrl, 'the public address of the server (default: REPO_BASE_URL, else host and port)'),
    )
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
  if (!row.status) throw new CommandError(`${user} is blocked: a token would be refused.`);
  const [{ issueToken }, { loadKeys }] = await Promise.all([
    import('../auth/issue-token.ts'),
    import('../server/load-keys.ts'),
  ]);
  const { signingKey } = await loadKeys(services.database, resolve(config.dataFolder));
  const now = Date.now();
  return issueToken({ uid, name, roles, credentialsChanged, issuer: baseUrl, now, expirySeconds }, signingKey);
}

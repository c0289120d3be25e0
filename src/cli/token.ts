import { Command } from 'commander';
import { DEFAULT_SERVER_CONFIG } from '../modes/repository-config.ts';
import { serverAddress } from '../modes/server-address.ts';
import { administer } from './administer.ts';
import type { ExitCode } from './exit-code.ts';
import { parseExpiry, parsePort } from './parse-value.ts';
import { overridesFrom, type ServerFlags, settingOptions } from './settings.ts';

type TokenFlags = Pick<ServerFlags, 'config' | 'data' | 'model' | 'host' | 'port' | 'baseUrl'> & { expires?: number };

/** Returns the end of the help. Its example uses the server address of the flags and the environment. */
function after(command: Command): string {
  const { host, port, baseUrl } = overridesFrom(command.opts<TokenFlags>(), command);
  const { host: everyAddress, port: usualPort } = DEFAULT_SERVER_CONFIG;
  const address = baseUrl ?? serverAddress({ host: host ?? everyAddress, port: port ?? usualPort, tls: undefined });
  return `
The token names its issuer: the address of the server by these options, the environment or the configuration
file. Give the options that the server was started with.

Example:
  curl -H "Authorization: Bearer $(repo token admin --expires 10m)" '${address}/node/1?_format=json'`;
}

/** `repo token`: a token for a program that acts as a user. */
export function tokenCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('token')
    .description('print a token (JWT) with which a program acts as a user')
    .argument('<name>', 'the user')
    .option(
      '--expires <time>',
      'how long it is good for, such as 30m, 2h or 7d (default: tokenExpiry, else 2h)',
      parseExpiry,
    );
  for (const option of settingOptions()) command.addOption(option);
  return command
    .option('--host <address>', 'the address that the server listens on (default: 0.0.0.0, every one)')
    .option('--port <number>', 'the port of the server (default: REPO_PORT, else 8000)', parsePort)
    .option('--base-url <url>', 'the public address of the server (default: REPO_BASE_URL, else host and port)')
    .addHelpText('after', ({ command: self }) => after(self))
    .action(async (name: string, flags: TokenFlags, self: Command) =>
      finish(
        await administer(flags, self, async (repository) => {
          console.log(await repository.issueToken(name, flags.expires));
        }),
      ),
    );
}

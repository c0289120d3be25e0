import { Command } from 'commander';
import { administer } from './administer.ts';
import type { ExitCode } from './exit-code.ts';
import { parseExpiry } from './parse-value.ts';
import { type SettingFlags, settingOptions } from './settings.ts';

interface TokenFlags extends SettingFlags {
  expires?: number;
}

const AFTER = `
Example:
  curl -H "Authorization: Bearer $(repo token admin --expires 10m)" 'http://localhost:8000/node/1?_format=json'`;

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
  return command.addHelpText('after', AFTER).action(async (name: string, flags: TokenFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        console.log(await repository.issueToken(name, flags.expires));
      }),
    ),
  );
}

import { Command } from 'commander';
import { administer } from './administer.ts';
import type { ExitCode } from './exit-code.ts';
import { type SettingFlags, settingOptions } from './settings.ts';

const AFTER = `
A change is in force for the next request of a repository that runs. Nothing has to be restarted.

Examples:
  repo setting list
  repo setting set allow_header_links false`;

/** `repo setting`: what is changed without a restart. */
export function settingCommand(finish: (code: ExitCode) => void): Command {
  const setting = new Command('setting')
    .description('look at and change settings of a repository that runs')
    .addHelpText('after', AFTER);
  setting.addCommand(listCommand(finish));
  setting.addCommand(getCommand(finish));
  setting.addCommand(setCommand(finish));
  return setting;
}

function listCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('list').description('list all settings: name, value, default or changed, what it does');
  return withOptions(command).action(async (flags: SettingFlags, self: Command) =>
    finish(
      await administer(flags, self, async ({ settings }) => {
        for (const { name, value, isDefault, description } of await settings.list())
          console.log([name, value, isDefault ? 'default' : 'changed', description].join('\t'));
      }),
    ),
  );
}

function getCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('get')
    .description('print the value of a setting')
    .argument('<name>', 'the setting, as repo setting list names it');
  return withOptions(command).action(async (name: string, flags: SettingFlags, self: Command) =>
    finish(
      await administer(flags, self, async ({ settings }) => {
        console.log(String(await settings.get(name)));
      }),
    ),
  );
}

function setCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('set')
    .description('change a setting')
    .argument('<name>', 'the setting, as repo setting list names it')
    .argument('<value>', 'true or false');
  return withOptions(command).action(async (name: string, value: string, flags: SettingFlags, self: Command) =>
    finish(
      await administer(flags, self, async ({ settings }) => {
        console.log(`Set ${name} to ${await settings.set(name, value)}.`);
      }),
    ),
  );
}

function withOptions(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

import { Command } from 'commander';
import { CommandError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { toBoolean } from '../field-types/convert-value.ts';
import { isSettingName, SETTING_NAMES, SETTINGS, type SettingName } from '../repository/settings/settings.ts';
import type { ExitCode } from './attempt.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

const MAX_SHOWN_CHARS = 100;

const AFTER = `
A change takes effect with the next request, without a restart.

Examples:
  repo setting list
  repo setting set allow_header_links false`;

/** Creates `repo setting`, which reads and changes settings of a running repository. */
export function settingCommand(finish: (code: ExitCode) => void): Command {
  const setting = new Command('setting')
    .description('show and change settings of a running repository')
    .addHelpText('after', AFTER);
  setting.addCommand(listCommand(finish));
  setting.addCommand(getCommand(finish));
  setting.addCommand(setCommand(finish));
  return setting;
}

function listCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('list').description('list all settings: name, value, default or changed, description');
  return withSettings(command).action(async (flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { findSettings } = await import('../repository/settings/find-settings.ts');
        const values = await findSettings(services.database);
        for (const name of SETTING_NAMES) {
          const { description, default: usual } = SETTINGS[name];
          console.log([name, values[name], values[name] === usual ? 'default' : 'changed', description].join('\t'));
        }
      }),
    ),
  );
}

function getCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('get')
    .description('show the value of a setting')
    .argument('<name>', 'name of the setting, see repo setting list');
  return withSettings(command).action(async (name: string, flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { findSettings } = await import('../repository/settings/find-settings.ts');
        const known = knownName(name);
        console.log(String((await findSettings(services.database))[known]));
      }),
    ),
  );
}

function setCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('set')
    .description('change a setting')
    .argument('<name>', 'name of the setting, see repo setting list')
    .argument('<value>', 'true or false');
  return withSettings(command).action(async (name: string, value: string, flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { changeSettings } = await import('../repository/settings/change-settings.ts');
        const known = knownName(name);
        const read = toBoolean(value);
        if (typeof read !== 'boolean') {
          const shown = JSON.stringify(value.slice(0, MAX_SHOWN_CHARS));
          throw new CommandError(`The setting ${known} must be true or false, not ${shown}.`);
        }
        await changeSettings(services.database, { [known]: read });
        console.log(`Set ${name} to ${read}.`);
      }),
    ),
  );
}

function knownName(name: string): SettingName {
  if (isSettingName(name)) return name;
  const guess = nearest(name, SETTING_NAMES);
  const hint = guess === undefined ? 'list all settings with: repo setting list' : `did you mean ${guess}?`;
  throw new CommandError(`Unknown setting ${name}; ${hint}`);
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Overrides, readOverrides } from '../config/overrides.ts';
import type { Setting } from '../config/setting.ts';
import { FLAG_SETTINGS, SETTINGS } from '../config/settings.ts';

/** The options of a command about a repository: its configuration file and settings by their flags. */
export interface SettingFlags {
  config?: string;
  readonly [flag: string]: unknown;
}

/** Returns the option of a setting, optionally with another help text. */
export function optionFor({ flag, fromText }: Setting, help = flag?.help): Option {
  const option = new Option(flag?.name ?? '', help);
  return fromText === undefined ? option : option.argParser((text: string) => parseText(text, fromText));
}

function parseText(text: string, fromText: (text: string) => unknown): unknown {
  try {
    return fromText(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

/** Adds the options that locate a repository, in the order of a command's help. */
export function withSettings(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

/** Adds all options of a server, in the order of its help. */
export function withServerSettings(command: Command): Command {
  const others = FLAG_SETTINGS.filter((setting) => setting !== SETTINGS.dataFolder && setting !== SETTINGS.modelFile);
  withSettings(command);
  for (const setting of others) command.addOption(optionFor(setting));
  return command;
}

/** Returns the options that locate a repository. */
export function settingOptions(): Option[] {
  return [
    optionFor(SETTINGS.dataFolder),
    new Option('--config <file>', 'configuration file'),
    optionFor(SETTINGS.modelFile),
  ];
}

/** Reads the settings of flags and environment. Ends the command for an invalid variable. */
export function overridesFrom(flags: SettingFlags, command: Command, settings?: Setting[]): Overrides {
  return readOverrides(flags, (message) => command.error(message), settings);
}

const MODES = ['processor', 'repository', 'all'] as const;
export type Mode = (typeof MODES)[number];

export const modeOption = () => new Option('--mode <mode>', 'services to run').choices(MODES).default('all');

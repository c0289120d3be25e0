import { nearest } from '../base/nearest.ts';
import type { Database } from '../database/database.ts';
import { toBoolean } from '../fields/convert-scalar.ts';
import { changeSettings } from '../repository/settings/change-settings.ts';
import { findSettings } from '../repository/settings/find-settings.ts';
import { isSettingName, SETTING_NAMES, SETTINGS, type SettingName } from '../repository/settings/settings.ts';
import { CommandError } from './command-error.ts';

/** A setting as an administrator sees it in a list. */
export interface ListedSetting {
  readonly name: string;
  readonly value: boolean;
  readonly isDefault: boolean;
  readonly description: string;
}

/** The settings from the machine that the repository is on. A name that there is not makes it throw CommandError. */
export interface SettingAdministration {
  list(): Promise<readonly ListedSetting[]>;
  get(name: string): Promise<boolean>;
  /** Answers the value as it was understood. Throws CommandError for a text that the setting does not take. */
  set(name: string, text: string): Promise<boolean>;
}

/** Reads and changes the settings of a database. The members throw ServiceError too. */
export function createSettingAdministration(database: Database): SettingAdministration {
  return {
    async list() {
      const settings = await findSettings(database);
      return SETTING_NAMES.map((name) => {
        const { description, default: usual } = SETTINGS[name];
        return { name, value: settings[name], isDefault: settings[name] === usual, description };
      });
    },
    async get(name) {
      const known = knownName(name);
      return (await findSettings(database))[known];
    },
    async set(name, text) {
      const known = knownName(name);
      const value = toBoolean(text);
      if (typeof value !== 'boolean')
        throw new CommandError(`The setting ${known} is true or false, not ${JSON.stringify(text.slice(0, 100))}.`);
      await changeSettings(database, { [known]: value });
      return value;
    },
  };
}

function knownName(name: string): SettingName {
  if (isSettingName(name)) return name;
  const guess = nearest(name, SETTING_NAMES);
  const hint = guess === undefined ? 'see them with: repo setting list' : `did you mean ${guess}?`;
  throw new CommandError(`There is no setting named ${name}; ${hint}`);
}

import { ServiceError } from '../../base/errors.ts';
import { SETTINGS, type SettingName } from './settings.ts';

/** The name of a setting's row: nothing else that the table keeps begins so. */
export function storedName(name: SettingName): string {
  return `islandora.${name}`;
}

/** A value as its row has it. There is one text for each value, so that two are compared as texts. */
export function storedText(value: boolean): string {
  return String(value);
}

/** The value of a setting's row, or the default where there is none. Throws `misconfigured` for a row that says neither. */
export function readStored(name: SettingName, text: string | null): boolean {
  if (text === null) return SETTINGS[name].default;
  if (text === storedText(true)) return true;
  if (text === storedText(false)) return false;
  throw new ServiceError(
    'misconfigured',
    `The database has neither true nor false for the setting ${name}. Set it again with: repo setting set ${name} ${SETTINGS[name].default}`,
    { cause: new Error(`the row ${storedName(name)} holds ${JSON.stringify(text.slice(0, MAX_SHOWN_CHARS))}`) },
  );
}

const MAX_SHOWN_CHARS = 100;

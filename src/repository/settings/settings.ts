import { ServiceError } from '../../base/errors.ts';

interface SettingDefinition {
  readonly label: string;
  /** A sentence for administrators. */
  readonly description: string;
  readonly default: boolean;
}

/** The settings that administrators change at run time (spec: repository, "Link headers on GET and HEAD"). */
export const SETTINGS = {
  allow_header_links: {
    label: 'Allow header links',
    description:
      'Adds links to related content, media, tags and files, and Signposting, to the standard links of the Link header.',
    default: true,
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

export type SettingName = keyof typeof SETTINGS;

/** The value of every setting. */
export type Settings = Readonly<Record<SettingName, boolean>>;

/** The names in the order of display. */
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Returns the name of a setting's row. No other row of the table has this prefix. */
export function storedName(name: SettingName): string {
  return `islandora.${name}`;
}

/** Returns the stored text of a value: one text per value, so that queries can compare texts. */
export function storedText(value: boolean): string {
  return String(value);
}

/** Parses the text of a setting's row; null means the default. Throws `misconfigured` for an invalid text. */
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

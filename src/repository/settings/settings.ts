import { ServiceError } from '../../base/errors.ts';

/** What is known of one setting. */
interface SettingDefinition {
  readonly label: string;
  /** A sentence for whoever is about to change it. */
  readonly description: string;
  /** What holds as long as nobody has said otherwise. */
  readonly default: boolean;
}

/** What an administrator changes while the repository runs; another setting is another entry here (spec: repository, "Link headers on GET and HEAD"). */
export const SETTINGS = {
  allow_header_links: {
    label: 'Allow header links',
    description:
      'Whether the Link header has more than the standard links: related content, media, tags and files, and Signposting.',
    default: true,
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

export type SettingName = keyof typeof SETTINGS;

/** The value of every setting. */
export type Settings = Readonly<Record<SettingName, boolean>>;

/** In the order in which they are shown. */
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Whether there is a setting of that name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

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

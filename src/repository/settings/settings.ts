/** What is known of one setting. */
export interface SettingDefinition {
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

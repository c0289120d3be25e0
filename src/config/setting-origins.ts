import { readEnv } from '../base/env.ts';
import type { Overrides } from './overrides.ts';
import { type Setting, type SettingValues, settingsIn } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** The origin of the value of a setting. */
export type SettingOrigin = 'file' | 'flag' | 'variable' | 'default';

/** A setting that takes effect with a restart, for people. */
export interface ShownSetting {
  readonly key: string;
  /** Without secrets. */
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** The values that the file and the overrides set, by the configuration that was made of them. */
const given = new WeakMap<object, { readonly values: SettingValues; readonly overrides: Overrides }>();

/** Keeps with a configuration what it was made of. */
export function noteOrigins(config: object, values: SettingValues, overrides: Overrides): void {
  given.set(config, { values, overrides });
}

/** Returns the settings that need a restart, in the order of the file. Those of a configuration without origins are defaults. */
export function shownSettings(config: object): ShownSetting[] {
  const { values, overrides } = given.get(config) ?? { values: new Map(), overrides: new Map() };
  return settingsIn(SETTINGS)
    .filter(({ changeable }) => changeable === undefined)
    .map((setting) => ({
      key: setting.key,
      value: textOf(setting, values.has(setting) ? values.get(setting) : setting.default),
      origin: overrides.has(setting)
        ? overridingOrigin(setting, overrides.get(setting))
        : values.has(setting)
          ? 'file'
          : 'default',
    }));
}

/** A flag takes precedence over the variable, so an override with the value of the variable may come from either. */
function overridingOrigin({ variable, fromText = String }: Setting, entry: unknown): SettingOrigin {
  const text = variable === undefined ? undefined : readEnv(variable);
  return text !== undefined && entry === fromText(text) ? 'variable' : 'flag';
}

function textOf({ schema }: Setting, value: unknown): string {
  if (value === undefined) return '–';
  if (schema.writeOnly) return 'set, not shown';
  if (typeof value !== 'object') return String(value);
  // Their members may hold credentials.
  if (schema.type === 'object') return namesIn(value);
  return Array.isArray(value) && value.length === 0 ? '–' : JSON.stringify(value);
}

function namesIn(value: unknown): string {
  const names = Array.isArray(value)
    ? value.map((each) => (each as { name?: string }).name ?? '…')
    : Object.keys(value ?? {});
  return names.length === 0 ? '–' : names.join(', ');
}

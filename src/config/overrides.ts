import { readEnv } from '../base/env.ts';
import { createServerConfig, type TlsFiles } from './server-config.ts';
import { type Setting, settingsIn } from './setting.ts';
import { SETTINGS } from './settings.ts';

/** Entries of settings that the command line or the environment sets. */
export type Overrides = ReadonlyMap<Setting, unknown>;

/** The options of a command by their names in camel case, as read by `fromText` of their settings. */
type Flags = Readonly<Record<string, unknown>>;

/** Ends the command with a message about its usage. */
export type Refuse = (message: string) => never;

/** Reads what flags and environment set, of some settings or all. A flag takes precedence over its variable. */
export function readOverrides(flags: Flags, refuse: Refuse, settings = settingsIn(SETTINGS)): Overrides {
  const overrides = new Map<Setting, unknown>();
  for (const setting of settings) {
    const { variable, fromText = String } = setting;
    const entry = flagOf(setting, flags) ?? (variable && readVariable(variable, fromText, refuse));
    if (entry !== undefined) overrides.set(setting, entry);
  }
  const { cert, key } = SETTINGS.tls;
  if (overrides.has(cert) !== overrides.has(key)) {
    const [given, missing] = overrides.has(cert) ? [cert, key] : [key, cert];
    refuse(`${namesOf(given)} needs ${namesOf(missing)} as well`);
  }
  return overrides;
}

/** Reads the TLS files that flags and environment name; undefined for plain HTTP. */
export function readTlsFiles(flags: Flags, refuse: Refuse): TlsFiles | undefined {
  return createServerConfig(readOverrides(flags, refuse, settingsIn(SETTINGS.tls))).tls;
}

/** Reads a variable; undefined if it is not set. */
export function readVariable<Entry>(
  name: string,
  fromText: (text: string) => Entry,
  refuse: Refuse,
): Entry | undefined {
  const text = readEnv(name);
  try {
    return text === undefined ? undefined : fromText(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse(`invalid value '${text}' for ${name}. ${error.message}`);
  }
}

/** Returns the value of a setting among the options of a command. */
function flagOf({ flag }: Setting, flags: Flags): unknown {
  if (flag === undefined) return undefined;
  const [, name = ''] = /^--([a-z-]+)/.exec(flag.name) ?? [];
  return flags[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
}

function namesOf({ flag, variable }: Setting): string {
  return `${flag?.name.split(' ')[0]} or ${variable}`;
}

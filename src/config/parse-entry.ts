import { createConfigReader } from '../base/config-reader.ts';
import { ConfigError } from '../base/yaml-file.ts';
import { readSettings } from './read-settings.ts';
import type { Setting } from './setting.ts';

/**
 * Returns the value of an entry of one setting, as from a configuration file. Throws RangeError with the sentences about an
 * invalid one, which begin with the key of the setting.
 */
export function parseEntry<Value>(setting: Setting<Value>, entry: unknown): Value {
  const reader = createConfigReader({
    problems: [],
    placeOf: () => ({ file: '', line: 0 }),
    isBuiltIn: () => false,
    isRemoved: () => false,
    redact: (message) => message,
  });
  const whole = setting.key.split('.').reduceRight<unknown>((inner, step) => ({ [step]: inner }), entry);
  const values = readSettings(reader, { setting }, { entry: whole, path: [], description: 'a map' });
  try {
    reader.finish();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new RangeError(error.problems.map((problem) => problem.replace(/^:\d+: /, '')).join(' '));
  }
  return values.get(setting) as Value;
}

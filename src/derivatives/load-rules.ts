import { readEnv } from '../base/env.ts';
import { readYamlFile } from '../base/yaml-file.ts';
import { defaultRulesFile } from './default-rules.ts';
import type { KnownPlaces } from './known-places.ts';
import { parseRules } from './parse-rules.ts';
import type { DerivativeRules } from './rules.ts';

/**
 * Reads the derivative rules: the default ones, with the user's own file, if there is one, laid over them. Throws
 * `ConfigError` with every problem of that file and of what comes out.
 */
export async function loadDerivativeRules(file: string | undefined, known: KnownPlaces): Promise<DerivativeRules> {
  const user = file === undefined ? undefined : await readYamlFile(file, readEnv);
  return parseRules(known, defaultRulesFile(), user);
}

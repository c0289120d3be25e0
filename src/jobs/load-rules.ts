import derivatives from '../../config/derivatives.yaml' with { type: 'text' };
import { readEnv } from '../base/env.ts';
import type { YamlFile } from '../base/yaml-file.ts';
import { embeddedYaml, readYamlFile } from '../base/yaml-file.ts';
import type { ContentModel } from '../model/content-model.ts';
import { parseRules } from './parse-rules.ts';
import type { DerivativeRules } from './rules.ts';

/** The part of the server configuration that the rules depend on. */
export interface RulesConfig {
  readonly derivatives: { readonly rulesFile: string | undefined };
  readonly schemes: readonly { readonly name: string }[];
}

/** Returns the default rules, which are part of the program. Errors call them `built-in derivatives.yaml`. */
export function defaultRulesFile(): YamlFile {
  return embeddedYaml('built-in derivatives.yaml', derivatives);
}

/**
 * Reads the derivative rules: the user's own file, if there is one, merged over the default rules. Throws `ConfigError`
 * with every problem of that file and of the merged rules.
 */
export async function loadDerivativeRules(
  { derivatives, schemes }: RulesConfig,
  { mediaTypes }: Pick<ContentModel, 'mediaTypes'>,
): Promise<DerivativeRules> {
  const { rulesFile } = derivatives;
  const user = rulesFile === undefined ? undefined : await readYamlFile(rulesFile, readEnv);
  const known = { mediaTypes, schemes: new Set(schemes.map(({ name }) => name)) };
  return parseRules(known, defaultRulesFile(), user);
}

import derivatives from '../../config/derivatives.yaml' with { type: 'text' };
import { embeddedYaml } from '../base/embedded-yaml.ts';
import type { YamlFile } from '../base/yaml-file.ts';

/** The derivative rules that are part of the program. Errors call them `built-in derivatives.yaml`. */
export function defaultRulesFile(): YamlFile {
  return embeddedYaml('built-in derivatives.yaml', derivatives);
}

import { ConfigError, parseYamlText } from '../../../src/base/yaml-file.ts';
import { defaultRulesFile } from '../../../src/jobs/load-rules.ts';
import { parseRules } from '../../../src/jobs/parse-rules.ts';
import type { DerivativeRules } from '../../../src/jobs/rules.ts';
import { defaultModelFiles } from '../../../src/model/load-model.ts';
import { parseModel } from '../../../src/model/parse-model.ts';
import { SURROUNDINGS } from '../../support/content-model.ts';

const SCHEMES = new Set(['public', 'private', 'fedora']);
const defaultModel = parseModel(defaultModelFiles(), undefined, SURROUNDINGS);

/** The default rules with a user's file over them, for the default content model or one with a user's file over it. */
export function parseUserRules(text: string, modelText?: string): DerivativeRules {
  const { mediaTypes } =
    modelText === undefined
      ? defaultModel
      : parseModel(
          defaultModelFiles(),
          parseYamlText('model.yaml', modelText, () => undefined),
          SURROUNDINGS,
        );
  return parseRules(
    { mediaTypes, schemes: SCHEMES },
    defaultRulesFile(),
    parseYamlText('my.yaml', text, () => undefined),
  );
}

/** The problems in a user's file; empty if it is valid. */
export function problemsOf(text: string, modelText?: string): readonly string[] {
  try {
    parseUserRules(text, modelText);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

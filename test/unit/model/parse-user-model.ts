import { ConfigError, parseYamlText } from '../../../src/base/yaml-file.ts';
import type { ContentModel } from '../../../src/model/content-model.ts';
import { defaultModelFiles } from '../../../src/model/load-model.ts';
import { parseModel } from '../../../src/model/parse-model.ts';
import { SURROUNDINGS } from '../../support/content-model.ts';

/** The default model with a user's file over it. */
export function parseUserModel(text: string, environment: Record<string, string> = {}): ContentModel {
  return parseModel(
    defaultModelFiles(),
    parseYamlText('my.yaml', text, (name) => environment[name]),
    SURROUNDINGS,
  );
}

/** Returns the problems of a user's file. */
export function problemsOf(text: string, environment: Record<string, string> = {}): readonly string[] {
  try {
    parseUserModel(text, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

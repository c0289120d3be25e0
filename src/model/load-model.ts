import { readEnv } from '../base/env.ts';
import { readYamlFile } from '../base/yaml-file.ts';
import type { ContentModel } from './content-model.ts';
import { defaultModelFiles } from './default-model.ts';
import { type ModelSurroundings, parseModel } from './parse-model.ts';

/**
 * Reads the content model: the default one, with the user's own file, if there is one, laid over it. Throws
 * `ConfigError` with every problem of that file and of what comes out.
 */
export async function loadContentModel(userFile?: string, surroundings?: ModelSurroundings): Promise<ContentModel> {
  const user = userFile === undefined ? undefined : await readYamlFile(userFile, readEnv);
  return parseModel(defaultModelFiles(), user, surroundings);
}

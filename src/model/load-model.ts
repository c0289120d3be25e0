import { readEnv } from '../base/env.ts';
import { readYamlFile } from '../base/yaml-file.ts';
import type { ContentModel } from './content-model.ts';
import { defaultModelFiles } from './default-model.ts';
import { parseModel } from './parse-model.ts';

/**
 * Reads the content model: the default one, with the user's own file, if there is one, laid over it. Throws
 * `ConfigError` with every problem of that file and of what comes out. `isOwnPath` says where the program answers by itself.
 */
export async function loadContentModel(
  userFile?: string,
  isOwnPath?: (path: string) => boolean,
): Promise<ContentModel> {
  const user = userFile === undefined ? undefined : await readYamlFile(userFile, readEnv);
  return parseModel(defaultModelFiles(), user, isOwnPath);
}

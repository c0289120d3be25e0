import { defaultMistake } from '../fields/default-mistake.ts';
import type { ContentModel } from '../model/content-model.ts';
import { loadContentModel } from '../model/load-model.ts';
import { isOwnPath } from '../paths.ts';
import type { RepositoryConfig } from './repository-config.ts';

/** The content model of a repository. Throws ConfigError for one that cannot be used. */
export function loadModel({ modelFile, schemes }: RepositoryConfig): Promise<ContentModel> {
  return loadContentModel(modelFile, {
    isOwnPath,
    schemes: new Set(schemes.map(({ name }) => name)),
    refusedDefault: (item, definition, texts) =>
      // What a text shows as has no part in whether it can be kept.
      defaultMistake(item, definition, { ...texts, isOwnPath, process: (text) => text })?.message,
  });
}

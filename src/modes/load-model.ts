import type { ContentModel } from '../model/content-model.ts';
import { loadContentModel } from '../model/load-model.ts';
import { isOwnPath } from '../paths.ts';
import { CommandError } from './command-error.ts';
import type { RepositoryConfig } from './repository-config.ts';

/**
 * The content model of a repository. Throws ConfigError for one that cannot be used, and CommandError for a field
 * that would keep its uploads under a scheme that is not configured.
 */
export async function loadModel({ modelFile, schemes }: RepositoryConfig): Promise<ContentModel> {
  const model = await loadContentModel(modelFile, isOwnPath);
  const known = new Set(schemes.map(({ name }) => name));
  const { nodeTypes, mediaTypes, vocabularies, userBundle } = model;
  for (const bundle of [...nodeTypes.values(), ...mediaTypes.values(), ...vocabularies.values(), userBundle]) {
    for (const { name, uriScheme } of bundle.fields) {
      if (uriScheme === undefined || known.has(uriScheme)) continue;
      throw new CommandError(
        `The field ${name} of ${bundle.entityType} ${bundle.name} keeps its files under the scheme ${uriScheme}, ` +
          `which is not configured; there are ${[...known].join(', ')}.`,
      );
    }
  }
  return model;
}

import access from '../../config/access.yaml' with { type: 'text' };
import harvest from '../../config/harvest.yaml' with { type: 'text' };
import lists from '../../config/lists.yaml' with { type: 'text' };
import model from '../../config/model.yaml' with { type: 'text' };
import models from '../../config/models.yaml' with { type: 'text' };
import rdf from '../../config/rdf.yaml' with { type: 'text' };
import search from '../../config/search.yaml' with { type: 'text' };
import signposting from '../../config/signposting.yaml' with { type: 'text' };
import terms from '../../config/terms.yaml' with { type: 'text' };
import views from '../../config/views.yaml' with { type: 'text' };
import { readEnv } from '../base/env.ts';
import type { YamlFile } from '../base/yaml-file.ts';
import { embeddedYaml, readYamlFile } from '../base/yaml-file.ts';
import type { ContentModel } from './content-model.ts';
import { type ModelSurroundings, parseModel } from './parse-model.ts';

/**
 * Reads the content model: the user's own file, if there is one, merged over the default model. Throws `ConfigError`
 * with every problem of that file and of the merged model.
 */
export async function loadContentModel(
  userFile: string | undefined,
  surroundings: ModelSurroundings,
): Promise<ContentModel> {
  const user = userFile === undefined ? undefined : await readYamlFile(userFile, readEnv);
  return parseModel(defaultModelFiles(), user, surroundings);
}

/** The built-in configuration files, as texts. */
export const DEFAULT_MODEL_TEXTS: Readonly<Record<string, string>> = {
  'model.yaml': model,
  'lists.yaml': lists,
  'terms.yaml': terms,
  'access.yaml': access,
  'rdf.yaml': rdf,
  'signposting.yaml': signposting,
  'harvest.yaml': harvest,
  'views.yaml': views,
  'search.yaml': search,
  'models.yaml': models,
};

/** Returns the default model, in files with different top-level keys. Errors call them `built-in model.yaml` etc. */
export function defaultModelFiles(): YamlFile[] {
  return Object.entries(DEFAULT_MODEL_TEXTS).map(([name, text]) => embeddedYaml(`built-in ${name}`, text));
}

import { builtInTypes } from '../../src/field-types/registry.ts';
import type { ContentModel } from '../../src/model/content-model.ts';
import { loadContentModel } from '../../src/model/load-model.ts';

/** The facts about the program that the content models of tests are checked with. */
export const SURROUNDINGS = { fieldTypes: builtInTypes };

/** Loads the default content model, with a user's file over it. */
export function loadTestModel(userFile?: string): Promise<ContentModel> {
  return loadContentModel(userFile, SURROUNDINGS);
}

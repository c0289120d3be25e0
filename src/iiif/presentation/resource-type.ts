import type { ContentModel } from '../../model/content-model.ts';

/** Returns the type of the resource of a node, by the URI of its model. */
export function resourceTypeOf(
  { models }: Pick<ContentModel, 'models'>,
  modelUri: string | null | undefined,
): 'Collection' | 'Manifest' {
  return models.of(modelUri).structure === 'collection' ? 'Collection' : 'Manifest';
}

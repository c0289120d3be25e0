import type { MediaType } from '../../model/content-model.ts';
import type { ItemModels } from '../../model/item-models.ts';
import { extensionOf } from '../media/media-type-of.ts';

/**
 * Returns the URI of the model of an item that is made of a file: a page if its parent consists of pages. `parentUris` are
 * those of the terms of the parent. Undefined if the configuration has no such model.
 */
export function modelUriForFile(
  models: ItemModels,
  type: MediaType,
  filename: string,
  parentUris: ReadonlySet<string>,
): string | undefined {
  const [page] = models.hasStructure(parentUris, 'paged') ? models.urisOf('page') : [];
  return page ?? models.uriForFile(type.name, extensionOf(filename));
}

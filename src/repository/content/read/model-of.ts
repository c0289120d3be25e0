import type { ContentModel } from '../../../model/content-model.ts';
import type { ItemModel } from '../../../model/item-models.ts';
import type { Surroundings } from './surroundings.ts';

/** Returns the model of a node: that of the term in `field_model`. */
export function modelOf(
  { models }: Pick<ContentModel, 'models'>,
  { targets }: Pick<Surroundings, 'targets'>,
): ItemModel {
  return models.of(targets.find(({ field }) => field === 'field_model')?.target.externalUri);
}

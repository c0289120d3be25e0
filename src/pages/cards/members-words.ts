import type { ItemModel } from '../../model/item-models.ts';
import { modelOf } from '../../repository/content/read/surroundings.ts';
import type { View } from '../view.ts';

/** Returns the words of the list of a node's members. */
export function membersWords({ around, source }: View): ItemModel['members'] {
  return modelOf(source.model, around).members;
}

/** Returns true for a node whose members matter more than its details. */
export function isCollectionView({ around, source }: View): boolean {
  return modelOf(source.model, around).structure === 'collection';
}

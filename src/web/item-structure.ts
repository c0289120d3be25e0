import type { ItemStructure } from '../model/item-models.ts';
import { type Content, open } from '../repository/content/content.ts';
import type { ApiServices } from './api-services.ts';

/** Returns true if a node has a model with the structure. */
export async function isOfStructure(
  { services }: Pick<ApiServices, 'services'>,
  node: Content,
  structure: ItemStructure,
): Promise<boolean> {
  const models = (open(node).values.field_model ?? []).map(({ target_id }) => Number(target_id));
  return services.model.models.hasStructure(await services.derivatives.terms.of(models), structure);
}

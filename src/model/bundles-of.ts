import type { Bundle, ContentModel } from './content-model.ts';

/** Returns the bundles of an entity type by name; undefined for an unknown type and for one without bundles. */
export function bundlesOf(
  model: ContentModel,
  entityType: string | undefined,
): ReadonlyMap<string, Bundle> | undefined {
  switch (entityType) {
    case 'node':
      return model.nodeTypes;
    case 'media':
      return model.mediaTypes;
    case 'taxonomy_term':
      return model.vocabularies;
    case 'paragraph':
      return model.paragraphTypes;
    case 'user':
      return new Map([[model.userBundle.name, model.userBundle]]);
    default:
      return undefined;
  }
}

import type { Database } from '../../database/database.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { createWaker } from '../../runs/waker.ts';
import { createFacetValues } from './facet-values.ts';
import { createIndexModel } from './index-model.ts';
import type { SearchIndex } from './search-services.ts';
import { createTextUses } from './text-uses.ts';

/** Creates the writer of the search index of a process. */
export function createSearchIndex(database: Database, model: ContentModel, types: FieldTypes): SearchIndex {
  return {
    model: createIndexModel(model, types),
    facetValues: createFacetValues(database),
    uses: createTextUses(database),
    ...createWaker(),
  };
}

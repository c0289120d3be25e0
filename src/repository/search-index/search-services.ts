import type { Database } from '../../database/database.ts';
import type { Fields, FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { createWaker, type Waker } from '../../runs/waker.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from '../files/scheme.ts';
import { createFacetValues, type FacetValues } from './facet-values.ts';
import { createIndexModel, type IndexModel } from './index-model.ts';
import { createTextUses, type TextUses } from './text-uses.ts';

/** The state of the index writer of a process. */
export interface SearchIndex extends Waker {
  readonly model: IndexModel;
  readonly facetValues: FacetValues;
  readonly uses: TextUses;
}

/** The services that writing the index needs. */
export interface SearchServices extends BaseServices, Schemes {
  readonly fields: Fields;
  readonly search: SearchIndex;
}

/** Creates the writer of the search index of a process. */
export function createSearchIndex(database: Database, model: ContentModel, types: FieldTypes): SearchIndex {
  return {
    model: createIndexModel(model, types),
    facetValues: createFacetValues(database),
    uses: createTextUses(database),
    ...createWaker(),
  };
}

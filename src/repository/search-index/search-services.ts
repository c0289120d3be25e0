import type { Database } from '../../database/database.ts';
import type { Fields, FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from '../files/scheme.ts';
import { createFacetValues, type FacetValues } from './facet-values.ts';
import { createIndexModel, type IndexModel } from './index-model.ts';
import { createTextUses, type TextUses } from './text-uses.ts';

/** The state of the index writer of a process. */
export interface SearchIndex {
  readonly model: IndexModel;
  readonly facetValues: FacetValues;
  readonly uses: TextUses;
  /** Wakes the background task of this process, if it has one. */
  wake(): void;
  /** Registers the listener that `wake` calls. */
  onWake(listener: () => void): void;
}

/** The services that writing the index needs. */
export interface SearchServices extends BaseServices, Schemes {
  readonly fields: Fields;
  readonly search: SearchIndex;
}

/** Creates the writer of the search index of a process. */
export function createSearchIndex(database: Database, model: ContentModel, types: FieldTypes): SearchIndex {
  let listener = () => {};
  return {
    model: createIndexModel(model, types),
    facetValues: createFacetValues(database),
    uses: createTextUses(database),
    wake: () => listener(),
    onWake(next) {
      listener = next;
    },
  };
}

import type { Fields } from '../../field-types/field-type.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from '../files/scheme.ts';
import type { FacetValues } from './facet-values.ts';
import type { IndexModel } from './index-model.ts';
import type { TextUses } from './text-uses.ts';

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

import type { Fields } from '../../field-types/field-type.ts';
import type { Waker } from '../../runs/waker.ts';
import type { BaseServices } from '../base-services.ts';
import type { Schemes } from '../files/scheme.ts';
import type { FacetValues } from './facet-values.ts';
import type { IndexModel } from './index-model.ts';
import type { TextUses } from './text-uses.ts';

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

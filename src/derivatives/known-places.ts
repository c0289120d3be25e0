import type { MediaType } from '../model/content-model.ts';

/** What derivatives can become, and where they can go. */
export interface KnownPlaces {
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
  readonly schemes: ReadonlySet<string>;
}

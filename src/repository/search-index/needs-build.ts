import type { IndexState } from './index-state.ts';
import type { SearchServices } from './search-services.ts';

/** Returns true if the index does not fit the program, or a build was interrupted. */
export function needsBuild({ search }: SearchServices, { version, building }: IndexState): boolean {
  return building !== null || version !== search.model.version;
}

import { paths } from '../../paths.ts';
import { type SearchState, searchAddress } from '../../representation/search/search-state.ts';

/** Returns the address of a search in a state. */
export type LinkTo = (state: SearchState) => string;

/** Creates the function that returns addresses of searches, each after `root`. */
export function searchLinker(root: string): LinkTo {
  return (state) => searchAddress(root + paths.search, state);
}

import { paths } from '../../paths.ts';
import { type SearchState, searchAddress, searchParameters } from '../../representation/search/search-state.ts';
import { parametersOf } from '../../web/formats.ts';

/** The parameter that chooses the page for a client that prefers another format. */
const PAGE_FORMAT = ['_format', 'html'] as const;

/**
 * Returns the address of a search page if a request has another form of it: other parameters, in another order, or empty
 * ones. Undefined for the address itself. Spellings of the same characters are equal: proxies may change them.
 */
export function usualAddress({ url }: Pick<Request, 'url'>, state: SearchState, baseUrl: string): string | undefined {
  const asked = [...parametersOf(url)];
  const names = asked.some(([name, value]) => name === PAGE_FORMAT[0] && value === PAGE_FORMAT[1]);
  const usual = [...searchParameters(state), ...(names ? [PAGE_FORMAT] : [])];
  if (Bun.deepEquals(asked, usual)) return undefined;
  const address = searchAddress(baseUrl + paths.search, state);
  return names ? `${address}${address.includes('?') ? '&' : '?'}${PAGE_FORMAT.join('=')}` : address;
}

import { type Static, Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../base/errors.ts';
import { MAX_QUERY_CHARS } from '../iiif/search/search-terms.ts';
import { searchWithin, type WithinSearch } from '../iiif/search/search-within.ts';
import type { WithinResult } from '../iiif/search/within-result.ts';
import { paths } from '../paths.ts';
import type { ContentInContext } from '../repository/content/read/read-content.ts';
import { modelOf } from '../repository/content/read/surroundings.ts';
import type { Call } from './call.ts';
import { PAGE_QUERY, parameter, queryOf } from './parameters.ts';
import { spendTime } from './spend.ts';

export const SEARCH_QUERY = queryOf({
  ...PAGE_QUERY,
  q: t.Optional(
    parameter(
      { type: 'string', maxLength: MAX_QUERY_CHARS, description: 'Words, "phrases", and beginnings such as prin*.' },
      (text) => text.length <= MAX_QUERY_CHARS,
      (value) =>
        malformed(
          typeof value === 'string'
            ? `A query has at most ${MAX_QUERY_CHARS} characters. This one has ${value.length}.`
            : 'The query parameter "q" must be given once.',
        ),
    ),
  ),
});

export type SearchQuery = Static<typeof SEARCH_QUERY>;

/** Returns the canvases that a search of a node covers: those of its manifest. */
export const scopeOf = ({ api }: Call, { surroundings }: ContentInContext): WithinSearch['scope'] =>
  modelOf(api.services.model, surroundings).structure === 'paged' ? 'pages' : 'any';

/** Searches within the node that was found. Throws 404 for a collection, and for a page after the last one. */
export async function findWithin(
  call: Call,
  { content, surroundings }: ContentInContext,
  {
    page,
    ...search
  }: Pick<WithinSearch, 'query' | 'scope' | 'shows'> & {
    /** Undefined for the first page, or the one with `shows`. */
    readonly page: string | undefined;
  },
): Promise<WithinResult> {
  const { api, actor, baseUrl, client } = call;
  const nodeId = content.head.id;
  if (modelOf(api.services.model, surroundings).structure === 'collection')
    throw new ServiceError('not-found', `Node ${nodeId} is a collection. Search its items at ${baseUrl}${paths.home}.`);
  // Its time counts as a whole.
  const { signal, network } = client;
  const matching = (condition: string, ids: readonly number[]) =>
    api.search.matching(condition, ids, { signal, network });
  const source = { services: api.services, actor, baseUrl, matching };
  const number = page === undefined ? undefined : Number(page);
  const find = () => searchWithin(source, { ...search, nodeId, page: number });
  const result = await (search.query.trim() === '' ? find() : spendTime(call, 'search within', find));
  if (result.page > 0 && result.page >= result.pages)
    throw new ServiceError('not-found', `The result has no page ${page}. The first page is 0.`);
  return result;
}

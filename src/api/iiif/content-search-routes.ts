import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import type { Resource } from '../../iiif/presentation/resource.ts';
import { nodeSearchPathV1, SEARCH_CONTEXT, SEARCH_CONTEXT_V1 } from '../../iiif/presentation/search-services.ts';
import { type SearchRequest, searchAnswer, searchAnswerV1 } from '../../iiif/search/search-answer.ts';
import type { WithinSearch } from '../../iiif/search/search-within.ts';
import type { WithinResult } from '../../iiif/search/within-result.ts';
import { pathOf, paths } from '../../paths.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { findWithin, SEARCH_QUERY, type SearchQuery, scopeOf } from '../../web/find-within.ts';
import { parametersOf } from '../../web/formats.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';
import * as described from './describe-search.ts';

/** The motivations by which clients ask for recognized text, in either version. */
const MOTIVATIONS: ReadonlySet<string> = new Set(['supplementing', 'painting', 'sc:painting']);
const IMPLEMENTED: ReadonlySet<string> = new Set(['q', 'page', 'motivation', '_format']);
const MAX_IGNORED = 20;
const MAX_IGNORED_CHARS = 100;

const check = { resource: 'iiif.presentation', formats: 'single' } as const;
const params = t.Object({ node: id('The id of the node.') });

/** The routes that search within an item (Content Search API 2.0, and 1.0 at the addresses of Islandora). */
export const contentSearchRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeIiifSearch, async ({ call, query }) => answer(call, query, V2), {
      check,
      params,
      query: SEARCH_QUERY,
      detail: describe(described.iiifSearch),
    })
    .get(paths.nodePagedSearch, async ({ call, query }) => answer(call, query, PAGED_V1), {
      check,
      params,
      query: SEARCH_QUERY,
      detail: describe(described.pagedSearch),
    })
    .get(paths.nodeSingleSearch, async ({ call, query }) => answer(call, query, SINGLE_V1), {
      check,
      params,
      query: SEARCH_QUERY,
      detail: describe(described.singleSearch),
    });

/** An address of searches: what it searches, and the version of its answers. */
interface Service {
  readonly path: (nodeId: number) => string;
  readonly scope: (call: Call, entity: ContentInContext) => WithinSearch['scope'];
  readonly context: string;
  readonly write: (result: WithinResult, request: SearchRequest) => Resource;
}

const V2: Service = {
  path: (node) => pathOf('nodeIiifSearch', { node }),
  scope: scopeOf,
  context: SEARCH_CONTEXT,
  write: searchAnswer,
};
const V1 = { context: SEARCH_CONTEXT_V1, write: searchAnswerV1 } as const;
const PAGED_V1: Service = { ...V1, path: (nodeId) => nodeSearchPathV1(nodeId, false), scope: scopeOf };
const SINGLE_V1: Service = { ...V1, path: (nodeId) => nodeSearchPathV1(nodeId, true), scope: () => 'own' };

async function answer(call: Call, { q = '', page = '0' }: SearchQuery, service: Service): Promise<Response> {
  const { baseUrl } = call;
  const entity = await findShown(call, 'node', 'always');
  const parameters = parametersOf(call.request.url);
  const motivation = parameters.get('motivation') ?? '';
  const isWanted = motivation.trim() === '' || motivation.split(/\s+/).some((each) => MOTIVATIONS.has(each));
  const result = await findWithin(call, entity, { query: isWanted ? q : '', scope: service.scope(call, entity), page });
  const ignored = [...new Set(parameters.keys())]
    .filter((name) => !IMPLEMENTED.has(name))
    .slice(0, MAX_IGNORED)
    .map((name) => name.slice(0, MAX_IGNORED_CHARS));
  const path = baseUrl + service.path(entity.content.head.id);
  const address = (number?: number) => {
    const kept = new URLSearchParams({ q });
    if (motivation !== '') kept.set('motivation', motivation);
    if (number !== undefined) kept.set('page', String(number));
    return `${path}?${kept}`;
  };
  const body = JSON.stringify(service.write(result, { address, ignored }));
  const contentType = `application/ld+json;profile="${service.context}"`;
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType });
}

import { etagOf } from '../../http/etag.ts';
import { searchPage } from '../../pages/search/search-page.tsx';
import { paths } from '../../paths.ts';
import { searchJson, searchLinks } from '../../representation/search/search-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import type { Formats } from '../../web/formats.ts';
import { describe, JSON_TYPE, PAGE_CONTENT, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { plainRepresentation, representation } from '../../web/respond.ts';
import { findResults } from './find-results.ts';
import { leftOut, searchQuery, searchState } from './search-query.ts';
import { searchResults } from './search-schemas.ts';

const FORMATS: Formats = { html: 'text/html', json: JSON_TYPE };

/** The route of the search, as a page and as JSON. */
export function searchRoutes(api: ApiServices) {
  const query = searchQuery(api.services.model);
  return resource(api).get(paths.search, ({ call, query }) => answerSearch(call, query), {
    check: { resource: 'search', formats: FORMATS },
    query,
    detail: describe({
      operationId: 'search',
      tag: 'search',
      summary: 'Search items',
      description:
        'Words, "phrases", prefix*, -without, OR, title:, subject:, creator: and identifier:. Results, totals, facets and snippets cover what the caller may view. `Link` has the neighbouring pages.',
      headers: READ_CONDITIONS,
      responses: versioned('The results.', { ...PAGE_CONTENT, [JSON_TYPE]: searchResults }, [
        'Content-Security-Policy',
        'Link',
      ]),
      failures: [400, 412],
    }),
  });
}

async function answerSearch(call: Call, query: Parameters<typeof searchState>[1]): Promise<Response> {
  const { api, baseUrl, request, format, site } = call;
  const { services } = api;
  const found = await findResults(call, searchState(request, query, services.model));
  const data = { ...found, ignored: [...leftOut(query), ...found.ignored] };
  if (format === 'json')
    return plainRepresentation(call, JSON.stringify(searchJson(data, baseUrl)), undefined, searchLinks(data, baseUrl));
  const page = searchPage(data, site);
  return representation(call, { ...page, etag: etagOf(page.body), changed: undefined });
}

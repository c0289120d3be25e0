import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { DESCRIPTION_TYPE, openSearchDescription, SUGGESTIONS_TYPE } from '../../representation/search/open-search.ts';
import { MAX_QUERY_CHARACTERS } from '../../representation/search/search-state.ts';
import { suggest } from '../../search/search-nodes.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import type { Formats } from '../../web/formats.ts';
import { describe, JSON_TYPE, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { plainRepresentation, representation } from '../../web/respond.ts';
import { openSearchSuggestions, suggestions } from './search-schemas.ts';

const FORMATS: Formats = { json: JSON_TYPE, suggestions: SUGGESTIONS_TYPE };

/** The routes of completions, and of the description by which browsers search this site from their address bar. */
export const suggestRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.searchSuggest, ({ call, query }) => answerSuggest(call, query.q ?? ''), {
      check: { resource: 'search', formats: FORMATS },
      query: queryOf({ q: t.Optional(t.String({ description: 'The beginning of a title or name.' })) }),
      detail: describe({
        operationId: 'suggest',
        tag: 'search',
        summary: 'Complete a search',
        description: 'Titles of items, and names of collections and terms, that the caller may view.',
        headers: READ_CONDITIONS,
        responses: versioned('The completions.', {
          [JSON_TYPE]: suggestions,
          [SUGGESTIONS_TYPE]: openSearchSuggestions,
        }),
        failures: [412],
      }),
    })
    .get(paths.openSearch, ({ call }) => answerDescription(call), {
      check: { formats: 'single' },
      detail: describe({
        operationId: 'getOpenSearchDescription',
        tag: 'search',
        summary: 'Read how browsers search this site',
        headers: READ_CONDITIONS,
        responses: versioned('An OpenSearch description.', { [DESCRIPTION_TYPE]: t.String() }),
        failures: [412],
      }),
    });

async function answerSuggest(call: Call, text: string): Promise<Response> {
  const { api, actor, baseUrl, format, client } = call;
  const asked = text.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
  const suggestions = await suggest(api, actor, asked, client);
  const listed = suggestions.map(({ text, kind, url }) => ({
    text,
    kind,
    url: url === undefined ? null : baseUrl + url,
  }));
  if (format === 'json') {
    return plainRepresentation(call, JSON.stringify({ query: asked, suggestions: listed }), undefined);
  }
  const columns = [listed.map((each) => each.text), listed.map(({ kind }) => kind), listed.map(({ url }) => url)];
  const body = JSON.stringify([asked, ...columns]);
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType: SUGGESTIONS_TYPE });
}

function answerDescription(call: Call): Response {
  const { api, baseUrl } = call;
  const body = openSearchDescription({ siteName: api.siteName, baseUrl });
  const contentType = `${DESCRIPTION_TYPE}; charset=utf-8`;
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType });
}

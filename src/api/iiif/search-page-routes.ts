import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import type { WithinPageData } from '../../representation/page-data.ts';
import type { Stage } from '../../representation/stage.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { findShown } from '../content/find-content-or-404.ts';
import { gatherStage } from '../content/gather-stage.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { describe, PAGE_CONTENT, READ_CONDITIONS, versioned } from '../openapi/describe.ts';
import { id } from '../parameters.ts';
import { representation } from '../respond.ts';
import { findWithin, SEARCH_QUERY, type SearchQuery, scopeOf } from './content-search-routes.ts';

/** The route of the page that searches within an item. */
export const searchPageRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeSearch, async ({ call, query }) => answer(call, query), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
    query: SEARCH_QUERY,
    detail: describe({
      operationId: 'getNodeSearch',
      tag: 'pages',
      summary: 'Search within a node',
      description: 'Shows the pages of an item with the searched words, and its viewer with them.',
      headers: READ_CONDITIONS,
      responses: versioned('The page.', PAGE_CONTENT, ['Content-Security-Policy']),
      failures: [403, 404, 412],
    }),
  });

async function answer(call: Call, { q = '', page = '0' }: SearchQuery): Promise<Response> {
  const { api, pageSource } = call;
  const found = await findShown(call, 'node', 'always');
  const [result, stage] = await Promise.all([
    findWithin(call, found, { query: q, scope: scopeOf(call, found), page }),
    gatherStage(call, found),
  ]);
  const data: WithinPageData = {
    query: q,
    page: result.page,
    pages: result.pages,
    found: result.canvases.map(({ node: { id: nodeId, label, language }, matches }) => ({
      ...{ id: nodeId, label, language },
      quotes: matches.map(({ before, exact, after }) => ({ before, exact, after })),
    })),
    stage: withQuery(stage, q),
  };
  const shown = api.pages.within({ content: found.parsed(), around: found.surroundings, links: [] }, data, pageSource);
  return representation(call, { ...shown, etag: etagOf(shown.body), changed: undefined, includesOthers: true });
}

/** Returns a stage whose viewer shows words. Only that of pages has a search. */
function withQuery(stage: Stage | undefined, query: string): Stage | undefined {
  return stage?.kind === 'pages' && query.trim() !== '' ? { ...stage, query } : stage;
}

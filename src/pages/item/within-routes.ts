import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { findWithin, SEARCH_QUERY, type SearchQuery, scopeOf } from '../../web/find-within.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';
import { gatherStage } from '../viewer/gather-stage.ts';
import type { Stage } from '../viewer/stage.ts';
import { type WithinPageData, withinPage } from './within-page.tsx';

/** The route of the page that searches within an item. */
export const searchPageRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeSearch, async ({ call, query }) => answer(call, query), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
    query: SEARCH_QUERY,
  });

async function answer(call: Call, { q = '', page = '0' }: SearchQuery): Promise<Response> {
  const { pageSource } = call;
  const found = await findShown(call, 'node', 'always');
  const [result, stage] = await Promise.all([
    findWithin(call, found, { query: q, scope: scopeOf(found), page }),
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
  const shown = withinPage({ content: found.parsed(), around: found.surroundings, links: [] }, data, pageSource);
  return representation(call, { ...shown, etag: etagOf(shown.body), changed: undefined, includesOthers: true });
}

/** Returns a stage whose viewer shows words. Only that of pages has a search. */
function withQuery(stage: Stage | undefined, query: string): Stage | undefined {
  return stage?.kind === 'pages' && query.trim() !== '' ? { ...stage, query } : stage;
}

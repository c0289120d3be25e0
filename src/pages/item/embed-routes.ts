import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';
import { gatherStage } from '../viewer/gather-stage.ts';
import { embedPage } from './embed-page.tsx';

/** The route of the page that other sites show in a frame. */
export const embedRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeEmbed, async ({ call }) => embed(call), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
  });

/** Answers the page of a node for a frame. */
async function embed(call: Call): Promise<Response> {
  const { api, pageSource } = call;
  const found = await findShown(call, 'node', 'always');
  const { content, surroundings, parsed } = found;
  const stage = await gatherStage(call, found);
  const isPublic = nodeAccess.view(api.anonymous, content.head).isAllowed;
  const page = embedPage({ content: parsed(), around: surroundings, links: [] }, { stage, isPublic }, pageSource);
  const response = representation(call, {
    ...page,
    etag: etagOf(page.body),
    changed: undefined,
    includesOthers: true,
  });
  // The policy says which sites may show the page in a frame.
  if (isPublic) response.headers.delete('X-Frame-Options');
  return response;
}

import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { describe, PAGE_CONTENT, READ_CONDITIONS, versioned } from '../openapi/describe.ts';
import { id } from '../parameters.ts';
import { representation } from '../respond.ts';
import { findShown } from './find-content-or-404.ts';
import { gatherStage } from './gather-stage.ts';

/** The route of the page that other sites show in a frame. */
export const embedRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeEmbed, async ({ call }) => embed(call), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
    detail: describe({
      operationId: 'getNodeEmbed',
      tag: 'pages',
      summary: 'Read the page of a node for a frame',
      description: 'Shows the files of the node alone. Other sites may show it in a frame if anyone may view the node.',
      headers: READ_CONDITIONS,
      responses: versioned('The page.', PAGE_CONTENT, ['Content-Security-Policy']),
      failures: [403, 404, 412],
    }),
  });

/** Answers the page of a node for a frame. */
async function embed(call: Call): Promise<Response> {
  const { api, pageSource } = call;
  const found = await findShown(call, 'node', 'always');
  const { content, surroundings, parsed } = found;
  const stage = await gatherStage(call, found);
  const isPublic = nodeAccess.view(api.anonymous, content.head).isAllowed;
  const page = api.pages.embed({ content: parsed(), around: surroundings, links: [] }, { stage, isPublic }, pageSource);
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

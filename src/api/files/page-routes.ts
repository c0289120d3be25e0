import { Type as t } from '@sinclair/typebox';
import { fileHeaders } from '../../http/active-content.ts';
import { recordOf } from '../../http/request-log.ts';
import { PAGES_TYPE } from '../../jobs/find-required.ts';
import { packPages } from '../../jobs/list-pages.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { VARY_BY_CALLER } from '../../web/respond.ts';
import { spendTime } from '../../web/spend.ts';
import { pagesOfNode } from './describe-files.ts';

/** The route of the page images of a node, from which the PDF of a book is generated. */
export const pageRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodePages, async ({ call }) => answerPages(call), {
    // Accepts the same credentials as the download of a single file.
    check: { resource: 'file.download', formats: 'single' },
    params: t.Object({ node: id('The id of the node.') }),
    detail: describe(pagesOfNode),
  });

async function answerPages(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  const node = await findOr404(call, 'node');
  call.allow(node.kind.access.view(actor, node.head));
  const headers = {
    ...fileHeaders(PAGES_TYPE, `pages-${node.head.id}.tar`),
    'Cache-Control': 'private, no-cache',
    Vary: VARY_BY_CALLER,
  };
  if (request.method === 'HEAD') return new Response(null, { headers });
  const chunks = packPages(api, actor, node.head.id);
  // An error before the first chunk still gets a status.
  const first = await spendTime(call, 'export', () => chunks.next());
  recordOf(request).allowSilence();
  return new Response(streamOf(call, first, chunks), { headers });
}

/** Returns the archive as a stream. An error aborts the response, so that the client notices that it is incomplete. */
function streamOf(
  call: Call,
  first: IteratorResult<Uint8Array, void>,
  chunks: AsyncGenerator<Uint8Array, void, void>,
): ReadableStream<Uint8Array> {
  let next: IteratorResult<Uint8Array, void> | undefined = first;
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = next ?? (await chunks.next());
          next = undefined;
          if (isCancelled) return;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (isCancelled) return;
          call.api.services.warn('the download of page images was interrupted', error);
          // Bun prints an error passed here.
          controller.error(undefined);
        }
      },
      async cancel() {
        isCancelled = true;
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

import { Type as t } from '@sinclair/typebox';
import { fileHeaders } from '../../http/active-content.ts';
import { recordOf } from '../../http/request-log.ts';
import { PAGES_TYPE } from '../../jobs/find-wanted.ts';
import { packPages } from '../../jobs/list-pages.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { findOr404 } from '../content/find-content-or-404.ts';
import { describe } from '../openapi/describe.ts';
import { id } from '../parameters.ts';
import { VARY_BY_CALLER } from '../respond.ts';
import { pagesOfNode } from './describe-files.ts';

/** The images of a node's members, one after the other: the source of a book's PDF. */
export const pageRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodePages, async ({ call }) => answerPages(call), {
    // Credentials that are good for one file are good for many.
    check: { resource: 'file.download', formats: 'single', name: 'view.pages.rest_export' },
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
  // A failure until then still has a status.
  const first = await chunks.next();
  recordOf(request).allowSilence();
  return new Response(streamOf(call, first, chunks), { headers });
}

/** An archive that is read as its reader takes it. What fails in between cuts the answer off, so that it is not taken for whole. */
function streamOf(
  call: Call,
  first: IteratorResult<Uint8Array, void>,
  chunks: AsyncGenerator<Uint8Array, void, void>,
): ReadableStream<Uint8Array> {
  let next: IteratorResult<Uint8Array, void> | undefined = first;
  let hasLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = next ?? (await chunks.next());
          next = undefined;
          if (hasLeft) return;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (hasLeft) return;
          call.api.services.warn('the pages of a node broke off while they were sent', error);
          // Bun prints an error that is given here.
          controller.error(undefined);
        }
      },
      async cancel() {
        hasLeft = true;
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

import { noteBody } from '../../http/compression.ts';
import { nodeAccess } from '../../repository/access.ts';
import { findTombstone } from '../../repository/content/tombstones.ts';
import { STATUS_GONE } from '../../repository/redirect-source.ts';
import type { Call } from '../../web/call.ts';
import { putNonce, VARY_BY_ACCEPT, VARY_BY_CALLER } from '../../web/respond.ts';
import { tombstonePage } from './tombstone-page.tsx';

/**
 * Returns the page of the deleted node that the path names, with the status 410. Undefined for a node without a tombstone, and
 * for callers who may not view published nodes.
 */
export async function tombstoneAnswer(call: Call): Promise<Response | undefined> {
  const { api, actor, site, isNegotiated } = call;
  if (!api.hasTombstones || !nodeAccess.visibility(actor).published) return undefined;
  const tombstone = await findTombstone(api.services.database, call.id('node'));
  if (tombstone === undefined) return undefined;
  const page = tombstonePage(tombstone, site);
  const headers = new Headers({
    'Content-Type': page.contentType,
    'Cache-Control': 'must-revalidate, no-cache, private',
    'Content-Language': 'en',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    ...page.headers,
    Vary: isNegotiated ? VARY_BY_ACCEPT : VARY_BY_CALLER,
  });
  const body = page.noncePlaceholder === undefined ? page.body : putNonce(page.noncePlaceholder, page.body, headers);
  return noteBody(new Response(body, { status: STATUS_GONE, headers }), body);
}

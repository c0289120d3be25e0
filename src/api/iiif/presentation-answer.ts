import { etagOf } from '../../http/etag.ts';
import { PRESENTATION_TYPE, type Resource } from '../../iiif/presentation/resource.ts';
import type { Content } from '../../repository/content/content.ts';
import type { Call } from '../../web/call.ts';
import { changedOf } from '../../web/content-links.ts';
import { type Representation, representation } from '../../web/respond.ts';

/**
 * Returns a resource that is made of a node as JSON-LD. Its date is that of the node: other nodes and terms are part of it, so
 * that its ETag alone identifies the version.
 */
export function presentationAnswer(
  call: Call,
  resource: Resource,
  content: Content,
  { contentType = PRESENTATION_TYPE, headers = {} }: Pick<Representation, 'contentType' | 'headers'> = {},
): Response {
  const body = JSON.stringify(resource);
  const changed = changedOf(content);
  return representation(call, { body, etag: etagOf(body), changed, includesOthers: true, contentType, headers });
}

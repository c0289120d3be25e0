import { etagOf } from '../../http/etag.ts';
import { PRESENTATION_TYPE, type Resource } from '../../iiif/presentation/resource.ts';
import type { Call } from '../call.ts';
import { representation } from '../respond.ts';

/** Returns a resource as JSON-LD. No date identifies its version: other nodes and terms are part of it. */
export function presentationAnswer(call: Call, resource: Resource): Response {
  const body = JSON.stringify(resource);
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType: PRESENTATION_TYPE });
}

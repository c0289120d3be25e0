import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { parseDigests } from '../http/digest-fields.ts';
import { checkPreconditions } from '../http/preconditions.ts';
import { recordOf } from '../http/request-log.ts';
import { entityPath, paths } from '../paths.ts';
import { attachAccess, replaceSourceAccess } from '../repository/access.ts';
import type { Content } from '../repository/content/content.ts';
import { stale } from '../repository/errors.ts';
import { checkExtension, parseContentLocation } from '../repository/files/content-location.ts';
import { type Ingested, ingest, type Upload } from '../repository/files/ingest.ts';
import { attachableSourceOf } from '../repository/media/attach-file.ts';
import { putToNode as put, replaceWith, storeForSource } from '../repository/media/put-to-node.ts';
import type { Scheme } from '../repository/services.ts';
import type { Call } from './call.ts';
import { changedOf, etagFor } from './content-answer.ts';
import { findOr404 } from './content-routes.ts';
import * as file from './openapi/describe-files.ts';
import { empty, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

/** PUT of binaries: to a node with a use, and over the source of a media (spec: rest-behaviour, 5). */
export const mediaSourceRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: paths.nodeMediaSource,
    resource: 'node.media',
    description: file.putToNode,
    answer: putToNode,
  },
  { method: 'PUT', path: paths.mediaSource, resource: 'media.source', description: file.putSource, answer: putSource },
];

const PUT_TO_NODE = 'islandora.media_source_put_to_node';
const PUT_SOURCE = 'islandora.media_source_update';

async function putToNode(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  const node = await findOr404(call, 'node', paths.nodeMediaSource, PUT_TO_NODE);
  const type = api.services.model.mediaTypes.get(call.params.media_type ?? '');
  if (type === undefined) throw call.notFound('media_type', paths.nodeMediaSource, PUT_TO_NODE);
  const term = await findOr404(call, 'taxonomy_term', paths.nodeMediaSource, PUT_TO_NODE);
  call.allow(attachAccess(actor, node.head));
  const filemime = contentTypeOf(call);
  const { media, isNew } = await put(api, {
    ...replacing(call),
    actor,
    attachment: { nodeId: node.head.id, termId: term.head.id, type },
    filemime,
    destination() {
      if (checkPreconditions(request.method, request.headers, undefined) === 'failed') throw stale();
      const destination = parseContentLocation(api.services, request.headers.get('content-location'));
      checkExtension(destination.filename, attachableSourceOf(type).fileExtensions);
      return destination;
    },
    receive: (store, uri) => receive(call, store, uri),
  });
  return isNew ? empty(201, { Location: `${call.baseUrl}${entityPath.media(media.head.id)}` }) : empty(204);
}

async function putSource(call: Call): Promise<Response> {
  const { api, actor } = call;
  const media = await findOr404(call, 'media', paths.mediaSource, PUT_SOURCE);
  call.allow(replaceSourceAccess(actor, media.head));
  const filemime = contentTypeOf(call);
  const store = await storeForSource(api, media);
  const conditions = replacing(call);
  const replacement = {
    ...conditions,
    actor,
    filemime,
    check(current: Content) {
      call.require(replaceSourceAccess(actor, current.head));
      conditions.check(current);
    },
  };
  replacement.check(media);
  await replaceWith(api, replacement, media, await receive(call, store));
  return empty(204);
}

/** What the preconditions of a request say of the media whose source it replaces. */
function replacing(call: Call): { check: (media: Content) => void; gone: () => Error } {
  return {
    check: (media) => requireCurrent(call, () => etagFor(call, media), changedOf(media)),
    gone: () => call.notFound('media', paths.mediaSource, PUT_SOURCE),
  };
}

/** The MIME type that is kept of the file: the header's, without parameters. */
function contentTypeOf({ request }: Call): string {
  const header = request.headers.get('content-type');
  if (header === null || header.trim() === '') throw malformed('Missing Content-Type header');
  const mediaType = parseMediaType(header);
  if (mediaType === undefined || mediaType.length > 255)
    throw malformed('The Content-Type header does not name a MIME type such as image/png.');
  return mediaType;
}

/**
 * Stores the body of a request in the storage of a scheme. Rejects an empty one (spec: rest-behaviour, 5.1 step 10).
 * `limit` overrides the server's limit on files.
 */
export async function receive(
  { api, request }: Call,
  store: Scheme,
  uri?: string,
  mayBeEmpty = false,
  limit: Pick<Upload, 'maxBytes' | 'beyond'> = { maxBytes: api.maxUploadBytes },
): Promise<Ingested> {
  const record = recordOf(request);
  const length = request.headers.get('content-length');
  // Without an idle timeout: `minUploadRate` decides which upload is too slow.
  record.allowSilence();
  const ingested = await ingest(store, {
    body: request.body,
    declaredBytes: length === null ? undefined : Number(length),
    digests: parseDigests(request.headers),
    ...limit,
    minRate: api.minUploadRate,
    signal: request.signal,
  });
  record.bytesIn = ingested.staged.bytes;
  if (ingested.staged.bytes > 0 || mayBeEmpty) return ingested;
  await ingested.staged.discard();
  throw malformed(uri === undefined ? 'No bytes were copied' : `No bytes were copied to ${uri}`);
}

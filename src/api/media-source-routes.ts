import { malformed } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { parseDigests } from '../http/digest-fields.ts';
import { checkPreconditions } from '../http/preconditions.ts';
import { recordOf } from '../http/request-log.ts';
import { entityPath, paths } from '../paths.ts';
import { attachAccess, replaceSourceAccess } from '../repository/access.ts';
import type { Content } from '../repository/content/content.ts';
import { busyEntity, stale } from '../repository/errors.ts';
import { checkExtension, type Destination, parseContentLocation } from '../repository/files/content-location.ts';
import { type Ingested, ingest } from '../repository/files/ingest.ts';
import { storageOf } from '../repository/files/scheme.ts';
import {
  type Attachment,
  attachableSourceOf,
  attachFile,
  isTaken,
  matchingMedia,
} from '../repository/media/attach-file.ts';
import { replaceSource, sourceFile } from '../repository/media/replace-source.ts';
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
/** How often a PUT that lost a race looks again. */
const MAX_ATTEMPTS = 8;

async function putToNode(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  const node = await findOr404(call, 'node', paths.nodeMediaSource, PUT_TO_NODE);
  const type = api.services.model.mediaTypes.get(call.params.media_type ?? '');
  if (type === undefined) throw call.notFound('media_type', paths.nodeMediaSource, PUT_TO_NODE);
  const term = await findOr404(call, 'taxonomy_term', paths.nodeMediaSource, PUT_TO_NODE);
  call.allow(attachAccess(actor, node.head));
  const filemime = contentTypeOf(call);
  const attachment: Attachment = { nodeId: node.head.id, termId: term.head.id, type };
  const { visible } = await findMatching(call, attachment);
  if (visible) return replaceWithBody(call, visible, filemime);
  if (checkPreconditions(request.method, request.headers, undefined) === 'failed') throw stale();
  const destination = parseContentLocation(api.services, request.headers.get('content-location'));
  checkExtension(destination.filename, attachableSourceOf(type).fileExtensions);
  return create(call, attachment, destination, filemime);
}

/** Whoever comes second finds the media of the first, and replaces what is there. */
async function create(
  call: Call,
  attachment: Attachment,
  destination: Destination,
  filemime: string,
): Promise<Response> {
  const { api, actor } = call;
  const ingested = await receive(call, destination.scheme, destination.uri);
  try {
    for (let attempt = 1; ; attempt++) {
      const { visible, hidden } = await findMatching(call, attachment);
      if (visible) {
        const { name } = await schemeOfSource(call, visible);
        if (name !== ingested.scheme.name)
          throw busyEntity(`the file is in ${name}, the body in ${ingested.scheme.name}`);
        return await replace(call, visible, filemime, ingested);
      }
      try {
        const unlike = { ...attachment, hidden };
        const media = await attachFile(api.services, actor, api.kinds.media, unlike, destination, ingested, filemime);
        await ingested.staged.keep();
        return empty(201, { Location: `${call.baseUrl}${entityPath.media(media.head.id)}` });
      } catch (error) {
        if (!isTaken(error)) throw error;
        if (attempt === MAX_ATTEMPTS) throw busyEntity(error);
      }
    }
  } catch (error) {
    // Nothing happens to bytes that a row names by now.
    await ingested.staged.discard();
    throw error;
  }
}

interface Matching {
  /** The first media that the PUT means and that the caller may see. */
  readonly visible: Content | undefined;
  /** Those before it that the caller must not learn of: for them they do not count. */
  readonly hidden: readonly number[];
}

async function findMatching(call: Call, attachment: Attachment): Promise<Matching> {
  const hidden: number[] = [];
  for (const id of await matchingMedia(call.api.services, attachment)) {
    const media = await call.api.findContent('media', id);
    if (media?.kind.access.view(call.actor, media.head).isAllowed) return { visible: media, hidden };
    hidden.push(id);
  }
  return { visible: undefined, hidden };
}

async function putSource(call: Call): Promise<Response> {
  const media = await findOr404(call, 'media', paths.mediaSource, PUT_SOURCE);
  call.allow(replaceSourceAccess(call.actor, media.head));
  return replaceWithBody(call, media, contentTypeOf(call));
}

async function replaceWithBody(call: Call, media: Content, filemime: string): Promise<Response> {
  const scheme = await schemeOfSource(call, media);
  requireCurrent(call, () => etagFor(call, media), changedOf(media));
  return replace(call, media, filemime, await receive(call, scheme));
}

async function replace(call: Call, media: Content, filemime: string, ingested: Ingested): Promise<Response> {
  const { api, actor } = call;
  const { id } = media.head;
  await replaceSource(api.services, {
    actor,
    ingested,
    filemime,
    findFile: api.findFile,
    read: async () => {
      const current = await api.findContent('media', id);
      if (current === undefined) throw call.notFound('media', paths.mediaSource, PUT_SOURCE);
      return current;
    },
    check: (current) => requireCurrent(call, () => etagFor(call, current), changedOf(current)),
  });
  return empty(204);
}

async function schemeOfSource({ api }: Call, media: Content): Promise<Scheme> {
  const { row } = await sourceFile(media, api.findFile);
  return storageOf(api.services, row.uri);
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

/** Stores the body of a request. An empty one is refused (spec: rest-behaviour, 5.1 step 10). */
export async function receive(
  { api, request }: Call,
  scheme: Scheme,
  uri?: string,
  mayBeEmpty = false,
): Promise<Ingested> {
  const record = recordOf(request);
  const length = request.headers.get('content-length');
  // A slow line is no reason to hang up on someone.
  record.allowSilence();
  const ingested = await ingest(scheme, {
    body: request.body,
    declaredBytes: length === null ? undefined : Number(length),
    digests: parseDigests(request.headers),
    maxBytes: api.maxUploadBytes,
    signal: request.signal,
  });
  record.bytesIn = ingested.staged.bytes;
  if (ingested.staged.bytes > 0 || mayBeEmpty) return ingested;
  await ingested.staged.discard();
  throw malformed(uri === undefined ? 'No bytes were copied' : `No bytes were copied to ${uri}`);
}

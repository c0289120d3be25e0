import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../../base/errors.ts';
import { parseMediaType } from '../../base/media-type.ts';
import { checkPreconditions } from '../../http/preconditions.ts';
import { entityPath, paths } from '../../paths.ts';
import { attachAccess, replaceSourceAccess } from '../../repository/access.ts';
import type { Content } from '../../repository/content/content.ts';
import { stale } from '../../repository/errors.ts';
import { checkExtension, parseContentLocation } from '../../repository/files/content-location.ts';
import { attachableSourceOf } from '../../repository/media/attach-file.ts';
import { type NodePut, putToNode as put, replaceWith, storeForSource } from '../../repository/media/put-to-node.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { changedOf, etagFor } from '../../web/content-links.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { empty, requireCurrent } from '../../web/respond.ts';
import * as file from './describe-files.ts';
import { receive } from './receive.ts';

const node = id('The id of the node.');
const term = id('The id of the media use term.');
const media = id('The id of the media.');

/** Routes that store a file as a media of a node, or replace the source of a media (spec: rest-behaviour, 5). */
export const mediaSourceRoutes = (api: ApiServices) =>
  resource(api)
    .put(paths.nodeMediaSource, async ({ call }) => putToNode(call), {
      check: { resource: 'node.media' },
      params: t.Object({
        node,
        media_type: t.String({ description: 'Such as image, file or audio.' }),
        taxonomy_term: term,
      }),
      detail: describe(file.putToNode),
    })
    .put(paths.mediaSource, async ({ call }) => putSource(call), {
      check: { resource: 'media.source' },
      params: t.Object({ media }),
      detail: describe(file.putSource),
    });

async function putToNode(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  const node = await findOr404(call, 'node');
  const type = api.services.model.mediaTypes.get(call.params.media_type ?? '');
  if (type === undefined) throw call.notFound('media_type');
  const term = await findOr404(call, 'taxonomy_term');
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
  return isNew
    ? empty(201, { Location: `${call.baseUrl}${entityPath.media(media.head.id)}` })
    : empty(204, call.noticeHeaders);
}

async function putSource(call: Call): Promise<Response> {
  const { api, actor } = call;
  const media = await findOr404(call, 'media');
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
  return empty(204, call.noticeHeaders);
}

/** Returns the checks of the media whose source a request replaces. */
function replacing(call: Call): Pick<NodePut, 'check' | 'gone' | 'note'> {
  return {
    note: call.note,
    check: (media) => requireCurrent(call, () => etagFor(call, media), changedOf(media)),
    gone: () => new ServiceError('not-found', 'Another request deleted the media.'),
  };
}

/** Returns the MIME type of the Content-Type header, without parameters. */
function contentTypeOf({ request }: Call): string {
  const header = request.headers.get('content-type');
  if (header === null || header.trim() === '') throw malformed('Missing Content-Type header');
  const mediaType = parseMediaType(header);
  if (mediaType === undefined || mediaType.length > 255)
    throw malformed('The Content-Type header must be a MIME type such as image/png.');
  return mediaType;
}

import { Type as t } from '@sinclair/typebox';
import Negotiator from 'negotiator';
import { Cache } from '../../base/cache.ts';
import { ServiceError } from '../../base/errors.ts';
import { etagOf, strongEtag } from '../../http/etag.ts';
import { linkHeader } from '../../http/link-header.ts';
import { checkPreconditions, formatHttpDate } from '../../http/preconditions.ts';
import { recordOf } from '../../http/request-log.ts';
import { INFO_TYPE, imageInfo, PLAIN_INFO_TYPE } from '../../iiif/image/image-info.ts';
import { FORMAT_TYPES, parseImageRequest } from '../../iiif/image/image-request.ts';
import { type ImageService, imageService, pageService, readImageName } from '../../iiif/image/image-service.ts';
import { planResponse, type ResponsePlan } from '../../iiif/image/plan-response.ts';
import { type ResolvedRequest, resolveRequest } from '../../iiif/image/resolve-request.ts';
import type { ServedImage } from '../../iiif/image/served-image.ts';
import { paths } from '../../paths.ts';
import { stale } from '../../repository/errors.ts';
import type { SourceImage } from '../../repository/media/find-image.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { noteUse } from '../../web/count-use.ts';
import { describe } from '../../web/openapi/describe.ts';
import { empty, VARY_BY_ACCEPT, VARY_BY_CALLER } from '../../web/respond.ts';
import * as described from './describe-images.ts';
import { imageBody, imageClient } from './image-body.ts';

const check = { resource: 'iiif.image', formats: 'single' } as const;
const uuid = t.String({ description: 'The UUID of a media, or that with a page of its PDF: UUID.2' });
const INFO = 'info.json';
/** The segments of `/iiif/3/UUID`, with the empty one before the first slash. */
const SEGMENTS_BEFORE = paths.image.split('/').length;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HTML = /\btext\/html\b/i;

/** Maximum size of the cache of found tiles, and the estimated size of one, in bytes. */
const MAX_TILES_BYTES = 4 * 1024 * 1024;
const TILE_BYTES = 2_000;

/** Routes of the IIIF Image API 3.0. */
export function imageRoutes(api: ApiServices) {
  const tiles: TileCache = new Cache<Tile>({
    maxBytes: MAX_TILES_BYTES,
    bytesOf: () => TILE_BYTES,
    state: api.services.database.stamp,
  });
  return resource(api)
    .get(paths.image, async ({ call, params: { media_uuid } }) => redirectToInfo(call, media_uuid), {
      check,
      params: t.Object({ media_uuid: uuid }),
      detail: describe(described.base),
    })
    .get(paths.imageRequest, async ({ call, params: { media_uuid } }) => await answer(call, media_uuid, tiles), {
      check,
      params: t.Object({
        media_uuid: uuid,
        '*': t.String({ description: '`info.json`, or region, size, rotation, quality and format.' }),
      }),
      detail: describe(described.request),
    });
}

/** The response for an image, without its bytes. */
interface ImageAnswer {
  readonly plan: ResponsePlan;
  readonly resolved: ResolvedRequest;
  readonly etag: string;
  readonly lastModified: Date;
  readonly headers: Headers;
}

/** An answer with the image from which it was made. */
interface Tile extends ImageAnswer {
  readonly image: SourceImage;
}

/** Tiles by the address of their service and their path: a viewer of the same image asks every reader for the same. */
type TileCache = Cache<Tile>;

async function redirectToInfo(call: Call, mediaUuid: string): Promise<Response> {
  const { service } = await findAllowed(call, mediaUuid);
  return empty(303, {
    Location: `${service.id}/${INFO}`,
    'Cache-Control': 'private, no-cache',
    Vary: VARY_BY_CALLER,
  });
}

async function answer(call: Call, mediaUuid: string, tiles: TileCache): Promise<Response> {
  const viewable = await findAllowed(call, mediaUuid);
  const { image, service } = viewable;
  const { path } = recordOf(call.request);
  // The UUID may be escaped, and the text after it must not be unescaped twice.
  const rest = path.split('/').slice(SEGMENTS_BEFORE).join('/');
  if (rest === INFO) {
    // A viewer reads it once, before many tiles.
    noteUse(call, 'file', image.file.id);
    return answerInfo(call, viewable);
  }
  const name = `${service.id}/${rest}`;
  const known = tiles.get(name);
  if (known?.image === image) return answerImage(call, known);
  const state = tiles.state();
  const made = await makeAnswer(call, viewable, rest);
  if (made.plan.kind === 'part') tiles.set(name, { ...made, image }, { state });
  return answerImage(call, made);
}

interface ViewableImage {
  readonly image: SourceImage;
  readonly service: ImageService;
  /** The page of a PDF. */
  readonly page: number | undefined;
}

/** Throws 404 for an unknown media and one without an image, and 401 or 403 if the caller may not view it. */
async function findAllowed(call: Call, name: string): Promise<ViewableImage> {
  const { api, actor, baseUrl } = call;
  const { images } = api;
  const { uuid: mediaUuid, page } = readImageName(name);
  const image = UUID.test(mediaUuid) ? await api.findImage(actor, mediaUuid) : undefined;
  const media = image && { uuid: mediaUuid, filemime: image.file.filemime };
  const isOfPage = page !== undefined && images.computed.readsPages;
  const service =
    media && (isOfPage ? pageService(media, page, baseUrl) : imageService(media, baseUrl, images.canTransform));
  if (image === undefined || service === undefined || (name !== mediaUuid && !isOfPage))
    throw new ServiceError('not-found', 'There is no image at this address. It names the UUID of a media.');
  call.allow(image.access);
  return { image, service, page };
}

/** Returns an image, or the page of a PDF. */
function open(call: Call, { image, page }: ViewableImage): Promise<ServedImage> {
  const { api } = call;
  const client = imageClient(call);
  return page === undefined ? api.images.open(image, client) : api.images.openPage(image.file, page, client);
}

async function answerInfo(call: Call, viewable: ViewableImage): Promise<Response> {
  const { images } = call.api;
  const { image: source, service } = viewable;
  const image = await open(call, viewable);
  const body = `${JSON.stringify(imageInfo(service, image, images.limits), null, 2)}\n`;
  const contentType = infoType(call.request.headers.get('accept'));
  const headers = {
    ...commonHeaders(source),
    'Content-Type': contentType,
    ETag: etagOf(`${contentType}\n${body}`),
    Vary: VARY_BY_ACCEPT,
    Link: linkHeader([profileLink(service)]),
  };
  return conditional(call, { etag: headers.ETag, headers }) ?? new Response(body, { headers });
}

/** Returns the type of `info.json`: JSON-LD, unless a client prefers JSON, or is a browser that would download it. */
function infoType(accept: string | null): string {
  if (!accept || HTML.test(accept)) return accept ? PLAIN_INFO_TYPE : INFO_TYPE;
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(['application/ld+json', PLAIN_INFO_TYPE]);
  return best === PLAIN_INFO_TYPE ? PLAIN_INFO_TYPE : INFO_TYPE;
}

async function makeAnswer(call: Call, viewable: ViewableImage, rest: string): Promise<ImageAnswer> {
  const { api } = call;
  const { image: source, service } = viewable;
  const requested = parseImageRequest(rest);
  const image = await open(call, viewable);
  const resolved = resolveRequest(requested, image, api.images.limits);
  const plan = planResponse(image, resolved);
  if (plan.kind === 'computed' && !api.images.canTransform) throw onlyStored(service);
  const lastModified = new Date(plan.file.changed * 1000);
  const etag = strongEtag(`${plan.file.sha256.slice(0, 32)}-${Bun.hash(resolved.canonical).toString(36)}`);
  const headers = new Headers({
    ...commonHeaders(source),
    'Content-Type': FORMAT_TYPES[resolved.format],
    'Content-Disposition': `inline; filename="${fileName(resolved)}"`,
    ETag: etag,
    'Last-Modified': formatHttpDate(lastModified),
    Vary: VARY_BY_CALLER,
    Link: linkHeader([profileLink(service), { href: `${service.id}/${resolved.canonical}`, rel: 'canonical' }]),
  });
  return { plan, resolved, etag, lastModified, headers };
}

async function answerImage(call: Call, answer: ImageAnswer): Promise<Response> {
  const { plan, resolved, headers } = answer;
  return conditional(call, answer) ?? imageBody(call, plan, resolved, headers);
}

function commonHeaders({ isOpen }: SourceImage): Record<string, string> {
  return {
    'Cache-Control': isOpen ? 'public, no-cache' : 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
  };
}

const profileLink = ({ profile }: ImageService) => ({
  href: `http://iiif.io/api/image/3/${profile}.json`,
  rel: 'profile',
});

const fileName = ({ region, size, format }: ResolvedRequest) =>
  `${region.x}-${region.y}-${size.width}x${size.height}.${format}`;

/** Returns 304 if the caller has this version. Throws 412 if `If-Match` does not hold. */
function conditional(
  { request }: Call,
  {
    etag,
    lastModified,
    headers,
  }: Pick<ImageAnswer, 'etag'> & {
    readonly lastModified?: Date;
    readonly headers: HeadersInit;
  },
): Response | undefined {
  const outcome = checkPreconditions(request.method, request.headers, { etag, lastModified });
  if (outcome === 'failed') throw stale();
  return outcome === 'not-modified' ? new Response(null, { status: 304, headers }) : undefined;
}

/** Returns the error for a request that a service of level 0 cannot answer (IIIF Image API 3.0, 4.7). */
function onlyStored(service: ImageService): ServiceError {
  return new ServiceError(
    'malformed',
    `This server computes no images. ${service.id}/${INFO} lists the tiles and sizes that it has.`,
  );
}

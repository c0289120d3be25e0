import { Type as t } from '@sinclair/typebox';
import Negotiator from 'negotiator';
import { malformed, ServiceError } from '../../base/errors.ts';
import { answeringService } from '../../iiif/image/answering-service.ts';
import { canvasMediaOf, chooseCanvasMedia } from '../../iiif/presentation/choose-canvas-media.ts';
import {
  COLLECTION_PAGE_SIZE,
  collectionOf,
  collectionPageOf,
  pagedCollectionOf,
} from '../../iiif/presentation/collection.ts';
import { findWithMembers } from '../../iiif/presentation/find-answering.ts';
import { type ManifestSource, manifestOf } from '../../iiif/presentation/manifest.ts';
import { documentsToUnfold, type PagesOf } from '../../iiif/presentation/page-canvases.ts';
import { PRESENTATION_TYPE, type Resource, resourceTypeOf } from '../../iiif/presentation/resource.ts';
import { filesToMeasure, type Size } from '../../iiif/presentation/sizes.ts';
import { inVersion2, PRESENTATION_2_TYPE } from '../../iiif/presentation/version-2.ts';
import { pathOf, paths } from '../../paths.ts';
import {
  findShowable,
  listShowable,
  type ShowableFile,
  type ShowableList,
  type ShowableMember,
} from '../../repository/content/lists/find-showable.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import { modelOf } from '../../repository/content/read/surroundings.ts';
import { typeOfFile } from '../../repository/files/file-type.ts';
import { type Measurements, measureFiles } from '../../repository/files/measure-files.ts';
import { findUnserved } from '../../repository/media/find-unserved.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id, PAGE_QUERY, type PageQuery, pageOrFirst, parameter, queryOf } from '../../web/parameters.ts';
import { VARY_BY_ACCEPT } from '../../web/respond.ts';
import * as described from './describe-manifests.ts';
import { presentationAnswer } from './presentation-answer.ts';

const check = { resource: 'iiif.presentation', formats: 'single' } as const;
const params = t.Object({ node: id('The id of the node.') });

const VERSION_QUERY = queryOf({
  version: t.Optional(
    parameter<Version>(
      {
        type: 'string',
        enum: ['2', '3'],
        description: 'The version of the Presentation API (default: as in Accept, or 2).',
      },
      (text) => text === '2' || text === '3',
      (value) => malformed(`The query parameter "version" must be 2 or 3, found "${String(value).slice(0, 20)}".`),
    ),
  ),
});

type Version = '2' | '3';
const VERSION_TYPES: Readonly<Record<Version, string>> = { 2: PRESENTATION_2_TYPE, 3: PRESENTATION_TYPE };

/** The routes of IIIF manifests (Presentation API 3.0). */
export const manifestRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeManifest, async ({ call, query }) => answerManifest(call, query), {
      check,
      params,
      query: queryOf(PAGE_QUERY),
      detail: describe(described.nodeManifest),
    })
    .get(paths.nodeBookManifest, async ({ call, query }) => answerBookManifest(call, query.version), {
      check,
      params,
      query: VERSION_QUERY,
      detail: describe(described.nodeBookManifest),
    });

/** Answers the manifest of a node, or its collection, or a page of that. */
async function answerManifest(call: Call, query: PageQuery): Promise<Response> {
  const entity = await findShown(call);
  if (modelOf(call.api.services.model, entity.surroundings).structure === 'collection')
    return presentationAnswer(call, await readCollection(call, entity, query), entity.content);
  const address = call.baseUrl + pathOf('nodeManifest', { node: entity.content.head.id });
  return presentationAnswer(call, await readManifest(call, entity, address, 'any'), entity.content);
}

/** Answers the manifest of the pages of a node in the version that the query or `Accept` names. */
async function answerBookManifest(call: Call, named: Version | undefined): Promise<Response> {
  const entity = await findShown(call);
  const address = call.baseUrl + pathOf('nodeBookManifest', { node: entity.content.head.id });
  const manifest = await readManifest(call, entity, address, 'pages');
  const version = named ?? acceptedVersion(call.request.headers.get('accept'));
  return presentationAnswer(call, version === '2' ? inVersion2(manifest) : manifest, entity.content, {
    contentType: VERSION_TYPES[version],
    headers: { Vary: VARY_BY_ACCEPT },
  });
}

/** Returns the version whose profile a client prefers. The default is 2: merging programs of the field read `sequences`. */
function acceptedVersion(accept: string | null): Version {
  const [best] = new Negotiator({ headers: { accept: accept ?? '*/*' } }).mediaTypes(Object.values(VERSION_TYPES));
  return best === VERSION_TYPES[3] ? '3' : '2';
}

/** Returns the node that a path names. Throws 404 if it does not exist, and 401 or 403 if the caller may not view it. */
async function findShown(call: Call): Promise<ContentInContext> {
  const entity = await call.readContent('node', 'always');
  if (entity === undefined) throw call.notFound('node');
  call.allow(entity.access);
  return entity;
}

/** Returns the manifest of a node. Throws 404 if it has nothing to show, or no pages where pages are wanted. */
async function readManifest(
  call: Call,
  entity: ContentInContext,
  address: string,
  wanted: 'any' | 'pages',
): Promise<Resource> {
  const { api, actor } = call;
  const { id: nodeId } = entity.content.head;
  const { surroundings: around } = entity;
  const tree = await findShowable(api.services, actor, nodeId);
  const shown =
    tree === undefined ? [] : chooseCanvasMedia(tree, modelOf(api.services.model, around).structure === 'paged');
  if (tree === undefined || shown.length === 0)
    throw new ServiceError('not-found', `Node ${nodeId} has no image, audio, video or PDF to show.`);
  if (wanted === 'pages' && shown.every(({ node }) => node.id === nodeId))
    throw new ServiceError(
      'not-found',
      `Node ${nodeId} has no pages. Its manifest is ${pathOf('nodeManifest', { node: nodeId })}.`,
    );
  const [measured, unserved, pages] = await Promise.all([
    measureFiles(api.services, filesToMeasure(shown)),
    findUnserved(
      api.services.database,
      shown.map(({ node }) => node.id),
    ),
    findPages(call, documentsToUnfold(shown)),
  ]);
  const access = actor.rightsOf(entity.content.head.accessSet);
  const described = { content: entity.parsed(), around, parentModels: tree.parentModels, access };
  return manifestOf(address, { described, tree, shown, pages }, sourceOf(call, measured, unserved));
}

/** Returns the sizes of the pages of PDF files. Without those of a file that cannot be read, or not now. */
async function findPages({ api, client }: Call, documents: readonly ShowableFile[]): Promise<PagesOf> {
  const pages = new Map<number, readonly Size[]>();
  if (!api.images.computed.readsPages) return pages;
  for (const { id: file } of documents) {
    const row = (await api.findFile.byId(file))?.row;
    if (row === undefined) continue;
    try {
      pages.set(file, await api.images.computed.readPages({ ...row, filemime: typeOfFile(row) }, client));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      api.services.warn(`the pages of ${row.uri} cannot be counted`, error);
    }
  }
  return pages;
}

/** Returns the collection of a node: with its members, or with its pages if they are too many. */
async function readCollection(call: Call, entity: ContentInContext, query: PageQuery): Promise<Resource> {
  const { api, actor } = call;
  const { id: nodeId } = entity.content.head;
  const { page } = query;
  const asked = pageOrFirst(query, COLLECTION_PAGE_SIZE);
  const list = await listShowable(api.services, actor, nodeId, { ...asked, isComplete: page === undefined });
  if (list === undefined) throw call.notFound('node');
  const access = actor.rightsOf(entity.content.head.accessSet);
  const { surroundings: around } = entity;
  const described = { content: entity.parsed(), around, parentModels: list.parentModels, access };
  const source = sourceOf(call, new Map(), new Set());
  const members = await findListed(call, list);
  if (page === undefined)
    return list.total > COLLECTION_PAGE_SIZE
      ? pagedCollectionOf(described, list, source)
      : collectionOf(described, { ...list, members }, source);
  if (asked.offset > 0 && asked.offset >= list.total)
    throw new ServiceError('not-found', `The collection ${nodeId} has no page ${page}. The first page is 0.`);
  return collectionPageOf(described, { ...list, members }, Number(page), source);
}

/** Returns the members whose manifest or collection answers. */
async function findListed({ api, actor }: Call, { members }: ShowableList): Promise<ShowableMember[]> {
  const { services } = api;
  const isOpen = (member: ShowableMember) =>
    resourceTypeOf(services.model, member.model) === 'Manifest' && canvasMediaOf(member) === undefined;
  const open = members.filter((member) => isOpen(member) && member.hasMembers).map(({ id: member }) => member);
  const answering = await findWithMembers(services, actor, open);
  return members.filter((member) => !isOpen(member) || answering.has(member.id));
}

function sourceOf(
  { api, baseUrl }: Call,
  measured: ReadonlyMap<number, Measurements>,
  unserved: ReadonlySet<number>,
): ManifestSource {
  return {
    baseUrl,
    siteName: api.siteName,
    model: api.services.model,
    logo: api.theme.logo,
    labelLanguage: api.services.model.defaultLanguage,
    fieldTypes: api.services.fields.types,
    measuredOf: (file) => measured.get(file.id),
    serviceOf: (media) => answeringService(media, { baseUrl, unserved, canTransform: api.images.canTransform }),
  };
}

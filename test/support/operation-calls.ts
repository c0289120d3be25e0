import { findAsset } from '../../src/pages/assets/assets.ts';
import { uriOf } from './authority-list.ts';
import { newAlias, newRedirect, PNG, type Sample, type Session } from './repository-routes.ts';
import { metadataOf } from './tus.ts';

/** The key of the COUNTER API that the repository of the calls has. */
export const COUNTER_KEY = 'a key of a harvester';
const COUNTER = { customer_id: '0000000000000000', api_key: COUNTER_KEY };

/** The entities that a call of an operation needs. */
export interface CallSample extends Sample {
  session: Session;
  /** A term of `field_model`. */
  model: number;
  /** An uploaded table of the administrator that was imported. */
  tableImport: number;
  bulkRun: number;
  /** The id of an upload without bytes, and of a complete one. */
  emptyUpload: string;
  wholeUpload: string;
}

/** A request that an operation answers with this status. */
export interface OperationCall {
  status: number;
  /** The values of the path parameters. */
  params?: Record<string, string | number>;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  mediaType?: string;
  body?: Bun.BodyInit | object;
  /** The caller sends no name and password, but a session or nothing (default: those of the administrator). */
  isAnonymous?: true;
}

type Call = (sample: CallSample) => OperationCall;

const node = ({ node }: Sample) => ({ node });
const media = ({ media }: Sample) => ({ media });
const term = ({ term }: Sample) => ({ taxonomy_term: term });
const file = ({ file }: Sample) => ({ file });
const alias = ({ alias }: Sample) => ({ path_alias: alias });
const redirect = ({ redirect }: Sample) => ({ redirect });
const job = ({ job }: Sample) => ({ job });
const at = (status: number, params: (sample: Sample) => Record<string, string | number>, more: object = {}): Call => {
  return (sample) => ({ status, params: params(sample), ...more });
};
const TUS = { 'Tus-Resumable': '1.0.0' };
const TUS_PART = { mediaType: 'application/offset+octet-stream', body: new TextEncoder().encode('text') };
const JSON_TYPE = { mediaType: 'application/json' };
const PICTURE = { mediaType: 'image/png', body: PNG };
const VIDEO = {
  bundle: [{ target_id: 'remote_video' }],
  field_media_oembed_video: [{ value: 'https://example.org/v' }],
};
const newTerm = () => ({ vid: [{ target_id: 'tags' }], name: [{ value: `Tag ${Bun.randomUUIDv7()}` }] });
/** The number of the next record of a list that becomes a term. */
let record = 0;
const nextRecord = () => uriOf(record++);
const changedMedia = { ...JSON_TYPE, body: { bundle: [{ target_id: 'image' }], name: [{ value: 'Other' }] } };

/** The successful call of each operation; HEAD and OPTIONS use the first of their path. */
export const CALLS: Readonly<Record<string, Call>> = {
  getNode: at(200, node),
  getBulkRunPage: ({ bulkRun }) => ({ status: 200, params: { run: bulkRun } }),
  getDerivativeEvents: at(200, node),
  createUpload: () => ({
    status: 201,
    headers: { ...TUS, 'Upload-Length': '4', 'Upload-Metadata': metadataOf('a.txt') },
    ...TUS_PART,
  }),
  getUpload: ({ emptyUpload }) => ({ status: 200, params: { upload: emptyUpload } }),
  appendToUpload: ({ emptyUpload }) => ({
    status: 204,
    params: { upload: emptyUpload },
    headers: { ...TUS, 'Upload-Offset': '0' },
    ...TUS_PART,
  }),
  deleteUpload: ({ emptyUpload }) => ({ status: 204, params: { upload: emptyUpload }, headers: TUS }),
  attachUpload: ({ wholeUpload, node }) => ({
    status: 200,
    params: { upload: wholeUpload },
    ...JSON_TYPE,
    body: { node },
  }),
  downloadChangesTable: ({ node }) => ({ status: 200, query: { entry: String(node) } }),
  getCounterStatus: () => ({ status: 200 }),
  listCounterMembers: () => ({ status: 200, query: COUNTER }),
  listCounterReports: () => ({ status: 200, query: COUNTER }),
  getCounterReport: () => ({
    status: 200,
    params: { report: 'ir' },
    query: { ...COUNTER, begin_date: '2026-01', end_date: '2026-01', metric_type: 'Total_Item_Requests' },
  }),
  downloadAccessRules: () => ({ status: 200, query: { list: 'all' } }),
  downloadUsage: () => ({ status: 200, query: { by: 'day' } }),
  getTableImport: ({ tableImport }) => ({ status: 200, params: { table_import: tableImport } }),
  downloadTableProblems: ({ tableImport }) => ({ status: 200, params: { table_import: tableImport } }),
  downloadTableResult: ({ tableImport }) => ({ status: 200, params: { table_import: tableImport } }),
  downloadTableTemplate: () => ({ status: 200, query: { content_type: 'islandora_object' } }),
  getNodeLinkset: at(200, node),
  harvest: () => ({ status: 200, query: { verb: 'ListRecords', metadataPrefix: 'oai_dc' } }),
  harvestByPost: () => ({ status: 200, mediaType: 'application/x-www-form-urlencoded', body: 'verb=Identify' }),
  citeNode: at(200, node, { query: { style: 'ris' } }),
  getMediaLinkset: at(200, media),
  changeNode: at(200, node, {
    ...JSON_TYPE,
    body: { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Other' }] },
  }),
  deleteNode: at(204, node),
  createNode: ({ model }) => ({
    status: 201,
    ...JSON_TYPE,
    body: { type: [{ target_id: 'islandora_object' }], title: [{ value: 'x' }], field_model: [{ target_id: model }] },
  }),
  getMedia: at(200, media),
  changeMedia: at(200, media, changedMedia),
  deleteMedia: at(204, media),
  createMedia: () => ({ status: 201, ...JSON_TYPE, body: VIDEO }),
  getMediaAlias: at(200, media),
  changeMediaAlias: at(200, media, changedMedia),
  deleteMediaAlias: at(204, media),
  createMediaAlias: () => ({ status: 201, ...JSON_TYPE, body: VIDEO }),
  getTerm: at(200, term),
  changeTerm: at(200, term, {
    ...JSON_TYPE,
    body: { vid: [{ target_id: 'tags' }], description: [{ value: 'What it is' }] },
  }),
  deleteTerm: at(204, term),
  mergeTerm: ({ term: into }) => ({ status: 422, params: { taxonomy_term: into }, ...JSON_TYPE, body: { into } }),
  createTerm: () => ({ status: 201, ...JSON_TYPE, body: newTerm() }),
  putNodeMedia: ({ node, use }) => ({
    status: 204,
    params: { node, media_type: 'image', taxonomy_term: use },
    ...PICTURE,
  }),
  putMediaSource: at(204, media, PICTURE),
  getFile: at(200, file),
  deleteFile: at(204, file),
  createFile: () => ({ status: 403, ...JSON_TYPE, body: {} }),
  uploadFile: () => ({
    status: 201,
    params: { entity_type_id: 'media', bundle: 'image', field_name: 'field_media_image' },
    headers: { 'Content-Disposition': 'file; filename="a.png"' },
    mediaType: 'application/octet-stream',
    body: PNG,
  }),
  getPublicFile: () => ({ status: 200, params: { path: 'media-icons/generic.png' } }),
  getPrivateFile: ({ bytes }) => ({ status: 200, params: { path: bytes.replace('/system/files/', '') } }),
  getSchemeFile: () => ({
    status: 206,
    params: { scheme: 'fedora', path: 'described/a.png' },
    headers: { Range: 'bytes=0-3' },
  }),
  getImage: ({ mediaUuid }) => ({ status: 303, params: { media_uuid: mediaUuid } }),
  getImageRequest: ({ mediaUuid }) => ({ status: 200, params: { media_uuid: mediaUuid, path: 'info.json' } }),
  getNodePages: at(200, node),
  getNodeManifest: at(200, node),
  getNodeBookManifest: at(404, node),
  getCanvasAnnotations: ({ node, media }) => ({ status: 404, params: { node, media } }),
  getUser: () => ({ status: 200, params: { user: 1 } }),
  logIn: () => ({ status: 200, isAnonymous: true, ...JSON_TYPE, body: { name: 'guest', pass: 'guest' } }),
  logOut: ({ session }) => ({
    status: 204,
    isAnonymous: true,
    query: { token: session.logoutToken },
    headers: { Cookie: session.cookie },
  }),
  getLoginStatus: ({ session }) => ({ status: 200, isAnonymous: true, headers: { Cookie: session.cookie } }),
  getSessionToken: ({ session }) => ({ status: 200, isAnonymous: true, headers: { Cookie: session.cookie } }),
  getToken: () => ({ status: 200 }),
  getKeySet: () => ({ status: 200 }),
  listNodes: () => ({ status: 200, query: { type: 'islandora_object', sort: '-changed', size: 2 } }),
  listMedia: () => ({ status: 200, query: { published: 'true', sort: 'name' } }),
  listTerms: () => ({ status: 200, query: { vocabulary: 'islandora_models' } }),
  listFiles: () => ({ status: 200, query: { scheme: 'public' } }),
  listUsers: () => ({ status: 200, query: { status: 'true' } }),
  listNodeMedia: at(200, node),
  listNodeMembers: at(200, node, { query: { page: 0 } }),
  findTermsByUri: () => ({ status: 200, query: { uri: 'http://pcdm.org/use#OriginalFile' } }),
  findTermsByAuthorityLink: () => ({ status: 200, query: { authority_link: 'http://example.org/a' } }),
  findTermsByName: () => ({ status: 200, query: { vocab: 'islandora_models', name: 'Image' } }),
  findVocabulary: () => ({ status: 200, query: { vid: 'islandora_models' } }),
  getVocabulary: () => ({ status: 200, params: { taxonomy_vocabulary: 'islandora_media_use' } }),
  completeBulkTerm: () => ({
    status: 200,
    params: { entity_type: 'node', field_name: 'field_subject' },
    query: { q: 'a' },
  }),
  completeReference: () => ({
    status: 200,
    params: { entity_type: 'node', bundle: 'islandora_object', field_name: 'field_subject' },
    query: { q: 'a' },
  }),
  getFormDisplay: () => ({ status: 200, params: { entity_form_display: 'media.image.default' } }),
  getFieldConfig: () => ({ status: 200, params: { field_config: 'node.islandora_object.field_linked_agent' } }),
  getFieldStorage: () => ({ status: 200, params: { field_storage_config: 'taxonomy_term.field_type' } }),
  getNodeType: () => ({ status: 200, params: { node_type: 'page' } }),
  getMediaType: () => ({ status: 200, params: { media_type: 'image' } }),
  getTaxonomyVocabulary: () => ({ status: 200, params: { taxonomy_vocabulary: 'tags' } }),
  getFormDisplayForWorkbench: () => ({ status: 200, params: { entity_type: 'node', bundle: 'page' } }),
  getFieldConfigForWorkbench: () => ({
    status: 200,
    params: { entity_type: 'media', bundle: 'image', field_name: 'field_media_image' },
  }),
  getFieldStorageForWorkbench: () => ({ status: 200, params: { entity_type: 'node', field_name: 'field_weight' } }),
  getWorkbenchVersion: () => ({ status: 200 }),
  getCoreVersion: () => ({ status: 200 }),
  getFileHash: ({ fileUuid }) => ({ status: 200, query: { file_uuid: fileUuid, algorithm: 'sha1' } }),
  listNodeMemberNumbers: at(200, node, { query: { page: 0 } }),
  listNodeRevisions: at(200, node),
  getNodeRevision: at(200, ({ node, revision }) => ({ node, node_revision: revision })),
  revertNode: at(200, ({ node, revision }) => ({ node, node_revision: revision })),
  listMediaRevisions: at(200, media),
  getMediaRevision: at(200, ({ media, mediaRevision }) => ({ media, media_revision: mediaRevision })),
  revertMedia: at(200, ({ media, mediaRevision }) => ({ media, media_revision: mediaRevision })),
  createAlias: ({ node }) => ({ status: 201, ...JSON_TYPE, body: newAlias(node) }),
  getAlias: at(200, alias),
  changeAlias: at(200, alias, { ...JSON_TYPE, body: { langcode: [{ value: 'en' }] } }),
  deleteAlias: at(204, alias),
  createTermOfAuthority: () => ({
    status: 201,
    params: { taxonomy_vocabulary: 'subject' },
    ...JSON_TYPE,
    body: { uri: nextRecord() },
  }),
  reconcile: () => ({ status: 200, query: { query: 'sample' } }),
  reconcileByPost: () => ({
    status: 200,
    mediaType: 'application/x-www-form-urlencoded',
    body: new TextEncoder().encode('query=sample'),
  }),
  suggestReconciledTerm: () => ({ status: 200, query: { prefix: 'sam' } }),
  suggestReconciledType: () => ({ status: 200, query: { prefix: 'per' } }),
  suggestReconciledProperty: () => ({ status: 200, query: { prefix: 'date' } }),
  proposeReconciledProperties: () => ({ status: 200, query: { type: 'person' } }),
  createNamedTerm: () => ({
    status: 201,
    params: { taxonomy_vocabulary: 'subject' },
    ...JSON_TYPE,
    body: { name: `Name ${Bun.randomUUIDv7()}` },
  }),
  createRedirect: () => ({ status: 201, ...JSON_TYPE, body: newRedirect() }),
  getRedirect: at(200, redirect),
  deleteRedirect: at(204, redirect),
  getHealth: () => ({ status: 200 }),
  getCoreSettings: () => ({ status: 200 }),
  changeCoreSettings: () => ({ status: 200, ...JSON_TYPE, body: { allow_header_links: [{ value: true }] } }),
  listDerivatives: ({ node }) => ({ status: 200, query: { node, state: 'queued', items_per_page: 2, page: 0 } }),
  getDerivative: at(200, job),
  retryDerivative: at(200, job),
  cancelDerivative: at(200, job),
  scanDerivatives: () => ({ status: 200, ...JSON_TYPE, body: { dry_run: true } }),
  getMetrics: () => ({ status: 200 }),
  searchNodeText: at(200, node, { query: { q: 'sample' } }),
  searchPagedContent: at(200, node, { query: { q: 'sample' } }),
  searchSinglePageContent: at(200, node, { query: { q: 'sample' } }),
  getSitemap: () => ({ status: 200 }),
  getFeed: () => ({ status: 200 }),
  getNodeFeed: at(200, node),
  getIiifActivity: () => ({ status: 200 }),
  search: () => ({ status: 200, query: { q: 'sample', 'f.model': 1, from: 1900, sort: 'title', size: 5 } }),
  suggest: () => ({ status: 200, query: { q: 'sam' } }),
  getOpenSearchDescription: () => ({ status: 200 }),
  getAsset: () => ({ status: 200, params: { hash: findAsset('frame.css')?.hash ?? '', path: 'frame.css' } }),
  getRobots: () => ({ status: 200 }),
  getFavicon: () => ({ status: 200 }),
  getOpenApi: () => ({ status: 200 }),
};

import { ACCESS_PAGE_PATHS } from './access-page-paths.ts';
import { ASKING_PATHS } from './asking-paths.ts';
import { importPaths } from './import-paths.ts';
import { MEMBER_PATHS } from './member-paths.ts';
import { RECONCILE_PATHS } from './reconcile-paths.ts';
import { TAXONOMY_PATHS } from './taxonomy-paths.ts';
import { USAGE_PATHS } from './usage-paths.ts';

/** The templates of all paths of the program, with parameters as `:name`. `pathOf` fills them in. */
export const paths = {
  /** GET and POST: process a file with a command (spec: processor, "Endpoints"). */
  process: '/',
  home: '/',
  collections: '/collections',
  asset: '/assets/:hash/*',
  favicon: '/favicon.ico',
  robots: '/robots.txt',
  sitemap: '/sitemap.xml',
  /** The newest items. */
  feed: '/feed.atom',
  search: '/search',
  searchSuggest: '/search/suggest',
  openSearch: '/opensearch.xml',
  healthcheck: '/healthcheck',
  metrics: '/metrics',

  nodes: '/node',
  node: '/node/:node',
  nodeMedia: '/node/:node/media',
  nodeMembers: '/node/:node/members',
  nodeLinkset: '/node/:node/linkset',
  nodePages: '/node/:node/pages',
  nodeCite: '/node/:node/cite',
  nodeManifest: '/node/:node/manifest',
  nodeBookManifest: '/node/:node/book-manifest',
  nodeEmbed: '/node/:node/embed',
  nodeCanvasAnnotations: '/node/:node/canvas/:media/annotations',
  /** The page of a search within a node. */
  nodeSearch: '/node/:node/search',
  nodeIiifSearch: '/node/:node/iiif/search',
  /** The newest members of a node. */
  nodeFeed: '/node/:node/feed.atom',
  nodePagedSearch: '/paged-content-search/:node',
  nodeSingleSearch: '/single-page-content-search/:node',
  nodeEdit: '/node/:node/edit',
  nodeDelete: '/node/:node/delete',
  ...MEMBER_PATHS,
  nodeDeleteSeveral: '/admin/content/node/delete',
  nodeAdd: '/node/add',
  nodeAddForm: '/node/add/:node_type',
  nodeMediaSource: '/node/:node/media/:media_type/:taxonomy_term',
  nodeRevisions: '/node/:node/revisions',
  nodeRevision: '/node/:node/revisions/:node_revision/view',
  nodeRevert: '/node/:node/revisions/:node_revision/revert',
  /** The form that brings back a revision. */
  nodeRestore: '/node/:node/revisions/:node_revision/restore',
  mediaCreate: '/entity/media',
  mediaCreateShort: '/media',
  media: '/media/:media',
  mediaEdit: '/media/:media/edit',
  mediaDelete: '/media/:media/delete',
  mediaDeleteSeveral: '/media/delete',
  mediaAdd: '/media/add',
  mediaAddForm: '/media/add/:media_type',
  mediaOverview: '/admin/content/media',
  ...importPaths,
  ...ACCESS_PAGE_PATHS,
  mediaLinkset: '/media/:media/linkset',
  mediaSource: '/media/:media/source',
  mediaRevisions: '/media/:media/revisions',
  mediaRevision: '/media/:media/revisions/:media_revision/view',
  mediaRevert: '/media/:media/revisions/:media_revision/revert',
  mediaRestore: '/media/:media/revisions/:media_revision/restore',
  ...TAXONOMY_PATHS,
  paragraphs: '/entity/paragraph',
  paragraph: '/entity/paragraph/:paragraph',
  files: '/entity/file',
  file: '/entity/file/:file',
  fileList: '/file',
  fileDelete: '/file/:file/delete',
  fileUpload: '/file/upload/:entity_type_id/:bundle/:field_name',
  uploads: '/uploads',
  upload: '/uploads/:upload',
  uploadAttach: '/uploads/:upload/attach',
  nodeUpload: '/node/:node/upload',
  /** The page from which the files of an item are changed. */
  nodeFiles: '/node/:node/files',
  nodeDerivativeEvents: '/node/:node/derivatives/events',
  mediaUpload: '/media/:media/upload',
  publicFiles: '/sites/default/files/*',
  privateFiles: '/system/files/*',
  schemeFiles: '/_flysystem/:scheme/*',
  /** The base address of an image, which redirects to its description (IIIF Image API 3.0, 2). */
  image: '/iiif/3/:media_uuid',
  /** `info.json`, or a request such as `full/max/0/default.jpg`. */
  imageRequest: '/iiif/3/:media_uuid/*',
  oai: '/oai/request',
  iiifActivity: '/iiif/activity',
  aliases: '/entity/path_alias',
  alias: '/entity/path_alias/:path_alias',
  redirects: '/entity/redirect',
  redirect: '/entity/redirect/:redirect',
  /** The pages for the management of the repository. */
  admin: '/admin',
  nodeOverview: '/admin/content',
  bulkRuns: '/admin/content/bulk',
  bulkConfirm: '/admin/content/bulk/confirm',
  bulkValues: '/admin/content/bulk/values',
  bulkTerms: '/admin/content/bulk/terms/:entity_type/:field_name',
  bulkRun: '/admin/content/bulk/:run',
  bulkStop: '/admin/content/bulk/:run/stop',
  bulkResume: '/admin/content/bulk/:run/resume',
  bulkUndo: '/admin/content/bulk/:run/undo',
  ...ASKING_PATHS,
  accessibility: '/admin/reports/accessibility',
  userList: '/user',
  user: '/user/:user',
  userEdit: '/user/:user/edit',
  userCancel: '/user/:user/cancel',
  userSessions: '/user/:user/sessions',
  userResetLink: '/user/:user/reset-link',
  userAdd: '/admin/people/create',
  password: '/user/password',
  passwordRequest: '/user/password/request',
  passwordReset: '/user/reset/:token',
  mailConfirm: '/user/mail/:token',
  users: '/admin/people',
  permissions: '/admin/people/permissions',
  login: '/user/login',
  logout: '/user/logout',
  loginStatus: '/user/login_status',
  sessionToken: '/session/token',
  /** POST: exchanges a solved challenge for a pass. */
  pass: '/session/pass',
  jwtToken: '/jwt/token',
  keySet: '/.well-known/jwks.json',
  openapi: '/openapi.json',
  openapiPage: '/openapi',
  openapiSchema: '/openapi/shapes/:shape',
  siteSettings: '/admin/config/site',
  coreSettings: '/admin/config/islandora/core',
  statusReport: '/admin/reports/status',
  fixity: '/admin/reports/fixity',
  traffic: '/admin/reports/traffic',
  ...USAGE_PATHS,
  tasks: '/admin/tasks',
  derivatives: '/admin/reports/derivatives',
  derivativeScan: '/admin/reports/derivatives/scan',
  derivative: '/admin/reports/derivatives/:job',
  derivativeRetry: '/admin/reports/derivatives/:job/retry',
  derivativeCancel: '/admin/reports/derivatives/:job/cancel',
  /** Completions for a reference in a form. */
  completions: '/entity/completions/:entity_type/:bundle/:field_name',
  ...RECONCILE_PATHS,
  /** Makes a term of a record of an authority list. */
  authorityTerm: '/entity/authority_term/:taxonomy_vocabulary',
  /** Creates a term by its name, once. */
  namedTerm: '/entity/named_term/:taxonomy_vocabulary',
  formDisplay: '/entity/entity_form_display/:entity_form_display',
  fieldConfig: '/entity/field_config/:field_config',
  fieldStorage: '/entity/field_storage_config/:field_storage_config',
  nodeType: '/entity/node_type/:node_type',
  mediaType: '/entity/media_type/:media_type',
  taxonomyVocabulary: '/entity/taxonomy_vocabulary/:taxonomy_vocabulary',
  workbenchVersion: '/islandora_workbench_integration/version',
  workbenchCoreVersion: '/islandora_workbench_integration/core_version',
  workbenchFileHash: '/islandora_workbench_integration/file_hash',
  workbenchMembers: '/islandora_workbench_integration/members-of-node/:node',
  workbenchFormDisplay: '/islandora_workbench_integration/node_actions/entity_display/:entity_type/:bundle',
  workbenchFieldConfig: '/islandora_workbench_integration/node_actions/field_config/:entity_type/:bundle/:field_name',
  workbenchFieldStorage: '/islandora_workbench_integration/node_actions/field_storage_config/:entity_type/:field_name',
  termFromUri: '/term_from_uri',
  termFromAuthorityLink: '/term_from_authority_link',
  termFromName: '/term_from_term_name',
  vocabularyByQuery: '/vocabulary',
  vocabulary: '/vocabulary/:taxonomy_vocabulary',
} as const;

type PathName = keyof typeof paths;

/** The names of the parameters in a template; `*` for the rest of a path. */
type ParameterIn<Template extends string> = Template extends `${infer Segment}/${infer Rest}`
  ? ParameterIn<Segment> | ParameterIn<Rest>
  : Template extends `:${infer Name}`
    ? Name
    : Template extends '*'
      ? '*'
      : never;

type Parameters<Name extends PathName> = Readonly<Record<ParameterIn<(typeof paths)[Name]>, string | number>>;

/** Each template as texts and names of parameters in turns. */
const PARTS = new Map(
  Object.values(paths).map((template): [string, string[]] => [
    template,
    template.split(/(?<=\/)(?::(\w+)|(\*)$)/).filter((part) => part !== undefined),
  ]),
);

/** Returns the path of a template with these parameters, which need no encoding: `pathOf('nodeCite', { node: 1 })`. */
export function pathOf<Name extends PathName>(name: Name, parameters: Parameters<Name>): string {
  const [first = '', ...parts] = PARTS.get(paths[name]) as string[];
  const values = parameters as Readonly<Record<string, string | number>>;
  let path = first;
  for (let at = 0; at < parts.length; at += 2) path += `${values[parts[at] as string]}${parts[at + 1] ?? ''}`;
  return path;
}

/** Returns the canonical path of an entity. */
export const entityPath = {
  node: (node: number) => pathOf('node', { node }),
  media: (media: number) => pathOf('media', { media }),
  taxonomy_term: (taxonomy_term: number) => pathOf('term', { taxonomy_term }),
  paragraph: (paragraph: number) => pathOf('paragraph', { paragraph }),
  user: (user: number) => pathOf('user', { user }),
} as const;

/** Returns the path of the history of content, or of one of its revisions. */
export function revisionsPath(type: 'node' | 'media', id: number, revision?: number): string {
  if (type === 'node')
    return revision === undefined
      ? pathOf('nodeRevisions', { node: id })
      : pathOf('nodeRevision', { node: id, node_revision: revision });
  return revision === undefined
    ? pathOf('mediaRevisions', { media: id })
    : pathOf('mediaRevision', { media: id, media_revision: revision });
}

/** A path that needs no encoding. */
const IS_ENCODED = /^[\w\-.!~*'()/]*$/;

/** Returns the download path of a stream URI (spec: rest-behaviour, 3.2): `/sites/default/files/a%20b.png` for `public://a b.png`. */
export function filePath(uri: string): string {
  const [scheme, path] = splitUri(uri);
  const encoded = IS_ENCODED.test(path) ? path : path.split('/').map(encodeURIComponent).join('/');
  if (scheme === 'public') return pathOf('publicFiles', { '*': encoded });
  if (scheme === 'private') return pathOf('privateFiles', { '*': encoded });
  return pathOf('schemeFiles', { scheme, '*': encoded });
}

/** Splits a stream URI into scheme and path. */
export function splitUri(uri: string): [scheme: string, path: string] {
  const at = uri.indexOf('://');
  return [uri.slice(0, at), uri.slice(at + 3)];
}

import type { EntityJson, TestRepository } from './test-repository.ts';

/** Something of each kind to ask for: ids, and the address of the bytes of a private file. */
export interface Sample {
  node: number;
  revision: number;
  media: number;
  mediaUuid: string;
  mediaRevision: number;
  term: number;
  use: number;
  file: number;
  fileUuid: string;
  bytes: string;
  alias: number;
  redirect: number;
  /** A derivative of it that is to be made. */
  job: number;
}

/** The credentials that a route accepts; `all` is a name and password, a token, or a session. */
export type Accepts = 'all' | 'basic' | 'basic and token' | 'basic and session' | 'token and session' | 'anything';

export interface SampleRoute {
  method: string;
  path: (sample: Sample) => string;
  accepts: Accepts;
  /** The Content-Type of a write. */
  type?: string;
  /** True if a session needs its CSRF token. */
  isGuarded?: true;
}

const JSON_TYPE = 'application/json';
const WORKBENCH = '/islandora_workbench_integration';
const guarded = { accepts: 'all', type: JSON_TYPE, isGuarded: true } as const;

/** Every route, with the credentials that the default configuration and the pages name for it. */
export const SAMPLE_ROUTES: readonly SampleRoute[] = [
  { method: 'GET', path: ({ node }) => `/node/${node}`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/edit`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/delete`, accepts: 'all' },
  { method: 'GET', path: () => '/node/add', accepts: 'all' },
  { method: 'GET', path: () => '/node/add/page', accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/admin/content/node/delete?node=${node}`, accepts: 'all' },
  { method: 'GET', path: ({ media }) => `/media/${media}/delete`, accepts: 'all' },
  { method: 'GET', path: () => '/media/add', accepts: 'all' },
  { method: 'GET', path: () => '/media/add/image', accepts: 'all' },
  { method: 'GET', path: ({ media }) => `/media/delete?media=${media}`, accepts: 'all' },
  { method: 'GET', path: () => '/admin/content/media', accepts: 'all' },
  { method: 'GET', path: ({ term }) => `/taxonomy/term/${term}/edit`, accepts: 'all' },
  { method: 'GET', path: ({ term }) => `/taxonomy/term/${term}/delete`, accepts: 'all' },
  { method: 'GET', path: ({ term }) => `/taxonomy/term/${term}/revisions`, accepts: 'all' },
  { method: 'GET', path: () => '/user/1/edit', accepts: 'all' },
  { method: 'GET', path: () => '/user/1/cancel', accepts: 'all' },
  { method: 'GET', path: () => '/admin/people', accepts: 'all' },
  { method: 'GET', path: ({ file }) => `/file/${file}/delete`, accepts: 'all' },
  { method: 'PATCH', path: ({ node }) => `/node/${node}`, ...guarded },
  { method: 'DELETE', path: ({ node }) => `/node/${node}`, ...guarded },
  { method: 'POST', path: () => '/node', ...guarded },
  { method: 'GET', path: ({ node }) => `/node/${node}/media`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/members`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/cite`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/embed`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/manifest`, accepts: 'all' },
  { method: 'GET', path: ({ node }) => `/node/${node}/book-manifest`, accepts: 'all' },
  { method: 'GET', path: ({ node, media }) => `/node/${node}/canvas/${media}/annotations`, accepts: 'all' },
  { method: 'PUT', path: ({ node, use }) => `/node/${node}/media/image/${use}`, accepts: 'all', type: 'image/png' },
  { method: 'GET', path: ({ node }) => `/node/${node}/revisions`, accepts: 'all' },
  { method: 'GET', path: ({ node, revision }) => `/node/${node}/revisions/${revision}/view`, accepts: 'all' },
  { method: 'POST', path: ({ node, revision }) => `/node/${node}/revisions/${revision}/revert`, ...guarded },
  { method: 'GET', path: ({ media }) => `/media/${media}`, accepts: 'all' },
  { method: 'PATCH', path: ({ media }) => `/media/${media}`, ...guarded },
  { method: 'DELETE', path: ({ media }) => `/media/${media}`, ...guarded },
  { method: 'GET', path: ({ media }) => `/media/${media}/edit`, accepts: 'all' },
  { method: 'PATCH', path: ({ media }) => `/media/${media}/edit`, ...guarded },
  { method: 'DELETE', path: ({ media }) => `/media/${media}/edit`, ...guarded },
  { method: 'POST', path: () => '/media', ...guarded },
  { method: 'POST', path: () => '/entity/media', ...guarded },
  { method: 'PUT', path: ({ media }) => `/media/${media}/source`, accepts: 'all', type: 'image/png' },
  { method: 'GET', path: ({ media }) => `/media/${media}/revisions`, accepts: 'all' },
  {
    method: 'GET',
    path: ({ media, mediaRevision }) => `/media/${media}/revisions/${mediaRevision}/view`,
    accepts: 'all',
  },
  {
    method: 'POST',
    path: ({ media, mediaRevision }) => `/media/${media}/revisions/${mediaRevision}/revert`,
    ...guarded,
  },
  { method: 'GET', path: ({ term }) => `/taxonomy/term/${term}`, accepts: 'all' },
  { method: 'PATCH', path: ({ term }) => `/taxonomy/term/${term}`, ...guarded },
  { method: 'DELETE', path: ({ term }) => `/taxonomy/term/${term}`, ...guarded },
  { method: 'POST', path: () => '/taxonomy/term', ...guarded },
  { method: 'GET', path: ({ file }) => `/entity/file/${file}`, accepts: 'all' },
  { method: 'DELETE', path: ({ file }) => `/entity/file/${file}`, ...guarded },
  { method: 'GET', path: ({ bytes }) => bytes, accepts: 'all' },
  { method: 'GET', path: ({ mediaUuid }) => `/iiif/3/${mediaUuid}`, accepts: 'all' },
  { method: 'GET', path: ({ mediaUuid }) => `/iiif/3/${mediaUuid}/info.json`, accepts: 'all' },
  {
    method: 'POST',
    path: () => '/file/upload/media/image/field_media_image',
    accepts: 'basic',
    type: 'application/octet-stream',
    isGuarded: true,
  },
  { method: 'GET', path: ({ alias }) => `/entity/path_alias/${alias}`, accepts: 'basic' },
  { method: 'PATCH', path: ({ alias }) => `/entity/path_alias/${alias}`, ...guarded },
  { method: 'DELETE', path: ({ alias }) => `/entity/path_alias/${alias}`, ...guarded },
  { method: 'POST', path: () => '/entity/path_alias', ...guarded },
  { method: 'GET', path: ({ redirect }) => `/entity/redirect/${redirect}`, accepts: 'all' },
  { method: 'DELETE', path: ({ redirect }) => `/entity/redirect/${redirect}`, ...guarded },
  { method: 'POST', path: () => '/entity/redirect', ...guarded },
  { method: 'GET', path: () => '/user/1', accepts: 'basic' },
  { method: 'GET', path: () => '/term_from_uri', accepts: 'basic' },
  { method: 'GET', path: () => '/term_from_authority_link', accepts: 'basic' },
  { method: 'GET', path: () => '/term_from_term_name', accepts: 'basic and token' },
  { method: 'GET', path: () => '/vocabulary/tags', accepts: 'basic' },
  { method: 'GET', path: () => '/entity/entity_form_display/node.page.default', accepts: 'basic' },
  { method: 'GET', path: () => '/entity/field_config/node.page.body', accepts: 'basic' },
  { method: 'GET', path: () => '/entity/field_storage_config/node.body', accepts: 'basic' },
  { method: 'GET', path: () => '/entity/node_type/page', accepts: 'basic' },
  { method: 'GET', path: () => '/entity/media_type/image', accepts: 'basic' },
  { method: 'GET', path: () => '/entity/taxonomy_vocabulary/tags', accepts: 'basic' },
  { method: 'GET', path: () => `${WORKBENCH}/version`, accepts: 'all' },
  { method: 'GET', path: () => `${WORKBENCH}/core_version`, accepts: 'all' },
  {
    method: 'GET',
    path: ({ fileUuid }) => `${WORKBENCH}/file_hash?file_uuid=${fileUuid}&algorithm=md5`,
    accepts: 'all',
  },
  { method: 'GET', path: ({ node }) => `${WORKBENCH}/members-of-node/${node}`, accepts: 'all' },
  { method: 'GET', path: () => `${WORKBENCH}/node_actions/entity_display/node/page`, accepts: 'all' },
  { method: 'GET', path: () => `${WORKBENCH}/node_actions/field_config/node/page/body`, accepts: 'all' },
  { method: 'GET', path: () => `${WORKBENCH}/node_actions/field_storage_config/node/body`, accepts: 'all' },
  { method: 'GET', path: () => '/jwt/token', accepts: 'basic and session' },
  { method: 'POST', path: () => '/user/login', accepts: 'token and session' },
  { method: 'POST', path: () => '/user/logout', accepts: 'token and session' },
  { method: 'GET', path: () => '/user/login_status', accepts: 'token and session' },
  { method: 'GET', path: () => '/session/token', accepts: 'token and session' },
  { method: 'GET', path: () => '/.well-known/jwks.json', accepts: 'anything' },
  { method: 'GET', path: () => '/admin/config/islandora/core', accepts: 'all' },
  { method: 'PATCH', path: () => '/admin/config/islandora/core', ...guarded },
  { method: 'GET', path: () => '/admin/reports/derivatives', accepts: 'all' },
  { method: 'GET', path: ({ job }) => `/admin/reports/derivatives/${job}`, accepts: 'all' },
  { method: 'POST', path: ({ job }) => `/admin/reports/derivatives/${job}/retry`, ...guarded },
  { method: 'POST', path: ({ job }) => `/admin/reports/derivatives/${job}/cancel`, ...guarded },
  { method: 'POST', path: () => '/admin/reports/derivatives/scan', ...guarded },
  { method: 'GET', path: () => '/admin/reports/usage/table', accepts: 'all' },
  { method: 'GET', path: () => '/admin/reports/access/table', accepts: 'all' },
  { method: 'GET', path: () => '/sushi/r51/status', accepts: 'all' },
  { method: 'GET', path: () => '/search?q=sample', accepts: 'all' },
  { method: 'GET', path: () => '/search/suggest?q=sam', accepts: 'all' },
  { method: 'GET', path: () => '/opensearch.xml', accepts: 'anything' },
  { method: 'GET', path: () => '/metrics', accepts: 'all' },
  { method: 'GET', path: () => '/openapi.json', accepts: 'anything' },
  { method: 'GET', path: () => '/openapi', accepts: 'anything' },
  { method: 'GET', path: () => '/openapi/shapes/Node', accepts: 'anything' },
  { method: 'GET', path: () => '/healthcheck', accepts: 'anything' },
];

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Another address of a node, as Islandora Workbench asks for it. */
export const newAlias = (node: number) => ({
  path: [{ value: `/node/${node}` }],
  alias: [{ value: `/sample/${Bun.randomUUIDv7()}` }],
});

/** A redirect, as Islandora Workbench asks for it. */
export const newRedirect = () => ({
  type: [{ value: 'redirect' }],
  redirect_source: [{ path: `old/${Bun.randomUUIDv7()}` }],
  redirect_redirect: [{ uri: 'internal:/node/1' }],
  status_code: [{ value: 301 }],
});

/** Creates a node with a private picture, and a tag. */
export async function createSample(repository: TestRepository): Promise<Sample> {
  const node = await repository.node();
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  const headers = { 'Content-Type': 'image/png', 'Content-Location': `private://${Bun.randomUUIDv7()}.png` };
  const put = await repository.put(`/node/${node.nid[0].value}/media/image/${use}`, PNG, headers, 'admin');
  const path = new URL(put.headers.get('location') as string).pathname;
  const media = (await (await repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;
  const listed = await repository.get(`/admin/reports/derivatives?node=${node.nid[0].value}`, 'admin');
  const { jobs } = (await listed.json()) as EntityJson;
  const tag = { vid: 'tags', name: [`Tag ${Bun.randomUUIDv7()}`] };
  const term = (await (await repository.post('/taxonomy/term?_format=json', tag, 'admin')).json()) as EntityJson;
  const aliased = await repository.post('/entity/path_alias', newAlias(node.nid[0].value), 'admin');
  const redirected = await repository.post('/entity/redirect', newRedirect(), 'admin');
  return {
    alias: ((await aliased.json()) as EntityJson).id[0].value,
    redirect: ((await redirected.json()) as EntityJson).rid[0].value,
    node: node.nid[0].value,
    revision: node.vid[0].value,
    media: media.mid[0].value,
    mediaUuid: media.uuid[0].value,
    mediaRevision: media.vid[0].value,
    term: term.tid[0].value,
    use,
    file: media.field_media_image[0].target_id,
    fileUuid: media.field_media_image[0].target_uuid,
    bytes: new URL(media.field_media_image[0].url).pathname,
    job: jobs[0].id,
  };
}

/** A session as a browser would have it. */
export interface Session {
  cookie: string;
  csrfToken: string;
  logoutToken: string;
}

/** Signs in with a cookie. */
export async function signIn({ fetch }: Pick<TestRepository, 'fetch'>, name: string, pass: string): Promise<Session> {
  // With a cookie, no credentials are added.
  const headers = { 'Content-Type': 'application/json', Cookie: 'none=1' };
  const body = JSON.stringify({ name, pass });
  const response = await fetch('/user/login?_format=json', { method: 'POST', body, headers });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const { csrf_token, logout_token } = (await response.json()) as Record<string, string>;
  const cookie = (response.headers.get('set-cookie') as string).split(';', 1)[0] as string;
  return { cookie, csrfToken: csrf_token as string, logoutToken: logout_token as string };
}

/** A token of the user, from `/jwt/token`. */
export async function tokenOf(repository: TestRepository, name: string): Promise<string> {
  const response = await repository.get('/jwt/token', name);
  return ((await response.json()) as { token: string }).token;
}

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type ApiDescription, describedApi, type OperationDescription } from '../../support/described-api.ts';
import { createSample, PNG, type Sample, signIn } from '../../support/repository-routes.ts';
import { basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MAX_BYTES = 20_000;

let repository: TestRepository;
let api: ApiDescription;
let sample: Sample;
/** The same of an unpublished node. */
let hidden: Sample;
beforeAll(async () => {
  repository = await createTestRepository({ maxJsonBytes: MAX_BYTES, maxUploadBytes: MAX_BYTES });
  await repository.user('guest');
  sample = await createSample(repository);
  hidden = await createSample(repository);
  await repository.patch(`/node/${hidden.node}`, { type: 'islandora_object', status: [false] }, 'admin');
  api = await describedApi(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

function operation(id: string): OperationDescription {
  const found = api.operations.find((each) => each.operation.operationId === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}

interface Row {
  id: string;
  status: number;
  path?: (sample: Sample, hidden: Sample) => string;
  as?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const node = (of: Sample) => `/node/${of.node}`;
const ITEM = '{"type":"islandora_object","title":["x"]';

const ROWS: Row[] = [
  { id: 'createNode', status: 400, as: 'admin', headers: JSON_TYPE, body: '{' },
  { id: 'createNode', status: 400, as: 'admin', headers: JSON_TYPE, body: '' },
  { id: 'listNodeMedia', status: 400, as: 'admin', path: (of) => `${node(of)}/media?page=x` },
  { id: 'getNode', status: 400, path: node, headers: { Host: 'a b' } },
  { id: 'putNodeMedia', status: 400, as: 'admin', path: (of) => `${node(of)}/media/image/${of.use}`, body: PNG },
  { id: 'logIn', status: 400, headers: JSON_TYPE, body: '{}' },
  { id: 'createNode', status: 401, headers: JSON_TYPE, body: '{}' },
  { id: 'getMedia', status: 401, path: (_, { media }) => `/media/${media}` },
  { id: 'getMedia', status: 403, as: 'guest', path: (_, { media }) => `/media/${media}` },
  { id: 'getNode', status: 401, path: node, headers: { Authorization: basic('guest', 'wrong') } },
  { id: 'getNode', status: 401, path: node, headers: { Authorization: 'Bearer x.y.z' } },
  { id: 'getHealth', status: 401, path: () => '/healthcheck', headers: { Authorization: basic('guest', 'wrong') } },
  { id: 'createNode', status: 403, as: 'guest', headers: JSON_TYPE, body: '{}' },
  { id: 'deleteFile', status: 403, as: 'guest', path: (of) => `/entity/file/${of.file}` },
  { id: 'getCoreSettings', status: 403, as: 'guest', path: () => '/admin/config/islandora/core' },
  { id: 'getPrivateFile', status: 401, path: (_, { bytes }) => bytes },
  { id: 'getPrivateFile', status: 403, as: 'guest', path: (_, { bytes }) => bytes },
  { id: 'getFile', status: 401, path: (_, { file }) => `/entity/file/${file}` },
  { id: 'getNode', status: 404, path: () => '/node/99999' },
  { id: 'getMedia', status: 404, path: () => '/media/x' },
  { id: 'getTerm', status: 404, path: () => '/taxonomy/term/99999' },
  { id: 'getFile', status: 404, path: () => '/entity/file/99999' },
  { id: 'getUser', status: 404, as: 'admin', path: () => '/user/99999' },
  { id: 'getPublicFile', status: 404, path: () => '/sites/default/files/nothing.png' },
  { id: 'getVocabulary', status: 404, as: 'admin', path: () => '/vocabulary/nothing' },
  { id: 'getFormDisplay', status: 404, as: 'admin', path: () => '/entity/entity_form_display/node.nothing.default' },
  { id: 'getNodeType', status: 403, as: 'guest', path: () => '/entity/node_type/page' },
  { id: 'getFileHash', status: 400, as: 'admin', path: () => '/islandora_workbench_integration/file_hash' },
  { id: 'getNodeRevision', status: 404, as: 'admin', path: (of) => `${node(of)}/revisions/99999/view` },
  { id: 'listDerivatives', status: 400, as: 'admin', path: () => '/admin/reports/derivatives?state=lost' },
  { id: 'getMetrics', status: 403, as: 'guest', path: () => '/metrics' },
  { id: 'downloadAccessRules', status: 400, as: 'admin', path: () => '/admin/reports/access/table?list=none' },
  { id: 'downloadUsage', status: 400, as: 'admin', path: () => '/admin/reports/usage/table?from=2026-02-30' },
  { id: 'getDerivative', status: 404, as: 'admin', path: () => '/admin/reports/derivatives/99999' },
  { id: 'cancelDerivative', status: 404, as: 'admin', path: () => '/admin/reports/derivatives/99999/cancel' },
  { id: 'getNode', status: 406, path: (of) => `${node(of)}?_format=xml` },
  { id: 'getLoginStatus', status: 406, path: () => '/user/login_status?_format=jsonld' },
  { id: 'getNode', status: 412, path: node, headers: { 'If-Match': '"x"' } },
  { id: 'deleteNode', status: 412, as: 'admin', path: node, headers: { 'If-Match': '"x"' } },
  {
    id: 'getPublicFile',
    status: 412,
    path: () => '/sites/default/files/media-icons/generic.png',
    headers: { 'If-Match': '"x"' },
  },
  { id: 'createNode', status: 413, as: 'admin', headers: JSON_TYPE, body: `${' '.repeat(MAX_BYTES)}{}` },
  {
    id: 'putMediaSource',
    status: 413,
    as: 'admin',
    path: (of) => `/media/${of.media}/source`,
    headers: { 'Content-Type': 'image/png' },
    body: new Uint8Array(MAX_BYTES + 1),
  },
  { id: 'createNode', status: 415, as: 'admin', headers: { 'Content-Type': 'text/xml' }, body: '<x/>' },
  {
    id: 'getPublicFile',
    status: 416,
    path: () => '/sites/default/files/media-icons/generic.png',
    headers: { Range: 'bytes=99999999-' },
  },
  { id: 'createNode', status: 422, as: 'admin', headers: JSON_TYPE, body: `${ITEM}}` },
  { id: 'createNode', status: 422, as: 'admin', headers: JSON_TYPE, body: `${ITEM},"titel":[]}` },
  {
    id: 'uploadFile',
    status: 422,
    as: 'admin',
    path: () => '/file/upload/media/image/field_media_image',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="a.exe"' },
    body: PNG,
  },
];

describe('an error', () => {
  it.each(ROWS)('of $id with $status matches the description', async ({ id, status, path, as, headers = {}, body }) => {
    const described = operation(id);
    const answer = await repository.fetch(path ? path(sample, hidden) : described.path, {
      method: described.method.toUpperCase(),
      as,
      headers,
      ...(body !== undefined && { body }),
    });
    const copy = answer.clone();
    expect({ errors: await api.answerErrors(described, answer), status: copy.status }).toEqual({ errors: [], status });
    expect(Object.keys((await copy.json()) as object)).toEqual(['message']);
  });

  it.each([
    ['getNode', () => '/node/99999', 404],
    ['getMedia', ({ media }: Sample) => `/media/${media}`, 401],
    ['getCoreSettings', () => '/admin/config/islandora/core', 401],
    ['getPrivateFile', ({ bytes }: Sample) => bytes, 401],
  ] as const)('of %s is a page for a browser that matches the description', async (id, path, status) => {
    const answer = await repository.get(path(hidden), undefined, { Accept: 'text/html,*/*;q=0.8' });
    const copy = answer.clone();
    expect({ errors: await api.answerErrors(operation(id), answer), status: copy.status }).toEqual({
      errors: [],
      status,
    });
    expect(copy.headers.get('content-type')).toStartWith('text/html');
  });

  it('of a session without its token matches the description for every write', async () => {
    const session = await signIn(repository, 'admin', 'correct horse battery staple');
    const guarded = api.operations.filter(({ operation: { security } }) => security.some((way) => 'csrf' in way));
    expect(guarded.map(({ operation: { operationId } }) => operationId)).toContain('changeCoreSettings');
    const described = operation('deleteNode');
    const answer = await repository.fetch(node(sample), { method: 'DELETE', headers: { Cookie: session.cookie } });
    expect({ errors: await api.answerErrors(described, answer), status: answer.status }).toEqual({
      errors: [],
      status: 403,
    });
  });

  it('of too many login attempts matches the description', async () => {
    const described = operation('logIn');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const answer = await repository.post('/user/login', { name: 'guest', pass: `wrong ${attempt}` });
      statuses.push(answer.status);
      expect(await api.answerErrors(described, answer)).toEqual([]);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('unchanged content', () => {
  const reads: [id: string, path: (of: Sample) => string][] = [
    ['getNode', node],
    ['getMedia', (of) => `/media/${of.media}`],
    ['getTerm', (of) => `/taxonomy/term/${of.term}`],
    ['getFile', (of) => `/entity/file/${of.file}`],
    ['getUser', () => '/user/1'],
    ['getPrivateFile', (of) => of.bytes],
    ['getNodeRevision', (of) => `${node(of)}/revisions/${of.revision}/view`],
    ['getCoreSettings', () => '/admin/config/islandora/core'],
  ];
  it.each(reads)('gets a 304 from %s that matches the description', async (id, path) => {
    const etag = String((await repository.get(path(sample), 'admin')).headers.get('etag'));
    const answer = await repository.get(path(sample), 'admin', { 'If-None-Match': etag });
    expect({ errors: await api.answerErrors(operation(id), answer), status: answer.status }).toEqual({
      errors: [],
      status: 304,
    });
  });
});

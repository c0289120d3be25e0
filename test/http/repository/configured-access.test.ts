import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PNG, tokenOf } from '../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
roles:
  anonymous:
    permissions: [access content]
  helper:
    label: Helper
    permissions: [create page content]
rest:
  entity.node:
    GET: { json: [jwt_auth] }
    DELETE: null
  entity.user: null
  file.download:
    GET: { json: [cookie] }
  jwt.token:
    GET: { json: [basic_auth, jwt_auth, cookie] }
  views.node_members:
    GET: { jsonld: [jwt_auth] }
`;

let repository: TestRepository;
let path: string;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  path = `/node/${(await repository.node()).nid[0].value}?_format=json`;
});
afterAll(async () => {
  await repository.stop();
});

describe('a site with configured authentication', () => {
  it('accepts the configured credentials for a method, and anonymous requests', async () => {
    const refused = await repository.get(path, 'admin');
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 403,
      body: { message: 'This address does not accept this authentication method.' },
    });
    const token = await tokenOf(repository, 'admin');
    expect((await repository.get(path, undefined, { Authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await repository.get(path)).status).toBe(200);
    expect((await repository.patch(path, { type: 'islandora_object' }, 'admin')).status).toBe(200);
  });

  it('gives no token to a caller with a token, even if configured', async () => {
    const headers = { Authorization: `Bearer ${await tokenOf(repository, 'admin')}` };
    const response = await repository.get('/jwt/token', undefined, headers);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 403,
      body: { message: 'A token cannot be used to get another token. Sign in with a password.' },
    });
  });

  it('accepts no credentials for a format without configuration', async () => {
    const refused = await repository.get(path.replace('?_format=json', '/members'), 'admin');
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 403,
      body: { message: 'This address does not accept this authentication method.' },
    });
  });

  it('returns 405 for a disabled method', async () => {
    const removed = await repository.delete(path, 'admin');
    expect(removed.status).toBe(405);
    expect(removed.headers.get('allow')).not.toContain('DELETE');
    const options = await repository.fetch(path, { method: 'OPTIONS' });
    expect(options.headers.get('allow')).not.toContain('DELETE');
    expect((await repository.get(path)).status).toBe(200);
  });

  it('returns 404 for a disabled resource', async () => {
    const response = await repository.get('/user/1?_format=json', 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { message: `${repository.url}/user/1 does not exist.` },
    });
  });

  it.each(['public', 'private', 'fedora'])(
    'hides media and files in %s if anonymous callers may not view media',
    async (scheme) => {
      const node = `/node/${(await repository.node()).nid[0].value}`;
      const use = await repository.termId('http://pcdm.org/use#OriginalFile');
      const headers = { 'Content-Type': 'image/png', 'Content-Location': `${scheme}://a.png` };
      const put = await repository.put(`${node}/media/image/${use}`, PNG, headers, 'admin');
      const media = new URL(put.headers.get('location') as string).pathname;
      const { field_media_image: image } = (await (await repository.get(media, 'admin')).json()) as EntityJson;
      const { pathname } = new URL(image[0].url);
      const paths = [node, media, `/entity/file/${image[0].target_id}`, pathname];
      const statuses = await Promise.all(paths.map(async (each) => (await repository.get(each)).status));
      expect({ node: statuses[0], media: statuses[1], record: statuses[2], file: statuses[3] }).toEqual({
        node: 200,
        media: 401,
        record: 401,
        file: 401,
      });
    },
  );

  it('applies the permissions of a configured role', async () => {
    await repository.user('aide', 'helper');
    expect((await repository.post('/node?_format=json', { type: 'page', title: ['x'] }, 'aide')).status).toBe(201);
    expect((await repository.post('/node?_format=json', { type: 'article', title: ['x'] }, 'aide')).status).toBe(403);
  });
});

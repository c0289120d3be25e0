import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linkLines } from '../../support/link-lines.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let collection: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  await repository.user('reader');
  collection = (await repository.node()).nid[0].value;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const list = async (path: string, as = 'admin') => {
  const response = await repository.get(path, as);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/json');
  return (await response.json()) as EntityJson[];
};
const member = async (weight?: number, body: object = {}) => {
  const field_member_of = [{ target_id: collection }];
  const node = await repository.node({
    field_member_of,
    ...(weight !== undefined && { field_weight: [weight] }),
    ...body,
  });
  return node.nid[0].value as number;
};
const ids = (nodes: EntityJson[], name = 'nid') => nodes.map((node) => node[name][0].value);

describe('the members of a node', () => {
  it('are complete nodes in order of weight and then id', async () => {
    const parent = (await repository.node()).nid[0].value;
    const of = { field_member_of: [{ target_id: parent }] };
    const [heavy, none, light, last] = [
      await member(7, of),
      await member(undefined, of),
      await member(2, of),
      await member(7, of),
    ];
    const members = await list(`/node/${parent}/members?_format=json`);
    expect(ids(members)).toEqual([none, light, heavy, last]);
    for (const each of members)
      expect(each).toEqual((await (await repository.get(`/node/${each.nid[0].value}`, 'admin')).json()) as EntityJson);
    await repository.patch(`/node/${last}`, { type: 'islandora_object', field_weight: [1] }, 'admin');
    await repository.patch(`/node/${light}`, { type: 'islandora_object', field_member_of: [] }, 'admin');
    await repository.delete(`/node/${heavy}`, 'admin');
    expect(ids(await list(`/node/${parent}/members`))).toEqual([none, last]);
  });

  it('are listed once even if they refer to the node several times', async () => {
    const parent = (await repository.node()).nid[0].value;
    const nids: number[] = [];
    for (const targets of [
      [collection, parent, parent],
      [parent, parent],
      [parent, collection, parent],
    ])
      nids.push(await member(1, { field_member_of: targets.map((target_id) => ({ target_id })) }));
    expect(ids(await list(`/node/${parent}/members`))).toEqual(nids);
  });

  it('are returned completely or in pages of ten visible nodes', async () => {
    const parent = (await repository.node()).nid[0].value;
    const of = { field_member_of: [{ target_id: parent }] };
    const nids: number[] = [];
    for (let count = 0; count < 12; count++) await member(undefined, { ...of, status: [false] });
    for (let count = 0; count < 12; count++) nids.push(await member(undefined, of));
    const path = `/node/${parent}/members`;
    expect(await list(path)).toHaveLength(24);
    expect(await Promise.all([0, 1, 2, 3].map(async (page) => (await list(`${path}?page=${page}`)).length))).toEqual([
      10, 10, 4, 0,
    ]);
    expect(ids(await list(path, 'loader'))).toEqual(nids);
    expect(ids(await list(`${path}?page=0`, 'loader'))).toEqual(nids.slice(0, 10));
    expect(ids(await list(`${path}?page=1`, 'loader'))).toEqual(nids.slice(10));
    expect(await list(`${path}?page=2`, 'loader')).toEqual([]);
  });
});

describe('a page of a list of a node', () => {
  it('links to adjacent pages with entries that the caller may view', async () => {
    const parent = (await repository.node()).nid[0].value;
    const of = { field_member_of: [{ target_id: parent }] };
    for (let count = 0; count < 21; count++) await member(undefined, { ...of, status: [count < 20] });
    const path = `/node/${parent}/members?_format=json`;
    const linksAt = async (address: string, as: string) => {
      const response = await repository.get(address, as);
      return linkLines(response, repository.url);
    };
    expect(await linksAt(path, 'admin')).toEqual([]);
    expect(await linksAt(`${path}&page=0`, 'admin')).toEqual([`first ${path}&page=0`, `next ${path}&page=1`]);
    expect(await linksAt(`${path}&page=1`, 'admin')).toEqual([
      `first ${path}&page=0`,
      `prev ${path}&page=0`,
      `next ${path}&page=2`,
    ]);
    expect(await linksAt(`${path}&page=2`, 'admin')).toEqual([`first ${path}&page=0`, `prev ${path}&page=1`]);
    expect(await linksAt(`${path}&page=1`, 'loader')).toEqual([`first ${path}&page=0`, `prev ${path}&page=0`]);
    const media = `/node/${parent}/media?_format=json&page=0`;
    expect(await linksAt(media, 'loader')).toEqual([`first ${media}`]);
  });
});

describe('more members than one batch', () => {
  it('are listed completely and in order, and clients may disconnect early', async () => {
    const parent = (await repository.node()).nid[0].value;
    const nids: number[] = [];
    const of = { field_member_of: [{ target_id: parent }], field_description: [{ value: 'é'.repeat(2000) }] };
    for (let made = 0; made < 350; made += 50)
      nids.push(...(await Promise.all(Array.from({ length: 50 }, () => member(undefined, of)))));
    const path = `/node/${parent}/members`;
    expect(ids(await list(path))).toEqual(nids.toSorted((a, b) => a - b));
    const head = await repository.fetch(path, { method: 'HEAD', as: 'admin' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('application/json');
    const left = await repository.get(path, 'admin');
    await left.body?.cancel();
    expect(await list(`${path}?page=34`)).toHaveLength(10);
    expect(repository.failures()).toEqual([]);
  });
});

describe('the media of a node', () => {
  it('are complete media in order of id, and survive their node', async () => {
    const nid = (await repository.node()).nid[0].value;
    expect(await list(`/node/${nid}/media?_format=json`)).toEqual([]);
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const made: string[] = [];
    for (const name of ['b.txt', 'a.txt']) {
      const headers = { 'Content-Type': 'text/plain', 'Content-Location': `public://${name}` };
      const path = `/node/${nid}/media/file/${use + made.length}`;
      const put = await repository.put(path, 'text', headers, 'admin');
      expect(put.status).toBe(201);
      made.push(put.headers.get('Location') ?? '');
    }
    const media = await list(`/node/${nid}/media?_format=json`);
    expect(media.map(({ mid }) => `${repository.url}/media/${mid[0].value}`)).toEqual(made);
    for (const each of media)
      expect(each).toEqual((await (await repository.get(`/media/${each.mid[0].value}`, 'admin')).json()) as EntityJson);
    expect((await repository.delete(`/node/${nid}`, 'admin')).status).toBe(204);
    expect((await repository.get(`/node/${nid}/media`, 'admin')).status).toBe(404);
    const left = (await (await repository.get(new URL(made[0] as string).pathname, 'admin')).json()) as EntityJson;
    expect(left.field_media_of).toEqual([]);
  });
});

describe('a list', () => {
  it.each([
    ['/media', "The 'manage media' permission is required."],
    ['/members', "The 'manage members' permission is required."],
  ])('of a node at %s requires a permission', async (end, message) => {
    const path = `/node/${collection}${end}?_format=json`;
    expect((await repository.get(path)).status).toBe(401);
    const refused = await repository.get(path, 'reader');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ message });
    expect((await repository.get(path, 'loader')).status).toBe(200);
    expect((await repository.get(`/node/99999${end}`)).status).toBe(404);
  });

  it('of terms requires a permission', async () => {
    for (const path of [
      '/term_from_uri?uri=x',
      '/term_from_authority_link?authority_link=x',
      '/term_from_term_name?vocab=x&name=x',
      '/vocabulary/tags',
      '/vocabulary?vid=tags',
    ]) {
      expect({ path, status: (await repository.get(path)).status }).toEqual({ path, status: 401 });
      expect({ path, status: (await repository.get(path, 'reader')).status }).toEqual({ path, status: 403 });
      expect({ path, status: (await repository.get(path, 'loader')).status }).toEqual({ path, status: 200 });
    }
  });

  it.each(['-1', 'x', '1.5', '0x1', '9999999999'])('returns 400 for the page %s', async (page) => {
    for (const path of [`/node/${collection}/members`, `/node/${collection}/media`, '/vocabulary/tags']) {
      const response = await repository.get(`${path}?page=${page}`, 'admin');
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        message: `The query parameter "page" must be a number from 0, found "${page}".`,
      });
    }
  });

  it('of a hidden node requires access to the node', async () => {
    const hidden = (await repository.node({ status: [false] })).nid[0].value;
    for (const end of ['/media', '/members'])
      expect((await repository.get(`/node/${hidden}${end}`, 'loader')).status).toBe(403);
  });
});

describe('a user', () => {
  const OWN =
    'uid uuid langcode preferred_langcode preferred_admin_langcode name mail timezone created changed default_langcode path user_picture';
  const ALL =
    'uid uuid langcode preferred_langcode preferred_admin_langcode name mail timezone status created changed access login init roles default_langcode path user_picture';

  it('shows only members that the caller may see, never a password', async () => {
    const uid = await repository.user('someone', 'workbench_user');
    await repository.user('viewer', 'content_editor');
    await repository.user('other', 'workbench_user');
    const seen = async (as: string) =>
      (await (await repository.get(`/user/${uid}?_format=json`, as)).json()) as EntityJson;
    const [full, own] = [await seen('admin'), await seen('someone')];
    expect(Object.keys(full).join(' ')).toBe(ALL);
    expect(Object.keys(own).join(' ')).toBe(OWN);
    expect(full.roles).toEqual([
      { target_id: 'workbench_user', target_type: 'user_role', target_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    expect(full).toMatchObject({
      uid: [{ value: uid }],
      name: [{ value: 'someone' }],
      status: [{ value: true }],
      user_picture: [],
    });
    for (const name of ['created', 'changed', 'access', 'login']) expect(full[name][0].format).toBe('Y-m-d\\TH:i:sP');
    const stranger = await repository.get(`/user/${uid}`, 'viewer');
    expect(stranger.status).toBe(403);
    expect(((await stranger.json()) as EntityJson).message).toStartWith(
      "The 'access user profiles' permission is required",
    );
    expect((await repository.get(`/user/${uid}`)).status).toBe(401);
    // A bulk loader asks if the user exists.
    expect(Object.keys(await seen('other')).join(' ')).toBe(
      'uid uuid langcode name created changed default_langcode path user_picture',
    );
    expect((await repository.get('/user/999999?_format=json', 'other')).status).toBe(404);
    expect(JSON.stringify(full)).not.toContain('argon2');
  });
});

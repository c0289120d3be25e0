import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, pngHead, settledFiles } from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'repository_editor');
});
afterAll(async () => {
  await settledFiles(repository);
  await repository.stop();
});

const OWNERS = ['editor', 'admin'];

async function create(path: string, fields: object, as: string): Promise<EntityJson> {
  const response = await repository.post(`${path}?_format=json`, fields, as);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

/** The statuses of looking, changing and removing as the editor. */
async function handled(path: string, change: object): Promise<number[]> {
  const statuses: number[] = [];
  for (const ask of [
    () => repository.get(`${path}?_format=json`, 'editor'),
    () => repository.patch(`${path}?_format=json`, change, 'editor'),
    () => repository.delete(`${path}?_format=json`, 'editor'),
  ])
    statuses.push((await ask()).status);
  return statuses;
}

const ALL = [200, 200, 204];

describe('a repository_editor', () => {
  it.each(OWNERS)('creates, views, edits and deletes items of %s, even unpublished', async (owner) => {
    for (const status of [true, false]) {
      const node = await repository.node({ status: [{ value: status }] }, owner);
      const path = `/node/${node.nid[0].value}`;
      expect(await handled(path, { type: 'islandora_object', title: ['Changed'] })).toEqual(ALL);
    }
  });

  it('unpublishes an item and publishes it again', async () => {
    const { nid } = await repository.node({}, 'admin');
    const path = `/node/${nid[0].value}?_format=json`;
    for (const value of [false, true]) {
      const response = await repository.patch(path, { type: 'islandora_object', status: [{ value }] }, 'editor');
      expect({ status: response.status, published: ((await response.json()) as EntityJson).status }).toEqual({
        status: 200,
        published: [{ value }],
      });
      expect((await repository.get(path)).status).toBe(value ? 200 : 401);
    }
  });

  it.each(OWNERS)('views, edits, deletes and replaces media files of %s, even unpublished', async (as) => {
    const node = await repository.node({}, 'admin');
    for (const status of [true, false]) {
      const media = await createMedia(repository, {
        node,
        uri: `public://${as}-${status}.png`,
        body: pngHead(1, 2),
        as,
      });
      const path = `/media/${media.mid[0].value}`;
      const hide = { bundle: 'image', status: [{ value: status }] };
      expect((await repository.patch(`${path}?_format=json`, hide, 'admin')).status).toBe(200);
      const headers = { 'Content-Type': 'image/png' };
      expect((await repository.put(`${path}/source`, pngHead(3, 4), headers, 'editor')).status).toBe(204);
      expect(await handled(path, { bundle: 'image', name: ['Changed'] })).toEqual(ALL);
    }
  });

  it.each(OWNERS)('creates, views, edits and deletes unpublished terms of %s', async (owner) => {
    for (const vid of ['subject', 'tags']) {
      const term = await create('/taxonomy/term', { vid, name: ['New'], status: [{ value: false }] }, owner);
      expect(await handled(`/taxonomy/term/${term.tid[0].value}`, { vid, name: ['Changed'] })).toEqual(ALL);
    }
  });

  it('lists the members and media of an item, even unpublished', async () => {
    const parent = (await repository.node({}, 'admin')).nid[0].value;
    const member = await repository.node({ field_member_of: [{ target_id: parent }], status: ['0'] }, 'admin');
    const members = await repository.get(`/node/${parent}/members?_format=json`, 'editor');
    const listed = (await members.json()) as EntityJson[];
    expect(listed.map(({ nid }) => nid[0].value)).toEqual([member.nid[0].value]);
    expect((await repository.get(`/node/${parent}/media?_format=json`, 'editor')).status).toBe(200);
  });

  it('may not create articles, read users or settings, or delete configured terms', async () => {
    const article = await repository.post('/node?_format=json', { type: 'article', title: ['x'] }, 'editor');
    const user = await repository.get('/user/1?_format=json', 'editor');
    const settings = await repository.get('/admin/config/islandora/core?_format=json', 'editor');
    const uri = 'http://pcdm.org/use#OriginalFile';
    const term = await repository.delete(`/taxonomy/term/${await repository.termId(uri)}?_format=json`, 'editor');
    expect(article.status).toBe(403);
    expect(user.status).toBe(403);
    expect(settings.status).toBe(403);
    expect(term.status).toBe(403);
  });
});

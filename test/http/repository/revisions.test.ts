import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  await repository.user('other', 'workbench_user');
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = async (path: string, as = 'admin') => (await (await repository.get(path, as)).json()) as EntityJson;

interface Kind {
  name: string;
  path: string;
  label: string;
  log: string;
  bundle: object;
  created: EntityJson;
}

async function make(kind: 'node' | 'media'): Promise<Kind> {
  if (kind === 'node') {
    const created = await repository.node({ title: ['first'], field_extent: ['1 p.'] }, 'loader');
    const path = `/node/${created.nid[0].value}`;
    return { name: kind, path, label: 'title', log: 'revision_log', bundle: { type: 'islandora_object' }, created };
  }
  const body = { bundle: 'remote_video', name: ['first'], field_media_oembed_video: ['https://example.org/v'] };
  const created = (await (await repository.post('/entity/media', body, 'loader')).json()) as EntityJson;
  const path = `/media/${created.mid[0].value}`;
  return { name: kind, path, label: 'name', log: 'revision_log_message', bundle: { bundle: 'remote_video' }, created };
}

async function change({ path, bundle }: Kind, body: object, as = 'admin'): Promise<EntityJson> {
  const response = await repository.patch(path, { ...bundle, ...body }, as);
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as EntityJson;
}

describe.each(['node', 'media'] as const)('the history of a %s', (name) => {
  it('has a line for each revision, newest first', async () => {
    const kind = await make(name);
    const second = await change(kind, { [kind.label]: ['second'], [kind.log]: ['why'] });
    const lines = (await read(`${kind.path}/revisions?_format=json`)) as unknown as EntityJson[];
    const [id, time, user] =
      name === 'node' ? ['nid', 'revision_timestamp', 'revision_uid'] : ['mid', 'revision_created', 'revision_user'];
    const line = (entity: EntityJson, isCurrent: boolean) => ({
      [id as string]: kind.created[id as string],
      vid: entity.vid,
      [time as string]: entity[time as string],
      [user as string]: entity[user as string],
      [kind.log]: entity[kind.log],
      default_revision: [{ value: isCurrent }],
    });
    expect(lines).toEqual([line(second, true), line(kind.created, false)]);
  });

  it('keeps every revision as it was', async () => {
    const kind = await make(name);
    const second = await change(kind, { [kind.label]: ['second'], [kind.log]: ['why'] });
    const third = await change(kind, { status: [false], langcode: ['und'] });
    for (const revision of [kind.created, second, third]) {
      const response = await repository.get(
        `${kind.path}/revisions/${revision.vid[0].value}/view?_format=json`,
        'admin',
      );
      expect(response.status).toBe(200);
      expect(response.headers.get('ETag')).toStartWith('"');
      const seen = (await response.json()) as EntityJson;
      expect(seen).toEqual(revision);
      expect(Object.keys(seen)).toEqual(Object.keys(revision));
    }
  });

  it('can be restored, which creates a new revision', async () => {
    const kind = await make(name);
    const second = await change(kind, { [kind.label]: ['second'], status: [false] });
    const response = await repository.post(`${kind.path}/revisions/${kind.created.vid[0].value}/revert`, '', 'admin');
    expect(response.status).toBe(200);
    const back = (await response.json()) as EntityJson;
    expect(back[kind.label]).toEqual([{ value: 'first' }]);
    expect(back.status).toEqual([{ value: true }]);
    expect(back.vid[0].value).toBeGreaterThan(second.vid[0].value);
    expect(back[kind.log][0].value).toStartWith('Copy of the revision from ');
    expect(back.created).toEqual(kind.created.created);
    expect(await read(kind.path)).toEqual(back);
    expect((await read(`${kind.path}/revisions`)).length).toBe(3);
    expect(await read(`${kind.path}/revisions/${second.vid[0].value}/view`)).toEqual(second);
  });

  it('is unchanged by a revert to the current revision', async () => {
    const kind = await make(name);
    const before = await read(kind.path);
    const response = await repository.post(`${kind.path}/revisions/${before.vid[0].value}/revert`, '', 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: before });
    expect((await read(`${kind.path}/revisions`)).length).toBe(1);
  });

  it('is not restored over a concurrent change', async () => {
    const kind = await make(name);
    const etag = (await repository.get(kind.path, 'admin')).headers.get('ETag') ?? '';
    await change(kind, { [kind.label]: ['second'] });
    const path = `${kind.path}/revisions/${kind.created.vid[0].value}/revert`;
    expect((await repository.post(path, '', 'admin', { 'If-Match': etag })).status).toBe(412);
  });

  it('is listed page by page', async () => {
    const kind = await make(name);
    for (let count = 1; count <= 54; count++) await change(kind, { [kind.label]: [`${count}`] });
    const lengths = await Promise.all(
      ['', '?page=0', '?page=1', '?page=2'].map(async (query) => (await read(`${kind.path}/revisions${query}`)).length),
    );
    expect(lengths).toEqual([50, 50, 5, 0]);
    for (const page of ['x', '-1', '1e3', '99999999999999999999']) {
      const response = await repository.get(`${kind.path}/revisions?page=${page}`, 'admin');
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        message: `The query parameter "page" must be a number from 0, found "${page.slice(0, 20)}".`,
      });
    }
    expect((await read(`${kind.path}/revisions?page=999999999`)).length).toBe(0);
  });

  it('returns 404 for a missing revision or one of another entity', async () => {
    const [kind, other] = [await make(name), await make(name)];
    for (const vid of ['0', '99999', 'x', other.created.vid[0].value]) {
      const view = await repository.get(`${kind.path}/revisions/${vid}/view`, 'admin');
      expect(view.status).toBe(404);
      const shown = vid === 'x' ? '"x"' : vid;
      expect(((await view.json()) as EntityJson).message).toBe(
        `${name === 'node' ? 'Node' : 'Media'} revision ${shown} does not exist.`,
      );
      expect((await repository.post(`${kind.path}/revisions/${vid}/revert`, '', 'admin')).status).toBe(404);
    }
  });

  it('requires permissions to read it and to revert', async () => {
    const kind = await make(name);
    await change(kind, { [kind.label]: ['second'] });
    const view = `${kind.path}/revisions/${kind.created.vid[0].value}/view`;
    for (const path of [`${kind.path}/revisions`, view]) {
      expect((await repository.get(path)).status).toBe(401);
      expect((await repository.get(path, 'reader')).status).toBe(403);
    }
    const revert = view.replace('/view', '/revert');
    expect((await repository.post(revert, '')).status).toBe(401);
    for (const as of ['reader', 'other']) expect((await repository.post(revert, '', as)).status).toBe(403);
    expect(await read(kind.path)).toMatchObject({ [kind.label]: [{ value: 'second' }] });
  });
});

describe('a revision', () => {
  it('of a node hidden from a reader of revisions stays hidden', async () => {
    const kind = await make('node');
    await change(kind, { uid: [{ target_id: 1 }], status: [false] });
    expect((await repository.get(`${kind.path}/revisions`, 'other')).status).toBe(403);
  });

  it('by a loader can be restored by the loader', async () => {
    const kind = await make('node');
    await change(kind, { title: ['second'] }, 'loader');
    expect((await repository.get(`${kind.path}/revisions`, 'loader')).status).toBe(200);
    const revert = await repository.post(`${kind.path}/revisions/${kind.created.vid[0].value}/revert`, '', 'loader');
    expect(revert.status).toBe(200);
    expect(((await revert.json()) as EntityJson).revision_uid).toEqual(kind.created.uid);
  });

  it('of a media restores its texts, but not the sizes of replaced bytes', async () => {
    const node = await repository.node();
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const images = join(import.meta.dir, '../../fixtures/images');
    const headers = { 'Content-Type': 'image/png', 'Content-Location': 'public://red.png' };
    const put = await repository.put(
      `/node/${node.nid[0].value}/media/image/${use}`,
      Bun.file(join(images, 'red.png')),
      headers,
      'admin',
    );
    const path = new URL(put.headers.get('Location') ?? '').pathname;
    const first = await read(path);
    await repository.patch(path, { bundle: 'image', name: ['second'] }, 'admin');
    const bytes = Bun.file(join(images, 'red.jpg'));
    expect((await repository.put(`${path}/source`, bytes, { 'Content-Type': 'image/jpeg' }, 'admin')).status).toBe(204);
    const present = await read(path);
    expect(present.field_file_size).toEqual([{ value: bytes.size }]);
    const revert = await repository.post(`${path}/revisions/${first.vid[0].value}/revert`, '', 'admin');
    const back = (await revert.json()) as EntityJson;
    expect(back.name).toEqual(first.name);
    for (const name of [
      'field_file_size',
      'field_mime_type',
      'field_width',
      'field_height',
      'field_media_image',
      'thumbnail',
    ])
      expect({ name, value: back[name] }).toEqual({ name, value: present[name] });
    expect(await read(path)).toEqual(back);
  });

  it('keeps the current alias of the node', async () => {
    const kind = await make('node');
    const second = await change(kind, { path: [{ alias: '/now' }] });
    expect((await read(`${kind.path}/revisions/${kind.created.vid[0].value}/view`)).path).toEqual(second.path);
    const revert = await repository.post(`${kind.path}/revisions/${kind.created.vid[0].value}/revert`, '', 'admin');
    expect(((await revert.json()) as EntityJson).path).toEqual(second.path);
    expect((await repository.get('/now')).status).toBe(200);
  });
});

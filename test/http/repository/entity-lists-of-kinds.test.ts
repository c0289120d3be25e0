import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { idsOf, readPage, walk } from '../../support/list-walk.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const NAMES = ['b.txt', 'A.txt', 'D.txt', 'c.txt'];

let repository: TestRepository;
let uploader: number;
let node: number;
let hidden: number;
const media = new Map<string, number>();
beforeAll(async () => {
  repository = await createTestRepository();
  uploader = await repository.user('uploader', 'workbench_user');
  await repository.user('Blocked', 'content_editor');
  await repository.user('reader');
  node = (await repository.node({}, 'uploader')).nid[0].value;
  hidden = (await repository.node({ status: [false] })).nid[0].value;
  const use = await repository.termId(ORIGINAL);
  for (const [index, name] of NAMES.entries()) {
    const [of, scheme] = name === 'c.txt' ? [hidden, 'private'] : [node, 'public'];
    const type = name === 'A.txt' ? 'text/csv' : 'text/plain';
    const headers = { 'Content-Type': type, 'Content-Location': `${scheme}://${name}` };
    const put = await repository.put(`/node/${of}/media/file/${use + index}`, 'text', headers, 'admin');
    expect(put.status).toBe(201);
    const mid = Number(put.headers.get('location')?.split('/').at(-1));
    media.set(name, mid);
    const uid = [{ target_id: name === 'c.txt' ? 1 : uploader }];
    expect((await repository.patch(`/media/${mid}`, { bundle: 'file', uid }, 'admin')).status).toBe(200);
  }
  const body = { bundle: 'file', status: [{ value: false }], created: [{ value: '2001-02-03T04:05:06+00:00' }] };
  expect((await repository.patch(`/media/${media.get('D.txt')}`, body, 'admin')).status).toBe(200);
  await repository.running.services.database.write([
    { sql: "UPDATE user SET status = 0 WHERE name = 'Blocked'", args: [] },
    { sql: "UPDATE file SET owner_id = ? WHERE uri LIKE 'public://_.txt'", args: [uploader] },
  ]);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Reads a whole list in pages of two, and expects the same backward, and the same total on each page. */
async function names(path: string, as?: string, member = 'name'): Promise<string[]> {
  const pages = await walk(repository, `${path}${path.includes('?') ? '&' : '?'}size=2`, as);
  const entries = pages.flatMap((page) => page.entries);
  for (const { total } of pages) expect(total).toBe(String(entries.length));
  const last = pages[0]?.links.last;
  if (last !== undefined) {
    const back = await walk(repository, last, as, 'prev');
    expect(idsOf(back.toReversed().flatMap((page) => page.entries))).toEqual(idsOf(entries));
  }
  return entries.map((entry) => entry[member][0].value);
}

describe('the list of media', () => {
  it('returns each media as its own GET does', async () => {
    const { entries, total } = await readPage(repository, '/media?_format=json', 'admin');
    expect({ entries: entries.length, total }).toEqual({ entries: 4, total: '4' });
    for (const entry of entries)
      expect(entry).toEqual(
        (await (await repository.get(`/media/${entry.mid[0].value}`, 'admin')).json()) as EntityJson,
      );
  });

  it.each([
    ['', ['b.txt', 'A.txt', 'D.txt', 'c.txt']],
    ['sort=name', ['A.txt', 'b.txt', 'c.txt', 'D.txt']],
    ['sort=-name', ['D.txt', 'c.txt', 'b.txt', 'A.txt']],
    ['sort=created', ['D.txt', 'b.txt', 'A.txt', 'c.txt']],
    ['sort=-created', ['c.txt', 'A.txt', 'b.txt', 'D.txt']],
    ['sort=-id&type=file', ['c.txt', 'D.txt', 'A.txt', 'b.txt']],
    ['type=image', []],
    [`use=${encodeURIComponent(ORIGINAL)}`, ['b.txt']],
    [`use=${encodeURIComponent(ORIGINAL)}&sort=changed&published=false`, []],
    ['published=false', ['D.txt']],
    ['owner=UPLOADER&sort=-name', ['D.txt', 'b.txt', 'A.txt']],
    ['changed_since=2100-01-01', []],
    ['changed_since=2020-01-01', ['b.txt', 'A.txt', 'D.txt', 'c.txt']],
  ])('is filtered and sorted by %s', async (query, expected) => {
    // Made in the same second, media follow each other by id.
    expect(await names(`/media?${query.replace('UPLOADER', String(uploader))}`, 'admin')).toEqual(expected);
  });

  it('omits media that the caller may not view, also those of hidden nodes', async () => {
    expect(await names('/media')).toEqual(['b.txt', 'A.txt']);
    expect(await names('/media?published=false')).toEqual([]);
    expect(await names('/media', 'uploader')).toEqual(['b.txt', 'A.txt', 'D.txt']);
    expect(await names('/media?published=false', 'uploader')).toEqual(['D.txt']);
    expect(await names(`/media?use=${encodeURIComponent(ORIGINAL)}`, 'reader')).toEqual(['b.txt']);
  });
});

describe('the list of terms', () => {
  it('returns terms of one or all vocabularies, sorted by id, name or change', async () => {
    const models = await names('/taxonomy/term?vocabulary=islandora_models&sort=name');
    expect(models.slice(0, 3)).toEqual(['Audio', 'Binary', 'Collection']);
    expect(await names('/taxonomy/term?vocabulary=islandora_models&sort=-name')).toEqual(models.toReversed());
    const pages = await walk(repository, '/taxonomy/term?size=300&sort=-changed');
    const all = idsOf(pages.flatMap(({ entries }) => entries));
    expect(pages[0]?.total).toBe(String(all.length));
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(300);
    expect(await names('/taxonomy/term?vocabulary=tags')).toEqual([]);
  });

  it('shows unpublished terms only to callers who administer them', async () => {
    const body = (name: string) => ({
      vid: [{ target_id: 'tags' }],
      name: [{ value: name }],
      status: [name !== 'off'],
    });
    for (const name of ['on', 'off'])
      expect((await repository.post('/taxonomy/term', body(name), 'admin')).status).toBe(201);
    expect(await names('/taxonomy/term?vocabulary=tags')).toEqual(['on']);
    expect(await names('/taxonomy/term?vocabulary=tags&published=false')).toEqual([]);
    expect(await names('/taxonomy/term?vocabulary=tags&published=false', 'uploader')).toEqual(['off']);
  });
});

describe('the list of files', () => {
  const files = (query: string) => names(`/file?${query}`, 'admin', 'filename');

  it.each([
    ['scheme=public', ['generic.png', 'b.txt', 'A.txt', 'D.txt']],
    ['scheme=private', ['c.txt']],
    ['scheme=priv', []],
    ['mime_type=TEXT/csv', ['A.txt']],
    ['scheme=public&sort=-name', ['generic.png', 'D.txt', 'b.txt', 'A.txt']],
    ['scheme=public&sort=created', ['generic.png', 'b.txt', 'A.txt', 'D.txt']],
    ['scheme=public&sort=-changed', ['D.txt', 'A.txt', 'b.txt', 'generic.png']],
    ['permanent=true&scheme=private', ['c.txt']],
    ['permanent=false', []],
    ['owner=UPLOADER&sort=-id', ['D.txt', 'A.txt', 'b.txt']],
    ['changed_since=2100-01-01T00:00:00Z', []],
  ])('is filtered and sorted by %s', async (query, expected) => {
    expect(await files(query.replace('UPLOADER', String(uploader)))).toEqual(expected);
  });

  it('returns each record as its own GET does', async () => {
    const { entries } = await readPage(repository, '/file?scheme=private', 'admin');
    const [file] = entries as [EntityJson];
    expect(file).toEqual(
      (await (await repository.get(`/entity/file/${file.fid[0].value}`, 'admin')).json()) as EntityJson,
    );
  });

  it('is refused to callers who are not administrators', async () => {
    expect((await repository.get('/file')).status).toBe(401);
    for (const as of ['uploader', 'reader']) {
      const refused = await repository.get('/file?size=x', as);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toEqual({ message: "The 'delete any file' permission is required." });
      expect((await repository.fetch('/file', { method: 'HEAD', as })).status).toBe(403);
    }
  });
});

describe('the list of users', () => {
  it('returns the users that the caller may view', async () => {
    expect(await names('/user?sort=name', 'admin')).toEqual(['admin', 'Blocked', 'reader', 'uploader']);
    expect(await names('/user?sort=-name', 'uploader')).toEqual(['uploader', 'reader', 'admin']);
    expect(await names('/user', 'reader')).toEqual(['reader']);
    expect(await names('/user')).toEqual([]);
  });

  it('is filtered by status and role if the caller may see these', async () => {
    expect(await names('/user?status=false', 'admin')).toEqual(['Blocked']);
    expect(await names('/user?status=false', 'uploader')).toEqual([]);
    expect(await names('/user?role=workbench_user&status=true', 'admin')).toEqual(['uploader']);
    expect(await names('/user?role=administrator', 'admin')).toEqual(['admin']);
    const refused = await repository.get('/user?role=workbench_user', 'uploader');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ message: "The 'administer users' permission is required." });
    expect((await repository.get('/user?role=workbench_user')).status).toBe(401);
  });

  it('returns the members that the caller may view', async () => {
    const { entries } = await readPage(repository, '/user?sort=changed', 'uploader');
    for (const entry of entries) {
      const path = `/user/${entry.uid[0].value}`;
      expect(entry).toEqual((await (await repository.get(path, 'uploader')).json()) as EntityJson);
      expect('mail' in entry).toBe(entry.name[0].value === 'uploader');
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../../support/empty-folder.ts';
import { readPage, walk } from '../../support/list-walk.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const CALLERS = [undefined, 'reader', 'owner', 'editor', 'admin'] as const;

let repository: TestRepository;
let owner: number;
beforeAll(async () => {
  repository = await createTestRepository();
  owner = await repository.user('owner', 'workbench_user');
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
  const node = (title: string, isPublished: boolean, as: string) =>
    repository.node({ title: [{ value: title }], status: [{ value: isPublished }] }, as);
  await node('a public', true, 'admin');
  await node('b hidden', false, 'admin');
  const own = (await repository.node({ title: [{ value: 'c own hidden' }] }, 'owner')).nid[0].value;
  const body = { type: 'islandora_object', status: [{ value: false }] };
  expect((await repository.patch(`/node/${own}`, body, 'admin')).status).toBe(200);
  await node('d own public', true, 'owner');
  await node('e hidden', false, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Reads a list in pages of one entry, and expects the number of all in each. */
async function titles(query: string, as: string | undefined): Promise<string[]> {
  const pages = await walk(repository, `/node?size=1&${query}`, as);
  const found = pages.flatMap(({ entries }) => entries.map(({ title }) => title[0].value as string));
  for (const { total, links } of pages) {
    expect(total).toBe(String(found.length));
    expect('last' in links).toBe(found.length > 1);
  }
  return found;
}

const PUBLIC = ['a public', 'd own public'];
const ALL = ['a public', 'b hidden', 'c own hidden', 'd own public', 'e hidden'];
const OWN = ['a public', 'c own hidden', 'd own public'];

describe('the list of nodes', () => {
  it.each(['id', 'title', 'changed', 'created'])(
    'shows and counts what the caller may view, sorted by %s',
    async (sort) => {
      for (const [index, expected] of [PUBLIC, PUBLIC, OWN, ALL, ALL].entries())
        expect((await titles(`sort=${sort}`, CALLERS[index])).toSorted()).toEqual(expected);
    },
  );

  it('shows and counts the visible nodes of an owner', async () => {
    for (const [index, expected] of [
      PUBLIC.slice(1),
      PUBLIC.slice(1),
      OWN.slice(1),
      OWN.slice(1),
      OWN.slice(1),
    ].entries())
      expect(await titles(`owner=${owner}`, CALLERS[index])).toEqual(expected);
  });

  it('shows and counts the visible unpublished nodes', async () => {
    const hidden = ['b hidden', 'c own hidden', 'e hidden'];
    for (const [index, expected] of [[], [], ['c own hidden'], hidden, hidden].entries())
      expect(await titles('published=false', CALLERS[index])).toEqual(expected);
    expect(await titles('published=false&owner=1', 'owner')).toEqual([]);
    expect(await titles('published=false&owner=1', 'editor')).toEqual(['b hidden', 'e hidden']);
    expect(await titles('published=false&owner=0', undefined)).toEqual([]);
  });

  it('is empty for callers without any permission', async () => {
    const folder = await emptyFolder();
    const modelFile = join(folder, 'model.yaml');
    const roles = '{ anonymous: { permissions: [] }, authenticated: { permissions: [] } }';
    const rest = '{ list.user: { GET: { json: [jwt_auth] } }, list.media: null }';
    await writeFile(modelFile, `roles: ${roles}\nrest: ${rest}\n`);
    const closed = await createTestRepository({ modelFile });
    await closed.node();
    for (const path of ['/node', '/taxonomy/term', '/user']) {
      const { entries, total } = await readPage(closed, path);
      expect({ path, entries, total }).toEqual({ path, entries: [], total: '0' });
    }
    // As configured: no such list, and no passwords for another one.
    expect((await closed.get('/media')).status).toBe(405);
    expect((await closed.get('/user', 'admin')).status).toBe(403);
    expect((await closed.get('/node', 'admin')).status).toBe(200);
    expect((await closed.fetch('/node', { headers: { Authorization: 'Basic bad' } })).status).toBe(401);
    await closed.stop();
  });

  it('omits a node that is unpublished between two pages', async () => {
    const [first] = await walk(repository, '/node?size=1&sort=title');
    const next = (await readPage(repository, '/node?size=2&sort=title')).entries[1];
    const body = (isPublished: boolean) => ({ type: 'islandora_object', status: [{ value: isPublished }] });
    const nid = next?.nid[0].value;
    expect((await repository.patch(`/node/${nid}`, body(false), 'admin')).status).toBe(200);
    const second = await readPage(repository, first?.links.next as string);
    expect(second.entries).toEqual([]);
    expect((await repository.patch(`/node/${nid}`, body(true), 'admin')).status).toBe(200);
    expect((await readPage(repository, first?.links.next as string)).entries).toHaveLength(1);
  });
});

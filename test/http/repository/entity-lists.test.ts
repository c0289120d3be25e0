import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { idsOf, readPage, walk } from '../../support/list-walk.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
const made: Record<string, number> = {};
const DAY = 86_400;
const START = 1_600_000_000;

/** Sets a time in the row, its record and its document, as it would be after a write at that time. */
async function setTimes(table: string, id: number, created: number, changed: number): Promise<void> {
  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000Z', '+00:00');
  const document = `json_set(document, '$.created[0].value', '${iso(created)}')`;
  await repository.running.services.database.write([
    ...(table === 'node'
      ? [{ sql: 'UPDATE node_record SET created = ?, changed = ? WHERE nid = ?', args: [created, changed, id] }]
      : []),
    { sql: `UPDATE ${table} SET changed = ?, document = ${document} WHERE id = ?`, args: [changed, id] },
  ]);
}

beforeAll(async () => {
  repository = await createTestRepository();
  made.owner = await repository.user('owner', 'workbench_user');
  made.image = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  made.audio = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
  made.collection = (await repository.node({ title: [{ value: 'mixed' }] })).nid[0].value;
  const node = async (name: string, fields: object, as = 'admin') => {
    made[name] = (await repository.node({ title: [{ value: name }], ...fields }, as)).nid[0].value;
  };
  const field_member_of = [{ target_id: made.collection }, { target_id: made.collection }];
  await node('Éclair', { field_member_of });
  await node('apple', { field_member_of, status: [{ value: false }] });
  await node('Banana', { field_model: [{ target_id: made.audio }] });
  await node('cherry', {}, 'owner');
  await node('Date', { type: [{ target_id: 'article' }], field_model: undefined });
  for (const [at, name] of ['Date', 'Éclair', 'apple', 'cherry', 'Banana', 'collection'].entries())
    await setTimes('node', made[name] as number, START + at * DAY, START + (10 - at) * DAY);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const list = async (path: string, as = 'admin') => (await readPage(repository, path, as)).entries;
const titles = async (query: string, as = 'admin') =>
  (await list(`/node?_format=json&${query}`, as)).map(({ title }) => title[0].value);

describe('the list of nodes', () => {
  it('returns each node as its own GET does, sorted by id', async () => {
    const { entries, total, links } = await readPage(repository, '/node?_format=json', 'admin');
    expect(idsOf(entries)).toEqual(idsOf(entries).toSorted((a, b) => a - b));
    expect(entries).toHaveLength(6);
    expect(total).toBe('6');
    expect(links).toEqual({ first: '/node?_format=json' });
    for (const entry of entries)
      expect(entry).toEqual(
        (await (await repository.get(`/node/${entry.nid[0].value}`, 'admin')).json()) as EntityJson,
      );
  });

  it.each([
    ['type=article', ['Date']],
    ['type=page', []],
    ['model=http://purl.org/coar/resource_type/c_18cc', ['Banana']],
    ['model=MODEL', ['mixed', 'Éclair', 'apple', 'cherry']],
    ['model=http://example.org/unknown', []],
    ['collection=COLLECTION', ['Éclair', 'apple']],
    ['collection=COLLECTION&published=false', ['apple']],
    ['collection=999999', []],
    ['published=true', ['mixed', 'Éclair', 'Banana', 'cherry', 'Date']],
    ['published=0', ['apple']],
    ['owner=OWNER', ['cherry']],
    ['owner=OWNER&type=article', []],
    ['owner=OWNER&model=MODEL&sort=-title', ['cherry']],
    [`changed_since=${START + 9 * DAY}`, ['Éclair', 'Date']],
    ['changed_since=2020-09-22T12:26:40Z', ['Éclair', 'Date']],
    ['changed_since=2020-09-22T14:26:40+02:00', ['Éclair', 'Date']],
    ['changed_since=2020-09-23', ['Date']],
    ['changed_since=2120-01-01', []],
  ])('is filtered by %s', async (query, expected) => {
    const filled = query
      .replace('MODEL', String(made.image))
      .replace('COLLECTION', String(made.collection))
      .replace('OWNER', String(made.owner));
    expect(await titles(filled)).toEqual(expected);
    expect((await readPage(repository, `/node?${filled}`, 'admin')).total).toBe(String(expected.length));
  });

  it.each([
    ['title', ['apple', 'Banana', 'cherry', 'Date', 'Éclair', 'mixed']],
    ['created', ['Date', 'Éclair', 'apple', 'cherry', 'Banana', 'mixed']],
    ['changed', ['mixed', 'Banana', 'cherry', 'apple', 'Éclair', 'Date']],
    ['id', ['mixed', 'Éclair', 'apple', 'Banana', 'cherry', 'Date']],
  ])('is sorted by %s in both directions and in pages of any size', async (sort, expected) => {
    for (const size of [1, 2, 4, 500])
      for (const [order, wanted] of [
        [sort, expected],
        [`-${sort}`, expected.toReversed()],
      ] as const) {
        const read = async (path: string, rel: 'next' | 'prev') =>
          (await walk(repository, path, 'admin', rel)).map(({ entries }) => entries.map(({ title }) => title[0].value));
        const path = `/node?sort=${order}&size=${size}`;
        expect((await read(path, 'next')).flat()).toEqual([...wanted]);
        const { links } = await readPage(repository, path, 'admin');
        const backward = await read(links.last ?? path, 'prev');
        expect(backward.toReversed().flat()).toEqual([...wanted]);
        expect(backward.slice(0, -1).every((page) => page.length === size)).toBe(true);
      }
  });

  it('returns the total and the links to other pages on each page', async () => {
    const pages = await walk(repository, '/node?sort=title&size=2&published=true&ignored=x', 'admin');
    expect(pages.map(({ total }) => total)).toEqual(['5', '5', '5']);
    expect(pages.map(({ links }) => Object.keys(links).join(' '))).toEqual([
      'first next last',
      'first prev next last',
      'first prev last',
    ]);
    for (const { links } of pages) expect(links.first).toBe('/node?_format=json&published=true&sort=title&size=2');
    const second = await readPage(repository, pages[2]?.links.prev as string, 'admin');
    expect(second.entries).toEqual(pages[1]?.entries as EntityJson[]);
    expect(second.total).toBe('5');
  });

  it('answers HEAD and redirects a browser to an HTML page', async () => {
    const head = await repository.fetch('/node?size=1', { method: 'HEAD', as: 'admin' });
    expect({ status: head.status, totalCount: head.headers.get('x-total-count'), body: await head.text() }).toEqual({
      status: 200,
      totalCount: '6',
      body: '',
    });
    expect(head.headers.get('link')).toContain('rel="next"');
    const page = await repository.get('/node', undefined, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(page.status).toBe(303);
    expect((await fetch(page.headers.get('location') as string)).headers.get('content-type')).toStartWith('text/html');
    expect((await repository.get('/node?_format=jsonld')).status).toBe(406);
    expect((await repository.get('/media?_format=html')).status).toBe(406);
  });
});

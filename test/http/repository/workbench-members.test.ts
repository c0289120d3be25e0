import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const PATH = '/islandora_workbench_integration/members-of-node';
const ask = (of: number | string, query = '_format=json', as: string | undefined = 'loader') =>
  repository.get(`${PATH}/${of}?${query}`, as);
const list = async (of: number | string, query?: string, as?: string) => {
  const response = await ask(of, query, as);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  return (await response.json()) as Record<string, string>[];
};
const make = async (fields: object = {}, as?: string): Promise<number> =>
  (await repository.node({ ...fields }, as)).nid[0].value;
const memberOf = (parent: number, fields: object = {}) => ({ field_member_of: [{ target_id: parent }], ...fields });

describe('the members of a node for Islandora Workbench', () => {
  it('are returned as texts, ordered by weight and then by id', async () => {
    const parent = await make();
    const third = await make(memberOf(parent, { field_weight: [{ value: 10 }], title: [{ value: 'Größe 3' }] }));
    const first = await make(memberOf(parent, { field_weight: [{ value: 9 }] }));
    const fourth = await make(memberOf(parent, { field_weight: [{ value: 10 }] }));
    const other = await make(memberOf(third));
    const page = { type: 'page', title: ['A page'] };
    expect((await repository.post('/node', page, 'admin')).status).toBe(201);
    expect(await list(parent)).toEqual([
      { nid: String(first), title: 'A title', type: 'islandora_object', field_weight_value: '9' },
      { nid: String(third), title: 'Größe 3', type: 'islandora_object', field_weight_value: '10' },
      { nid: String(fourth), title: 'A title', type: 'islandora_object', field_weight_value: '10' },
    ]);
    expect(await list(third)).toEqual([
      { nid: String(other), title: 'A title', type: 'islandora_object', field_weight_value: '' },
    ]);
  });

  it('are returned in pages of fifty', async () => {
    const parent = await make();
    const numbers: string[] = [];
    for (let count = 0; count < 51; count++) numbers.push(String(await make(memberOf(parent))));
    const numbersOf = async (query: string) => (await list(parent, query)).map(({ nid }) => nid as string);
    expect(await numbersOf('_format=json&page=0')).toEqual(numbers.slice(0, 50));
    expect(await numbersOf('_format=json')).toEqual(numbers.slice(0, 50));
    expect(await numbersOf('page=1')).toEqual(numbers.slice(50));
    expect(await numbersOf('page=2')).toEqual([]);
    expect((await ask(parent, 'page=x')).status).toBe(400);
  });

  it.each(['471100', '0', 'not-a-number', '9'.repeat(30)])('are empty for an unknown node: %s', async (id) => {
    expect(await list(id)).toEqual([]);
    const head = await repository.fetch(`${PATH}/${id}?_format=json`, { method: 'HEAD', as: 'loader' });
    expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
  });

  it('include only nodes that the caller may see', async () => {
    const parent = await make();
    const hidden = await make(memberOf(parent, { status: [{ value: false }] }));
    expect(await list(parent)).toEqual([]);
    expect((await list(parent, '', 'admin')).map(({ nid }) => nid)).toEqual([String(hidden)]);
  });

  it('require a permission', async () => {
    const parent = await make();
    expect((await ask(parent, '', 'reader')).status).toBe(403);
    expect((await repository.get(`${PATH}/${parent}`)).status).toBe(401);
    expect((await repository.get(PATH, 'loader')).status).toBe(404);
  });
});

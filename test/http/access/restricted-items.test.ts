import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PNG } from '../../support/repository-routes.ts';
import { MODEL } from '../../support/site-builder.ts';
import { type As, createTestRepository } from '../../support/test-repository.ts';

let repository: Awaited<ReturnType<typeof createTestRepository>>;
let owner: number;

beforeAll(async () => {
  repository = await createTestRepository({});
  owner = await repository.user('loader', 'workbench_user');
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function item(fields: object = {}, as: As = 'admin'): Promise<number> {
  return (await repository.build.item({ title: ['Secret thing'], ...fields }, as)).nid[0].value;
}
const statusOf = async (path: string, as?: As) => (await repository.get(path, as)).status;
const jsonOf = async (path: string, as?: As) => (await repository.get(`${path}?_format=json`, as)).json();
const setRule = (id: number, rule: object | null) =>
  repository.build.change(`/node/${id}`, { type: 'islandora_object', access_rule: rule === null ? [] : [rule] });
const memberOf = (...ids: number[]) => ({ field_member_of: ids.map((target_id) => ({ target_id })) });

describe('an item with the rule closed', () => {
  it('is hidden from strangers and open to its owner and to editors', async () => {
    const id = await item({ access_rule: [{ preset: 'closed' }] }, 'loader');
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(401);
    expect(await statusOf(`/node/${id}?_format=json`, 'reader')).toBe(403);
    expect(await statusOf(`/node/${id}?_format=json`, 'loader')).toBe(200);
    expect(await statusOf(`/node/${id}?_format=json`, 'admin')).toBe(200);
  });

  it('shows its rule to editors', async () => {
    const id = await item({ access_rule: [{ preset: 'closed', reason: 'Private' }] });
    const json = await jsonOf(`/node/${id}`, 'admin');
    expect(json.access_rule).toEqual([{ preset: 'closed', reason: 'Private' }]);
    expect(json.access_rights).toEqual([{ level: 'closed', reason: 'Private' }]);
  });

  it('opens when the rule is lifted', async () => {
    const id = await item({ access_rule: [{ preset: 'closed' }] });
    await setRule(id, null);
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(200);
    expect(await jsonOf(`/node/${id}`)).not.toHaveProperty('access_rights');
  });
});

describe('a write of a rule', () => {
  it('removes the members that it leaves out', async () => {
    const id = await item({ access_rule: [{ preset: 'closed', reason: 'Private', roles: ['authenticated'] }] });
    expect(await statusOf(`/node/${id}?_format=json`, 'reader')).toBe(200);
    await setRule(id, { preset: 'closed' });
    expect((await jsonOf(`/node/${id}`, 'admin')).access_rule).toEqual([{ preset: 'closed' }]);
    expect(await statusOf(`/node/${id}?_format=json`, 'reader')).toBe(403);
  });
});

describe('a collection with a rule', () => {
  it('closes its members at any depth, and members that are added later', async () => {
    const collection = await item();
    const book = await item(memberOf(collection));
    const page = await item(memberOf(book));
    await setRule(collection, { preset: 'closed' });
    for (const id of [collection, book, page]) expect(await statusOf(`/node/${id}?_format=json`)).toBe(401);
    const late = await item(memberOf(book));
    expect(await statusOf(`/node/${late}?_format=json`)).toBe(401);
    await setRule(collection, null);
    for (const id of [collection, book, page, late]) expect(await statusOf(`/node/${id}?_format=json`)).toBe(200);
  });

  it('lets a member out that has a rule of its own', async () => {
    const collection = await item({ access_rule: [{ preset: 'closed' }] });
    const open = await item({ ...memberOf(collection), access_rule: [{ preset: 'open' }] });
    expect(await statusOf(`/node/${open}?_format=json`)).toBe(200);
  });

  it('closes a member that another parent leaves open', async () => {
    const [closed, open] = [await item({ access_rule: [{ preset: 'closed' }] }), await item()];
    const id = await item(memberOf(open, closed));
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(401);
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', ...memberOf(open) });
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(200);
  });

  it('keeps its members closed when it is deleted', async () => {
    const collection = await item({ access_rule: [{ preset: 'closed' }] });
    const id = await item(memberOf(collection));
    await repository.build.remove(`/node/${collection}`);
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(401);
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', title: ['Renamed'] });
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(401);
  });
});

describe('an item whose files are closed', () => {
  it('shows its description and its thumbnail, and no other file', async () => {
    const id = await item({ access_rule: [{ preset: 'only_description' }] });
    const original = await repository.build.pictureOf(owner, id, {
      use: 'original',
      uri: 'public://original.png',
      bytes: PNG,
    });
    const thumbnail = await repository.build.pictureOf(owner, id, {
      use: 'thumbnail',
      uri: 'public://thumbnail.png',
      bytes: PNG,
    });
    expect(await statusOf(`/node/${id}?_format=json`)).toBe(200);
    expect(await statusOf(`/media/${original.id}?_format=json`)).toBe(401);
    expect(await statusOf(`/media/${thumbnail.id}?_format=json`)).toBe(200);
    expect(await statusOf(original.path)).not.toBe(200);
    expect(await statusOf(thumbnail.path)).toBe(200);
    expect(await statusOf(original.path, 'admin')).toBe(200);
  });
});

describe('every way to restricted content', () => {
  it.each<[As | undefined]>([[undefined], ['reader'], ['loader'], ['admin']])(
    'answers %p without a fault',
    async (as) => {
      const collection = await item({ field_model: [await repository.build.termId(MODEL.collection)] });
      const closed = await item({ ...memberOf(collection), title: ['Zanzibar'], access_rule: [{ preset: 'closed' }] });
      const shut = await item({
        ...memberOf(collection),
        title: ['Zeppelin'],
        access_rule: [{ preset: 'only_description' }],
      });
      for (const id of [closed, shut])
        for (const use of ['original', 'thumbnail'] as const)
          await repository.build.pictureOf(owner, id, { use, uri: `public://${use}-${id}-${as}.png`, bytes: PNG });
      const paths = [
        ...[collection, closed, shut].flatMap((id) => [
          `/node/${id}`,
          `/node/${id}?_format=jsonld`,
          `/node/${id}/linkset`,
        ]),
        ...[`/node/${collection}/manifest`, `/node/${shut}/manifest`, `/node/${shut}/members`, '/', '/collections'],
        ...['/search?q=zeppelin', '/search?q=zanzibar', '/nodes?_format=json', '/media?_format=json', '/sitemap.xml'],
        ...['/oai/request?verb=ListRecords&metadataPrefix=oai_dc', '/oai/request?verb=ListSets', '/feed'],
        ...[`/node/${collection}/accessibility`, `/node/${collection}/order`, '/admin/content', '/admin/content/media'],
      ];
      for (const path of paths) expect([path, (await repository.get(path, as)).status]).not.toEqual([path, 500]);
    },
  );
});

describe('a rule that cannot be stored', () => {
  it.each([
    [{ preset: 'secret' }, 'no access preset'],
    [{ level: 'hidden' }, 'The level must be one of'],
    [{ preset: 'embargo' }, 'needs the day on which it ends'],
    [{ preset: 'embargo', until: '2027-02-30' }, 'is not a day'],
    [{ level: 'closed', roles: ['nobody'] }, 'There is no role'],
    [{ level: 'closed', networks: ['moon'] }, 'has no entry'],
    [{ level: 'closed', users: ['x'] }, 'correct primitive type'],
  ])('is refused: %j', async (rule, message) => {
    const answer = await repository.post(
      '/node?_format=json',
      { type: 'islandora_object', title: ['X'], access_rule: [rule] },
      'admin',
    );
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(message);
  });
});

describe('a rule that is less strict than that of the collection', () => {
  it('needs a permission of its own', async () => {
    const collection = await item({ access_rule: [{ preset: 'only_description', until: '2099-01-01' }] });
    const model = await repository.build.termId(MODEL.image);
    const fields = { type: 'islandora_object', title: ['Member'], field_model: [model], ...memberOf(collection) };
    const create = async (rule: object) =>
      (await repository.post('/node?_format=json', { ...fields, access_rule: [rule] }, 'loader')).status;
    expect(await create({ preset: 'open' })).toBe(403);
    expect(await create({ preset: 'only_description', until: '2098-01-01' })).toBe(403);
    expect(await create({ preset: 'only_description', roles: ['workbench_user'] })).toBe(403);
    expect(await create({ preset: 'only_description' })).toBe(201);
    expect(await create({ preset: 'closed' })).toBe(201);
  });
});

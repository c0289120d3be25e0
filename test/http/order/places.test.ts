import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf, movedTo, runBulk } from '../../support/bulk-call.ts';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { membersOn, saveOrder } from '../../support/order-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const json = async (path: string) => (await repository.get(path, 'admin')).json();
const read = async (id: number) => (await json(`/node/${id}?_format=json`)) as EntityJson;
const weightOf = async (id: number) => (await read(id)).field_weight[0]?.value as number;
const orderOf = async (parent: number) => membersOn(await admin.open(`/node/${parent}/order`));
const membersOf = async (parent: number) =>
  ((await json(`/node/${parent}/members?_format=json`)) as EntityJson[]).map(({ nid }) => nid[0].value);
const change = (id: number, values: object) => build.change(`/node/${id}`, { type: 'islandora_object', ...values });

/** Two collections with the same three members, in the order of their weights. */
async function addShared() {
  const parents = [await build.node('collection', 'Ships'), await build.node('collection', 'Storms')];
  const members: number[] = [];
  for (const weight of [1, 2, 3])
    members.push(
      await build.node('image', `Photograph ${weight}`, { field_member_of: parents, field_weight: [weight] }),
    );
  return { ships: parents[0] ?? 0, storms: parents[1] ?? 0, members };
}

describe('a member of several items', () => {
  it('has a place in each, which changes of its other fields keep', async () => {
    const { ships, storms, members } = await addShared();
    const [a = 0, b = 0, c = 0] = members;
    const before = await read(c);
    const { run, counts } = await saveOrder(admin, ships, { [c]: 1 });
    expect(counts).toMatchObject({ skipped: 0, failed: 0 });
    expect(await orderOf(ships)).toEqual([c, a, b]);
    expect(await membersOf(ships)).toEqual([c, a, b]);
    expect(await orderOf(storms)).toEqual([a, b, c]);
    // The field is that of programs: it stays, and so does the revision.
    expect(await read(c)).toEqual(before);
    await change(c, { title: ['The third photograph'] });
    expect(await membersOf(ships)).toEqual([c, a, b]);
    const page = (await admin.open(`/node/${a}?collection=${ships}`)).elements('a[rel=prev]');
    expect(page.map(({ attributes }) => attributes.href)).toEqual([`/node/${c}`]);
    await endOf(admin, movedTo(await (await admin.open(run)).submit({}, { action: `${run}/undo` })));
    expect(await membersOf(ships)).toEqual([a, b, c]);
  });

  it('moves in all of them if its field of weight changes', async () => {
    const { ships, storms, members } = await addShared();
    const [a = 0, b = 0, c = 0] = members;
    await saveOrder(admin, ships, { [c]: 1 });
    await change(a, { field_weight: [9] });
    expect(await membersOf(storms)).toEqual([b, c, a]);
    expect(await membersOf(ships)).toEqual([c, b, a]);
  });

  it('comes to the end of a collection in an order when it is added there', async () => {
    const { ships, storms } = await addShared();
    const book = await build.node('book', 'The ledger');
    const page = await build.node('page', 'Page 1', { field_member_of: [book], field_weight: [1] });
    await runBulk(admin, 'node', 'collection', [page], { collection: String(ships), mode: 'add' });
    expect((await membersOf(ships)).at(-1)).toBe(page);
    expect([await weightOf(page), await membersOf(book)]).toEqual([1, [page]]);
    await runBulk(admin, 'node', 'collection', [page], { collection: String(storms), mode: 'replace' });
    expect((await membersOf(storms)).at(-1)).toBe(page);
    const plain = await build.node('collection', 'Without an order');
    const first = await build.node('image', 'An image', { field_member_of: [plain] });
    await runBulk(admin, 'node', 'collection', [page], { collection: String(plain), mode: 'add' });
    expect(await membersOf(plain)).toEqual([first, page]);
  });

  it('leaves no place behind when it, or an item with it, is deleted', async () => {
    const { ships, storms, members } = await addShared();
    await saveOrder(admin, ships, { [members[2] ?? 0]: 1 });
    await saveOrder(admin, storms, { [members[1] ?? 0]: 1 });
    const count = async () => {
      const { database } = repository.running.services;
      const { rows } = await database.client.execute(
        `SELECT count(*) FROM member_place WHERE parent_id IN (${ships}, ${storms})`,
      );
      return Number(rows[0]?.[0]);
    };
    expect(await count()).toBeGreaterThan(0);
    await repository.delete(`/node/${ships}?_format=json`, 'admin');
    for (const id of members) await repository.delete(`/node/${id}?_format=json`, 'admin');
    expect(await count()).toBe(0);
  });
});

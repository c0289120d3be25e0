import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { findCollectionRoles } from '../../../src/repository/access/collection-roles.ts';
import { findRolesOfCollection } from '../../../src/repository/access/give-collection-role.ts';
import { deleteAccount } from '../../../src/repository/users/delete-account.ts';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { ADD_ITEM, errorsOf, signedIn } from '../../support/form-call.ts';
import { PNG } from '../../support/repository-routes.ts';
import { MODEL } from '../../support/site-builder.ts';
import { type As, createTestRepository } from '../../support/test-repository.ts';

const EDITOR = 'repository_editor';

let repository: Awaited<ReturnType<typeof createTestRepository>>;
let admin: Awaited<ReturnType<typeof signedIn>>;
let collectionModel: object;
let users = 0;

beforeAll(async () => {
  repository = await createTestRepository({});
  admin = await signedIn(repository, 'admin');
  collectionModel = { field_model: [{ target_id: await repository.build.termId(MODEL.collection) }] };
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function item(fields: object = {}, as: As = 'admin'): Promise<number> {
  return (await repository.build.item({ title: ['A thing'], ...fields }, as)).nid[0].value;
}
const memberOf = (...ids: number[]) => ({ field_member_of: ids.map((target_id) => ({ target_id })) });
const collectionIn = (...ids: number[]) => item({ ...collectionModel, ...memberOf(...ids) });
const draft = { status: [{ value: false }] };
const statusOf = async (path: string, as?: As) => (await repository.get(`${path}?_format=json`, as)).status;
const body = (fields: object) => ({ type: [{ target_id: 'islandora_object' }], ...fields });
const post = (fields: object, as: As) =>
  repository.post('/node?_format=json', body({ title: [{ value: 'New' }], ...collectionModel, ...fields }), as);
const create = async (fields: object, as: As) => (await post(fields, as)).status;
const change = async (id: number, fields: object, as: As) =>
  (await repository.patch(`/node/${id}?_format=json`, body(fields), as)).status;
const rename = (id: number, as: As) => change(id, { title: [{ value: `Renamed ${Bun.randomUUIDv7()}` }] }, as);
const remove = async (id: number, as: As) => (await repository.delete(`/node/${id}?_format=json`, as)).status;

async function give(collection: number, user: string, role = EDITOR) {
  return (await admin.open(`/node/${collection}/roles`)).submit(
    { user, role, take: undefined },
    { action: formOf(collection) },
  );
}
async function take(collection: number, user: number, role = EDITOR) {
  const page = await admin.open(`/node/${collection}/roles`);
  const fields = page.fields();
  fields.set('take', String(user));
  fields.set('role', role);
  return admin.post(`/node/${collection}/roles`, fields);
}
const formOf = (collection: number) => `/node/${collection}/roles`;

/** Creates a user with a role for a new collection. */
async function department(role = EDITOR) {
  users += 1;
  const name = `editor${users}`;
  const id = await repository.user(name);
  const collection = await collectionIn();
  expect((await give(collection, name, role)).status).toBe(303);
  return { name, id, collection };
}

describe('an editor of a collection', () => {
  it('creates, edits, publishes and deletes items below the collection', async () => {
    const { name, collection } = await department();
    const series = await collectionIn(collection);
    const response = await post({ ...memberOf(series), ...draft }, name);
    expect(response.status).toBe(201);
    const id = (await response.json()).nid[0].value;
    expect(await statusOf(`/node/${id}`)).toBe(401);
    expect(await change(id, { status: [{ value: true }] }, name)).toBe(200);
    expect(await statusOf(`/node/${id}`)).toBe(200);
    const foreign = await item(memberOf(series));
    expect(await rename(foreign, name)).toBe(200);
    expect(await rename(collection, name)).toBe(200);
    expect(await statusOf(`/node/${foreign}/revisions`, name)).toBe(200);
    expect(await remove(foreign, name)).toBe(204);
  });

  it('is refused outside of the collection', async () => {
    const { name, collection } = await department();
    const outside = await item();
    const hidden = await item(draft);
    expect(await statusOf(`/node/${hidden}`, name)).toBe(403);
    expect(await rename(outside, name)).toBe(403);
    expect(await remove(outside, name)).toBe(403);
    expect(await create({}, name)).toBe(403);
    const refusal = await post(memberOf(outside), name);
    expect([refusal.status, (await refusal.json()).message]).toEqual([
      403,
      expect.stringContaining('Your role for a collection requires that the content belongs to this collection.'),
    ]);
    expect(await create(memberOf(collection, outside), name)).toBe(403);
    const term = { vid: [{ target_id: 'subject' }], name: [{ value: 'A subject' }] };
    expect((await repository.post('/taxonomy/term?_format=json', term, name)).status).toBe(403);
    for (const path of ['/admin/people', '/admin/config/site', '/files'])
      expect([path, (await repository.get(path, name)).status]).not.toEqual([path, 200]);
  });

  it('moves items within the collection, and not out of it', async () => {
    const { name, collection } = await department();
    const [series, outside, id] = [await collectionIn(collection), await item(), await item(memberOf(collection))];
    expect(await change(id, memberOf(series), name)).toBe(200);
    expect(await change(id, memberOf(outside), name)).toBe(403);
    expect(await change(id, memberOf(series, outside), name)).toBe(403);
    expect(await change(id, memberOf(), name)).toBe(403);
    expect(await change(id, memberOf(outside), 'admin')).toBe(200);
    expect(await rename(id, name)).toBe(403);
    expect(await change(id, memberOf(series), 'admin')).toBe(200);
    expect(await rename(id, name)).toBe(200);
  });

  it('edits an item of two collections', async () => {
    const { name, collection } = await department();
    const id = await item({ ...memberOf(collection, await collectionIn()), ...draft });
    expect(await statusOf(`/node/${id}`, name)).toBe(200);
    expect(await rename(id, name)).toBe(200);
  });

  it('loses the right when the role is taken away', async () => {
    const { name, id: user, collection } = await department();
    const id = await item({ ...memberOf(collection), ...draft });
    expect(await rename(id, name)).toBe(200);
    expect((await take(collection, user)).status).toBe(303);
    expect(await statusOf(`/node/${id}`, name)).toBe(403);
    expect(await rename(id, name)).toBe(403);
    expect(await create(memberOf(collection), name)).toBe(403);
  });

  it('loses the right when the collection is deleted', async () => {
    const { name, collection } = await department();
    const id = await item({ ...memberOf(collection), ...draft });
    expect(await remove(collection, 'admin')).toBe(204);
    expect(await statusOf(`/node/${id}`, name)).toBe(403);
  });

  it('loses the right with the account', async () => {
    const { name, collection } = await department();
    const { services } = repository.running;
    const user = await createFindUser(services.database).byName(name);
    await deleteAccount(services, user as User);
    expect(await findRolesOfCollection(services.database, collection)).toEqual([]);
    expect(await services.database.all(findCollectionRoles())).not.toContainEqual(
      expect.objectContaining({ nid: collection }),
    );
  });

  it('with all permissions there has none for the site', async () => {
    const { name, collection } = await department('administrator');
    const id = await item({ ...memberOf(collection), ...draft });
    expect(await change(id, { uid: [{ target_id: 1 }] }, name)).toBe(200);
    expect(await remove(await item(), name)).toBe(403);
    expect(await create({}, name)).toBe(403);
    const term = { vid: [{ target_id: 'subject' }], name: [{ value: 'A subject' }] };
    expect((await repository.post('/taxonomy/term?_format=json', term, name)).status).toBe(403);
    for (const path of ['/admin/people', '/admin/config/site', '/admin/reports/status', `/node/${collection}/roles`])
      expect([path, (await repository.get(path, name, { Accept: 'text/html' })).status]).toEqual([path, 403]);
  });

  it('restores an earlier version in its collection', async () => {
    const { name, collection } = await department();
    const outside = await item();
    const id = await item({ ...memberOf(outside), title: ['First'] });
    const first = (await repository.build.read(`/node/${id}`)).vid[0].value;
    expect(await change(id, { title: [{ value: 'Second' }], ...memberOf(collection) }, 'admin')).toBe(200);
    const reverted = await repository.post(`/node/${id}/revisions/${first}/revert?_format=json`, {}, name);
    expect(reverted.status).toBe(200);
    const { title, field_member_of: parents } = await repository.build.read(`/node/${id}`);
    expect([title[0].value, parents[0].target_id]).toEqual(['First', collection]);
  });

  it('holds a role for nested collections each', async () => {
    const { name, id: user, collection } = await department();
    const series = await collectionIn(collection);
    const id = await item(memberOf(series));
    expect((await give(series, name)).status).toBe(303);
    expect((await take(collection, user)).status).toBe(303);
    expect(await rename(id, name)).toBe(200);
    expect(await rename(collection, name)).toBe(403);
  });

  it('edits items with a closed rule there, and sees none outside', async () => {
    const { name, collection } = await department();
    const closed = { access_rule: [{ preset: 'closed' }] };
    const [inside, outside] = [await item({ ...memberOf(collection), ...closed }), await item(closed)];
    expect(await statusOf(`/node/${inside}`, name)).toBe(200);
    expect(await rename(inside, name)).toBe(200);
    expect(await statusOf(`/node/${outside}`, name)).toBe(403);
  });

  it('manages the media of items there', async () => {
    const { name, collection } = await department();
    const [inside, outside] = [await item({ ...memberOf(collection), ...draft }), await item()];
    const original = await repository.termId('http://pcdm.org/use#OriginalFile');
    const put = async (node: number, as: As, file: string) =>
      (
        await repository.put(
          `/node/${node}/media/image/${original}`,
          PNG,
          { 'Content-Type': 'image/png', 'Content-Location': `public://${file}` },
          as,
        )
      ).status;
    expect(await put(inside, name, `in-${inside}.png`)).toBe(201);
    expect(await put(outside, name, `out-${outside}.png`)).toBe(403);
    expect(await put(outside, 'admin', `own-${outside}.png`)).toBe(201);
    const mediaOf = async (node: number) =>
      (await (await repository.get(`/node/${node}/media?_format=json`, 'admin')).json())[0].mid[0].value as number;
    const [mine, foreign] = [await mediaOf(inside), await mediaOf(outside)];
    const patch = async (media: number) =>
      (
        await repository.patch(
          `/media/${media}?_format=json`,
          { bundle: [{ target_id: 'image' }], name: [{ value: 'Scan' }] },
          name,
        )
      ).status;
    expect(await statusOf(`/media/${mine}`, name)).toBe(200);
    expect((await repository.get(`/node/${inside}/media?_format=json`, name)).status).toBe(200);
    const { field_media_image: image } = await (await repository.get(`/media/${mine}?_format=json`, name)).json();
    expect((await repository.get(new URL(image[0].url).pathname, name)).status).toBe(200);
    expect((await repository.get(new URL(image[0].url).pathname)).status).not.toBe(200);
    expect(await patch(mine)).toBe(200);
    expect(await patch(foreign)).toBe(403);
    expect((await repository.delete(`/media/${foreign}?_format=json`, name)).status).toBe(403);
    expect((await repository.delete(`/media/${mine}?_format=json`, name)).status).toBe(204);
  });

  it('finds unpublished items there in lists and by search, and no others', async () => {
    const { name, collection } = await department();
    const word = `Quagga${collection}`;
    const inside = await item({ title: [`${word} inside`], ...memberOf(collection), ...draft });
    await item({ title: [`${word} outside`], ...draft });
    await repository.user(`reader${collection}`);
    const pages = async (as: As) => {
      const search = await (await repository.get(`/search?q=${word}`, as, { Accept: 'text/html' })).text();
      const members = await (await repository.get(`/node/${collection}`, as, { Accept: 'text/html' })).text();
      const content = await (await repository.get('/admin/content', as, { Accept: 'text/html' })).text();
      return { search, members, content };
    };
    const own = await pages(name);
    expect(own.search).toContain(`${word} inside`);
    expect(own.search).not.toContain(`${word} outside`);
    expect(own.members).toContain(`/node/${inside}`);
    expect(own.content).toContain(`${word} inside`);
    expect(own.content).not.toContain(`${word} outside`);
    const other = await pages(`reader${collection}`);
    expect(other.search).not.toContain(`${word} inside`);
    expect(other.members).not.toContain(`${word} inside`);
  });

  it('uses the forms', async () => {
    const { name, collection } = await department();
    const browser = await signedIn(repository, name);
    const form = await browser.open(`${ADD_ITEM}?field_member_of=${collection}`);
    expect(form.status).toBe(200);
    const image = form.elements('option').find(({ text }) => text === 'Image')?.attributes.value ?? '';
    const fields = { 'title.0.value': 'By form', 'field_model.0.target_id': image };
    const saved = await form.submit(fields);
    expect([saved.status, errorsOf(saved)]).toEqual([303, []]);
    const id = Number(/node\/(\d+)/.exec(saved.headers.get('location') ?? '')?.[1]);
    const edit = await browser.open(`/node/${id}/edit`);
    expect(edit.html).toContain('name="status');
    expect((await edit.submit({ 'title.0.value': 'Changed' })).status).toBe(303);
    expect((await browser.open(`/node/${id}`)).html).toContain('Changed');
    const outside = await browser.open(ADD_ITEM);
    expect((await outside.submit(fields)).status).toBe(403);
  });

  it('sees what a role for readers shows, and changes nothing', async () => {
    const { name, collection } = await department('content_editor');
    const id = await item(memberOf(collection));
    expect(await statusOf(`/node/${id}/revisions`, name)).toBe(200);
    expect(await rename(id, name)).toBe(403);
  });
});

describe('the page with the roles for a collection', () => {
  it('is for those who manage users', async () => {
    const { name, collection } = await department();
    expect((await (await signedIn(repository, name)).open(formOf(collection))).status).toBe(403);
    expect((await admin.open(`/node/${collection}`)).html).toContain(formOf(collection));
  });

  it('lists the roles, and names a problem', async () => {
    const { name, collection } = await department();
    expect((await admin.open(formOf(collection))).html).toContain(`from ${name}`);
    const unknown = await give(collection, 'nobody at all');
    expect([unknown.status, errorsOf(unknown)]).toEqual([422, ['There is no user “nobody at all”.']]);
    const role = await give(collection, name, 'anonymous');
    expect([role.status, errorsOf(role)]).toEqual([422, ['Choose a role that you may give.']]);
  });
});

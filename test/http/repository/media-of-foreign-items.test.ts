import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser } from '../../../src/repository/users/find-user.ts';
import { pngHead } from '../../support/binaries.ts';
import { signedIn } from '../../support/form-call.ts';
import { createImportSite } from '../../support/import-site.ts';
import { USE } from '../../support/site-builder.ts';
import { loadContextOf } from '../../support/table-site.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { attach, uploadWhole } from '../../support/tus.ts';

/** A role that creates items and may not change them afterwards. */
const MODEL = `
roles:
  submitter:
    label: Submitter
    permissions: [create islandora_object content, create media, view media, access content]
`;

let repository: TestRepository;
let foreign: number;
let own: number;
let thumbnail: number;
let original: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('depositor', 'workbench_user');
  await repository.user('submitter', 'submitter');
  foreign = (await repository.node({}, 'admin')).nid[0].value;
  own = (await repository.node({}, 'depositor')).nid[0].value;
  thumbnail = await repository.termId(USE.thumbnail);
  original = await repository.termId(USE.original);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const video = (fields: object = {}) => ({
  bundle: 'remote_video',
  name: ['A film'],
  field_media_oembed_video: ['https://example.org/v'],
  ...fields,
});
const outcome = async (response: Response) => [response.status, ((await response.json()) as EntityJson).message];
const refusal = (verb: string) => [
  403,
  `Access denied on ${verb} field 'field_media_of'. You may not update the referenced entity (node: ${foreign}).`,
];
const mediaOf = async (node: number) =>
  (await (await repository.get(`/node/${node}/media?_format=json`, 'admin')).json()) as EntityJson[];
const make = async (fields: object, as = 'depositor') => {
  const response = await repository.post('/entity/media?_format=json', video(fields), as);
  expect(response.status).toBe(201);
  return ((await response.json()) as EntityJson).mid[0].value as number;
};
let pictures = 0;
const picture = () => new Uint8Array(pngHead(3, 2, `picture ${pictures++}`));
const put = (path: string, uri: string, as: string) =>
  repository.put(path, picture(), { 'Content-Type': 'image/png', 'Content-Location': uri }, as);

describe('a media for an item that the caller may view and not update', () => {
  it.each(['/media', '/entity/media'])('is not created by a POST of %s', async (path) => {
    const response = await repository.post(`${path}?_format=json`, video({ field_media_of: [foreign] }), 'depositor');
    expect(await outcome(response)).toEqual(refusal('creating'));
    expect(await mediaOf(foreign)).toEqual([]);
  });

  it('is not created by a POST with the UUID of the item', async () => {
    const { uuid } = (await (await repository.get(`/node/${foreign}?_format=json`)).json()) as EntityJson;
    const field_media_of = [{ target_uuid: uuid[0].value, target_type: 'node' }];
    const response = await repository.post('/entity/media?_format=json', video({ field_media_of }), 'depositor');
    expect(await outcome(response)).toEqual(refusal('creating'));
  });

  it.each([[[]], [['own']]])('is not moved there by a PATCH of a media that belongs to %j', async (nodes) => {
    const id = await make({ field_media_of: nodes.map(() => own) });
    const body = { bundle: 'remote_video', field_media_of: [foreign] };
    const response = await repository.patch(`/media/${id}?_format=json`, body, 'depositor');
    expect(await outcome(response)).toEqual(refusal('updating'));
    expect(await mediaOf(foreign)).toEqual([]);
  });

  it('is not moved there by a form of the browser', async () => {
    const id = await make({ field_media_of: [own] });
    const browser = await signedIn(repository, 'depositor');
    const form = await browser.open(`/media/${id}/edit`);
    const answer = await form.submit({ 'field_media_of.0.target_id': `Item (${foreign})` });
    expect(answer.status).toBe(403);
    expect(answer.html).toContain(`You may not update the referenced entity (node: ${foreign}).`);
    expect(await mediaOf(foreign)).toEqual([]);
  });

  it('is not created by a PUT of a file', async () => {
    const response = await put(`/node/${foreign}/media/image/${original}`, 'public://foreign/a.png', 'depositor');
    expect(response.status).toBe(403);
  });

  it('is not created of an upload in parts', async () => {
    const upload = await uploadWhole(repository, 'a.png', picture(), 'depositor');
    const response = await attach(repository, upload, { node: foreign, media_use: original }, 'depositor');
    expect(response.status).toBeOneOf([403, 422]);
    expect(await mediaOf(foreign)).toEqual([]);
  });

  it('is not created by a table whose user creates items and may not change them', async () => {
    const site = await createImportSite(repository);
    const table = await site.table('items.csv', 'id,title,field_model,file\n1,An item,Image,a.png\n');
    await site.file('a.png', picture());
    Object.assign(site.context, await loadContextOf(repository, 'submitter'));
    const problem = await site.import(table).catch((error: Error) => error.message);
    expect(problem).toContain('1 file: The user submitter may not add files to this item.');
    await site.remove();
  });
});

describe('a media of an own item', () => {
  it('is created, changed and moved to another own item', async () => {
    const id = await make({ field_media_of: [own] });
    const other = (await repository.node({}, 'depositor')).nid[0].value;
    const patch = (body: object) =>
      repository.patch(`/media/${id}?_format=json`, { bundle: 'remote_video', ...body }, 'depositor');
    expect((await patch({ field_media_of: [other] })).status).toBe(200);
    expect((await patch({ name: ['Another name'] })).status).toBe(200);
  });
});

describe('an own media of a foreign item', () => {
  /** Creates a picture of the foreign item, as the administrator has given it to the depositor. */
  async function given(use: number): Promise<number> {
    const response = await put(`/node/${foreign}/media/image/${use}`, `public://given/${use}.png`, 'admin');
    expect(response.status).toBe(201);
    const path = new URL(response.headers.get('location') ?? '').pathname;
    const uid = (await createFindUser(repository.running.services.database).byName('depositor'))?.row.id;
    const change = await repository.patch(`${path}?_format=json`, { bundle: 'image', uid: [uid] }, 'admin');
    expect(change.status).toBe(200);
    return Number(path.split('/').pop());
  }
  const COPY = 'A thumbnail, service file or tile pack of an item changes with the right to update the item.';

  it('can be changed by its owner, and does not become a thumbnail', async () => {
    const id = await given(original);
    const patch = (body: object) =>
      repository.patch(`/media/${id}?_format=json`, { bundle: 'image', ...body }, 'depositor');
    expect((await patch({ name: ['Another name'] })).status).toBe(200);
    expect(await outcome(await patch({ field_media_use: [thumbnail] }))).toEqual([403, COPY]);
    expect((await put(`/media/${id}/source`, '', 'depositor')).status).toBe(204);
    expect((await repository.delete(`/media/${id}`, 'admin')).status).toBe(204);
  });

  it.each(['thumbnail', 'service', 'tiles'] as const)('keeps its file and its values if its use is %s', async (use) => {
    const id = await given(await repository.termId(USE[use]));
    const body = { bundle: 'image', name: ['Another name'] };
    expect(await outcome(await repository.patch(`/media/${id}?_format=json`, body, 'depositor'))).toEqual([403, COPY]);
    expect(await outcome(await put(`/media/${id}/source`, '', 'depositor'))).toEqual([403, COPY]);
    expect((await put(`/media/${id}/source`, '', 'admin')).status).toBe(204);
  });
});

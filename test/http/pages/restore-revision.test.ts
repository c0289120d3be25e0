import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let admin: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = async (id: number) =>
  (await (await repository.get(`/node/${id}?_format=json`, 'admin')).json()) as EntityJson;

async function change(id: number, values: object): Promise<void> {
  const body = { type: 'islandora_object', ...values };
  expect((await repository.patch(`/node/${id}?_format=json`, body, 'admin')).status).toBe(200);
}

/** Creates a node with a second version. Returns its id, and the id of the first version. */
async function versions(): Promise<{ id: number; vid: number }> {
  const node = await repository.node({ title: [{ value: 'A letter' }] });
  const [id, vid] = [node.nid[0].value as number, node.vid[0].value as number];
  await change(id, { title: ['A card'], field_alt_title: ['Card'] });
  return { id, vid };
}

const buttonsOf = (page: OpenPage) =>
  page.elements('button[form=restore]').map(({ attributes }) => attributes.formaction);

describe('bringing back a version', () => {
  it('is offered beside each earlier version with the fields that differ, and makes a new version', async () => {
    const { id, vid } = await versions();
    const history = await admin.open(`/node/${id}/revisions`);
    const action = `/node/${id}/revisions/${vid}/restore`;
    expect(buttonsOf(history)).toEqual([action]);
    expect(history.elements('.restored').map(({ text }) => text)).toEqual([
      'Differs from now: Title, Alternative Title.',
    ]);
    const fields = new URLSearchParams(
      history.elements('#restore input').map(({ attributes }) => [attributes.name ?? '', attributes.value ?? '']),
    );
    const answer = await admin.post(action, fields);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/node/${id}`);
    const node = await read(id);
    expect([node.title[0].value, node.field_alt_title]).toEqual(['A letter', []]);
    expect(node.vid[0].value).toBeGreaterThan(vid + 1);
    // The form is that of an earlier state now.
    await change(id, { title: ['A note'] });
    expect((await admin.post(action, fields)).status).toBe(409);
    expect((await read(id)).title[0].value).toBe('A note');
  });

  it('is offered in the comparison with the current version, and on the page of the version', async () => {
    const { id, vid } = await versions();
    const action = `/node/${id}/revisions/${vid}/restore`;
    for (const path of [`/node/${id}/revisions?left=${vid}`, `/node/${id}/revisions/${vid}/view`])
      expect(buttonsOf(await admin.open(path))).toEqual([action]);
  });

  it('brings back a version of a media, too', async () => {
    const node = await repository.build.node('image', 'A scan');
    const media = await repository.build.upload(node, {
      ...{ use: 'original', media: 'file', mimeType: 'text/plain', name: 'scan.txt', bytes: 'text' },
    });
    const body = { bundle: 'file', name: ['Another name'] };
    expect((await repository.patch(`/media/${media}?_format=json`, body, 'admin')).status).toBe(200);
    const history = await admin.open(`/media/${media}/revisions`);
    const [action = ''] = buttonsOf(history);
    const sent = history
      .elements('#restore input')
      .map(({ attributes }) => [attributes.name ?? '', attributes.value ?? '']);
    expect((await admin.post(action, new URLSearchParams(sent))).status).toBe(303);
    const json = (await (await repository.get(`/media/${media}?_format=json`, 'admin')).json()) as EntityJson;
    expect(json.name[0].value).toBe('scan.txt');
  });

  it('is not offered to users who may not revert', async () => {
    const { id, vid } = await versions();
    const reader = await signedIn(repository, 'reader');
    const token = (await reader.open('/user/login')).fields();
    expect((await reader.post(`/node/${id}/revisions/${vid}/restore`, token)).status).toBe(403);
    expect((await read(id)).title[0].value).toBe('A card');
  });

  it('changes nothing if the model no longer has a field of the version', async () => {
    const { id, vid } = await versions();
    // As in a database whose model has lost the field since.
    await repository.running.services.database.client.execute(`UPDATE node_revision SET snapshot = json_set(snapshot,
      '$.document', json_set(snapshot ->> '$.document', '$.field_shelf', json('[{"value":"B 12"}]')) || '') WHERE id = ${vid}`);
    const before = await read(id);
    const history = await admin.open(`/node/${id}/revisions`);
    expect(buttonsOf(history)).toEqual([]);
    expect(history.html).toContain('the content model no longer has field_shelf.');
    const answer = await repository.post(`/node/${id}/revisions/${vid}/revert?_format=json`, {}, 'admin');
    expect(answer.status).toBe(422);
    expect(((await answer.json()) as { message: string }).message).toBe(
      'The content model no longer has field_shelf, which this revision has. It cannot be brought back. Nothing is changed.',
    );
    expect(await read(id)).toEqual(before);
  });
});

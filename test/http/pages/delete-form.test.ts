import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ADD_ITEM, type FormBrowser, openFormSite, signedIn } from '../../support/form-call.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let jane: FormBrowser;
let image: string;
beforeAll(async () => {
  ({ repository, jane, image } = await openFormSite());
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const read = async (id: number) =>
  (await (await repository.get(`/node/${id}?_format=json`, 'jane')).json()) as EntityJson;

async function createItem(values: Record<string, string> = {}): Promise<number> {
  const answer = await (await jane.open(ADD_ITEM)).submit({
    'title.0.value': 'A title',
    'field_model.0.target_id': image,
    ...values,
  });
  return Number(/\/node\/(\d+)/.exec(answer.headers.get('location') ?? '')?.[1]);
}

async function createTerm(name: string, fields: object = {}): Promise<number> {
  const answer = await repository.post(
    '/taxonomy/term?_format=json',
    { vid: 'subject', name: [name], ...fields },
    'admin',
  );
  return ((await answer.json()) as EntityJson).tid[0].value;
}

async function attachFile(node: number, use: number): Promise<void> {
  const headers = { 'Content-Type': 'image/jpeg', 'Content-Location': `public://${node}.jpg` };
  const bytes = await Bun.file('test/fixtures/images/red.jpg').bytes();
  const answer = await repository.put(`/node/${node}/media/image/${use}`, bytes, headers, 'admin');
  expect(answer.status).toBe(201);
}

/** The effects of a deletion that its form lists. */
async function effectsOf(path: string, browser = jane): Promise<string[]> {
  const form = await browser.open(`${path}/delete`);
  return form.elements('.warning li').map(({ text }) => text);
}

describe('the form that deletes a node', () => {
  it('says what is lost and what stays, and deletes', async () => {
    const id = await createItem({ 'title.0.value': 'A collection' });
    const member = await createItem({ 'field_member_of.0.target_id': `A collection (${id})` });
    const form = await jane.open(`/node/${id}/delete`);
    expect(form.elements('.warning li').map(({ text }) => text)).toEqual([
      'All of its revisions and addresses are deleted with it.',
      '1 member stays without this item.',
    ]);
    const answer = await form.submit();
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/`);
    expect((await repository.get(`/node/${id}?_format=json`, 'jane')).status).toBe(404);
    expect((await read(member)).field_member_of).toEqual([]);
  });

  it('deletes nothing for a caller who may not, or without a token', async () => {
    const id = await createItem();
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(`/node/${id}/delete`)).status).toBe(403);
    expect((await reader.post(`/node/${id}/delete`, new URLSearchParams())).status).toBe(403);
    expect((await jane.post(`/node/${id}/delete`, new URLSearchParams(), { 'Sec-Fetch-Site': 'none' })).status).toBe(
      403,
    );
    await read(id);
  });

  it('counts members, media and other items apart', async () => {
    const id = await createItem({ 'title.0.value': 'A fleet' });
    for (let count = 0; count < 2; count++) await createItem({ 'field_member_of.0.target_id': `A fleet (${id})` });
    await attachFile(id, await repository.termId('http://pcdm.org/use#OriginalFile'));
    expect(await effectsOf(`/node/${id}`)).toEqual([
      'All of its revisions and addresses are deleted with it.',
      '1 media with its file stays but belongs to no item.',
      '2 members stay without this item.',
    ]);
  });
});

describe('the form that deletes a term', () => {
  it('counts items, media and the terms below it apart', async () => {
    const id = await createTerm('Harbours');
    await createTerm('Fishing harbours', { parent: [{ target_id: id }] });
    for (let count = 0; count < 2; count++) await createItem({ 'field_subject.0.target_id': `Harbours (${id})` });
    expect(await effectsOf(`/taxonomy/term/${id}`)).toEqual([
      'All of its revisions are deleted with it.',
      '2 items lose the reference to this term.',
      '1 term below it moves to the top of the vocabulary.',
    ]);
  });

  it('counts the media of a use', async () => {
    const use = await repository.termId('http://pcdm.org/use#PreservationMasterFile');
    await attachFile(await createItem(), use);
    expect(await effectsOf(`/taxonomy/term/${use}`, await signedIn(repository, 'admin'))).toEqual([
      'All of its revisions are deleted with it.',
      '1 media loses the reference to this term.',
    ]);
  });
});

describe('the form that deletes a media', () => {
  it.each([
    ['keeps its file', {}, 200],
    ['deletes its file if that is chosen', { with_files: '1' }, 404],
  ])('%s', async (_what, values, status) => {
    const node = await createItem();
    await attachFile(node, await repository.termId('http://pcdm.org/use#OriginalFile'));
    const [media] = (await (await repository.get(`/node/${node}/media?_format=json`, 'admin')).json()) as EntityJson[];
    const path = `/media/${media?.mid[0].value}`;
    const admin = await signedIn(repository, 'admin');
    expect(await effectsOf(path, admin)).toEqual(['All of its revisions are deleted with it.']);
    const form = await admin.open(`${path}/delete`);
    expect(form.elements('[name=with_files]')).toHaveLength(1);
    expect(form.elements('[name=with_files][checked]')).toEqual([]);
    expect((await form.submit(values)).status).toBe(303);
    expect((await repository.get(`${path}?_format=json`, 'admin')).status).toBe(404);
    const file = media?.field_media_image[0].target_id;
    expect((await repository.get(`/entity/file/${file}?_format=json`, 'admin')).status).toBe(status);
  });
});

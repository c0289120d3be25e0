import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readJson } from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const IMAGE = 'http://purl.org/coar/resource_type/c_c513';
const TEXT = 'http://id.loc.gov/vocabulary/resourceTypes/txt';
const COLLECTION = 'http://purl.org/dc/dcmitype/Collection';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
});
afterAll(() => repository.stop());

const pathOf = async (uri: string) => `/taxonomy/term/${await repository.termId(uri)}`;
const refusalOf = (uri: string) =>
  `The configuration refers to the term by ${uri}: the 'administer configured terms' permission is required.`;
const external = (uri: string) => [{ uri, title: '' }];

async function patch(path: string, fields: object, as = 'loader'): Promise<Response> {
  const { vid } = await readJson(repository, path);
  return repository.patch(`${path}?_format=json`, { vid: [{ target_id: vid[0].target_id }], ...fields }, as);
}

async function create(fields: object, as = 'loader'): Promise<string> {
  const response = await repository.post('/taxonomy/term?_format=json', fields, as);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return `/taxonomy/term/${((await response.json()) as EntityJson).tid[0].value}`;
}

async function expectRefusal(path: string, send: () => Promise<Response>, uri: string): Promise<void> {
  const before = await readJson(repository, path);
  const response = await send();
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 403,
    body: { message: refusalOf(uri) },
  });
  expect(await readJson(repository, path)).toEqual(before);
}

describe('a term that the configuration refers to', () => {
  it.each([
    ['a media use', ORIGINAL],
    ['a model', IMAGE],
    ['a model that no rule names', COLLECTION],
  ])('keeps its URI when a workbench_user tries to change it: %s', async (_what, uri) => {
    const path = await pathOf(uri);
    for (const value of [external('https://example.org/other'), [], external(`${uri}/`)])
      await expectRefusal(path, () => patch(path, { field_external_uri: value }), uri);
  });

  it('cannot be deleted by a workbench_user, directly or with its parent', async () => {
    const path = await pathOf(ORIGINAL);
    const remove = (at: string) => repository.delete(`${at}?_format=json`, 'loader');
    await expectRefusal(path, () => remove(path), ORIGINAL);
    const above = await create({ vid: 'islandora_media_use', name: ['Above'] });
    expect((await patch(path, { parent: [{ target_id: Number(above.split('/').at(-1)) }] })).status).toBe(200);
    await expectRefusal(path, () => remove(above), ORIGINAL);
    expect((await patch(path, { parent: [] })).status).toBe(200);
    expect((await remove(above)).status).toBe(204);
  });

  it('accepts other changes and its own body from a workbench_user', async () => {
    const path = await pathOf(ORIGINAL);
    const send = (body: object) => repository.patch(`${path}?_format=json`, body, 'loader');
    const body = await readJson(repository, path, 'loader');
    expect((await send({ ...body, description: [{ value: 'As it came', format: 'plain_text' }] })).status).toBe(200);
    // The body of before has another `changed` if a second has passed.
    expect((await send(await readJson(repository, path, 'loader'))).status).toBe(200);
  });

  it('can be changed and deleted by the administrator', async () => {
    const path = await create({
      vid: 'islandora_media_use',
      name: ['Another transcript'],
      field_external_uri: external('http://pcdm.org/use#Transcript'),
    });
    const other = external('https://example.org/transcript');
    await expectRefusal(path, () => patch(path, { field_external_uri: other }), 'http://pcdm.org/use#Transcript');
    expect((await patch(path, { field_external_uri: other }, 'admin')).status).toBe(200);
    const back = external('http://pcdm.org/use#Transcript');
    expect((await patch(path, { field_external_uri: back }, 'admin')).status).toBe(200);
    expect((await repository.delete(`${path}?_format=json`, 'admin')).status).toBe(204);
  });
});

describe('any other term', () => {
  it('can be changed and deleted by a workbench_user, but cannot take a configured URI', async () => {
    const path = await create({
      vid: 'islandora_models',
      name: ['Map'],
      field_external_uri: external('https://example.org/map'),
    });
    expect((await patch(path, { field_external_uri: external('https://example.org/maps') })).status).toBe(200);
    await expectRefusal(path, () => patch(path, { field_external_uri: external(IMAGE) }), IMAGE);
    expect((await repository.delete(`${path}?_format=json`, 'loader')).status).toBe(204);
  });

  it('of another vocabulary accepts a new authority link from a workbench_user', async () => {
    const asked = `/term_from_authority_link?_format=json&authority_link=${encodeURIComponent(TEXT)}`;
    const [term] = (await (await repository.get(asked, 'admin')).json()) as EntityJson[];
    const path = `/taxonomy/term/${term?.tid[0].value}`;
    const link = [{ uri: `${TEXT}-1`, title: '', source: 'resourceTypes' }];
    expect((await patch(path, { field_authority_link: link })).status).toBe(200);
  });
});

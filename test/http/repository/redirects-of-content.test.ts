import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const SITE = 'https://repository.example.org/library';
const MODEL = `
roles:
  reporter:
    label: Reporter
    permissions: [access content, administer redirects, redirect to other sites]
`;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ baseUrl: SITE }, { model: MODEL });
  await repository.user('depositor', 'workbench_user');
  await repository.user('reporter', 'reporter');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const post = (path: string, uri: string, as: string) =>
  repository.post('/entity/redirect?_format=json', { redirect_source: [{ path }], redirect_redirect: [{ uri }] }, as);
const outcome = async (response: Response) =>
  response.ok ? response.status : [response.status, ((await response.json()) as EntityJson).message];
const follow = async (path: string) => {
  const response = await repository.get(path);
  return [response.status, response.headers.get('Location')];
};
const NOT_OWN = [403, "The 'edit any islandora_object content' permission is required."];
const NOT_OUTSIDE = [403, "The 'redirect to other sites' permission is required."];
let made = 0;
const item = async (alias: string, as = 'admin') => {
  const id = (await repository.node({}, as)).nid[0].value as number;
  const added = await repository.post(
    '/entity/path_alias?_format=json',
    { path: [{ value: `/node/${id}` }], alias: [{ value: alias }] },
    'admin',
  );
  expect(added.status).toBe(201);
  return id;
};
const next = (name: string) => `${name}-${made++}`;

describe('a redirect whose source is the alias of an item', () => {
  it.each([
    ['as it is', (alias: string) => alias.slice(1)],
    ['with slashes', (alias: string) => `/${alias}/`],
    ['encoded', (alias: string) => `%6c${alias.slice(2)}`],
    ['with a query', (alias: string) => `${alias.slice(1)}?page=2`],
  ])('requires the right to update the item: %s', async (_, sent) => {
    const alias = `/${next('letters')}`;
    await item(alias);
    expect(await outcome(await post(sent(alias), '/node/1', 'depositor'))).toEqual(NOT_OWN);
    expect((await repository.get(alias)).status).toBe(200);
    expect(await outcome(await post(sent(alias), '/node/1', 'admin'))).toBe(201);
  });

  it('is created by the owner of the item', async () => {
    const alias = `/${next('own')}`;
    await item(alias, 'depositor');
    expect(await outcome(await post(alias, '/node/1', 'depositor'))).toBe(201);
    expect(await follow(alias)).toEqual([301, `${SITE}/node/1`]);
  });

  it('does not hide the item if it is in another case', async () => {
    const alias = `/${next('Größe')}`;
    await item(alias);
    expect(await outcome(await post(alias.toUpperCase(), '/node/1', 'depositor'))).toBe(201);
    expect((await repository.get(encodeURI(alias))).status).toBe(200);
  });

  it('does not hide an item that gets the alias later', async () => {
    const alias = `/${next('later')}`;
    expect(await outcome(await post(alias, '/node/1', 'depositor'))).toBe(201);
    expect(await follow(alias)).toEqual([301, `${SITE}/node/1`]);
    await item(alias);
    expect((await repository.get(alias)).status).toBe(200);
  });

  it('does not hide another item to which the alias is moved', async () => {
    const alias = `/${next('moved')}`;
    const own = await item(alias, 'depositor');
    expect(await outcome(await post(alias, '/node/1', 'depositor'))).toBe(201);
    expect((await repository.delete(`/node/${own}`, 'admin')).status).toBe(204);
    await item(alias);
    expect((await repository.get(alias)).status).toBe(200);
  });

  it('concerns terms and media, too', async () => {
    const alias = `/${next('subjects')}`;
    const tag = { vid: 'subject', name: ['Harbours'], path: [{ alias }] };
    expect((await repository.post('/taxonomy/term?_format=json', tag, 'admin')).status).toBe(201);
    expect((await post(alias, '/node/1', 'reporter')).status).toBe(403);
  });

  it('is refused for the path of an item, which is an address of the program', async () => {
    const node = (await repository.node({}, 'admin')).nid[0].value;
    for (const path of [`node/${node}`, `NODE/${node}/`, `/n%6fde/${node}`])
      expect((await post(path, '/node/1', 'depositor')).status).toBe(422);
  });
});

describe('a redirect to another site', () => {
  it.each(['https://example.org/', 'http://example.org/a', 'https://repository.example.org/elsewhere'])(
    'requires its own permission: %s',
    async (uri) => {
      expect(await outcome(await post(next('away'), uri, 'depositor'))).toEqual(NOT_OUTSIDE);
      expect(await outcome(await post(next('away'), uri, 'reporter'))).toBe(201);
    },
  );

  it('is recognized by the configuration, not by the host of the request', async () => {
    const body = { redirect_source: [{ path: next('host') }], redirect_redirect: [{ uri: 'http://evil.example/x' }] };
    const headers = { Host: 'evil.example' };
    const response = await repository.post('/entity/redirect?_format=json', body, 'depositor', headers);
    expect(await outcome(response)).toEqual(NOT_OUTSIDE);
  });

  it.each(['/node/1', 'entity:node/1', `${SITE}/node/1`])('is none within the site: %s', async (uri) => {
    expect(await outcome(await post(next('within'), uri, 'depositor'))).toBe(201);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { paths } from '../../../src/paths.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

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

const type = 'islandora_object';
const patch = (node: EntityJson, body: object, as = 'admin') =>
  repository.patch(`/node/${node.nid[0].value}?_format=json`, { type, ...body }, as);
const aliasOf = async (path: string) => ((await (await repository.get(path, 'admin')).json()) as EntityJson).path;

describe('an alias', () => {
  it('is created with a node, read, changed and removed', async () => {
    const node = await repository.node({ path: [{ alias: '/letters/1' }] }, 'loader');
    const address = `/node/${node.nid[0].value}`;
    expect(node.path).toEqual([{ alias: '/letters/1', pid: expect.any(Number), langcode: 'en' }]);
    expect(await aliasOf(address)).toEqual(node.path);
    expect(await (await patch(node, node)).json()).toEqual(node);
    const renamed = (await (
      await patch(node, { path: [{ alias: '/letters/2', pid: node.path[0].pid }] })
    ).json()) as EntityJson;
    expect(renamed.path[0].alias).toBe('/letters/2');
    expect(await aliasOf(address)).toEqual(renamed.path);
    expect((await repository.get('/letters/1')).status).toBe(404);
    expect((await repository.get('/letters/2')).status).toBe(200);
    const without = (await (
      await patch(node, { path: [{ alias: null, pid: null, langcode: 'en' }] })
    ).json()) as EntityJson;
    expect(without.path).toEqual([{ alias: null, pid: null, langcode: 'en' }]);
    expect(await aliasOf(address)).toEqual(without.path);
    expect((await repository.get('/letters/2')).status).toBe(404);
  });

  it('stays when other fields change, and is deleted with its node', async () => {
    const node = await repository.node({ path: [{ alias: '/stays' }] });
    const changed = (await (await patch(node, { title: [{ value: 'Other' }] })).json()) as EntityJson;
    expect(changed.path).toEqual(node.path);
    await repository.delete(`/node/${node.nid[0].value}`, 'admin');
    expect((await repository.get('/stays')).status).toBe(404);
    expect((await repository.node({ path: [{ alias: '/stays' }] })).path[0].alias).toBe('/stays');
  });

  it('belongs to one entity and is refused to others', async () => {
    await repository.node({ path: [{ alias: '/taken' }] });
    const message =
      'Unprocessable Entity: validation failed.\npath.0.alias: The alias /taken is already in use in this language.\n';
    const refused = await repository.post(
      '/node',
      { type: 'page', title: [{ value: 'x' }], path: [{ alias: '/taken' }] },
      'admin',
    );
    expect(refused.status).toBe(422);
    expect(await refused.json()).toEqual({ message });
    const other = await patch(await repository.node(), { path: [{ alias: '/taken' }] });
    expect(other.status).toBe(422);
    expect(await other.json()).toEqual({ message });
    const race = await Promise.all(
      Array.from({ length: 10 }, () =>
        repository.post('/node', { type: 'page', title: [{ value: 'x' }], path: [{ alias: '/race' }] }, 'admin'),
      ),
    );
    expect(race.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(422)]);
  });

  it('requires a permission', async () => {
    const body = { vid: 'tags', name: [{ value: 'x' }], path: [{ alias: '/refused' }] };
    expect((await repository.post('/taxonomy/term', body, 'reader')).status).toBe(403);
    await repository.user('painter', 'content_editor');
    expect((await repository.post('/taxonomy/term', body, 'painter')).status).toBe(201);
  });

  it.each([
    ['x', 'The alias path has to start with a slash.'],
    ['//example.org', 'The alias path must begin with one slash and must not contain a space, "?" or "#".'],
    ['/\\example.org', 'The alias path must begin with one slash and must not contain a space, "?" or "#".'],
    ['/a b', 'The alias path must begin with one slash and must not contain a space, "?" or "#".'],
    ['/a?b', 'The alias path must begin with one slash and must not contain a space, "?" or "#".'],
    ['/a/../b', 'The alias path must not have a part "." or "..".'],
    ['/a/%2e%2E/b', 'The alias path must not have a part "." or "..".'],
    ['/a/.%2e', 'The alias path must not have a part "." or "..".'],
    [`/${'x'.repeat(255)}`, 'URL alias: may not be longer than 255 characters.'],
  ])('cannot be %s', async (alias, message) => {
    const response = await patch(await repository.node(), { path: [{ alias }] });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      message: `Unprocessable Entity: validation failed.\npath.0.alias: ${message}\n`,
    });
  });
});

describe('an address of the repository itself', () => {
  const refusal = (alias: string) => ({
    message: `Unprocessable Entity: validation failed.\npath.0.alias: The alias path "${alias}" is an address of the repository itself.\n`,
  });

  it('cannot be an alias, for any route', async () => {
    const node = await repository.node({ path: [{ alias: '/kept' }] });
    const ours = Object.values(paths).filter((path) => path !== paths.process);
    const addresses = new Set(ours.map((path) => path.replaceAll(/:\w+/g, '1').replace('*', 'a/b.png')));
    for (const address of ['/node/1', '/healthcheck', '/openapi', '/user/login', '/sites/default/files/a/b.png'])
      expect(addresses).toContain(address);
    for (const alias of addresses) {
      const response = await patch(node, { path: [{ alias }] });
      expect({ alias, status: response.status, body: await response.json() }).toEqual({
        alias,
        status: 422,
        body: refusal(alias),
      });
    }
    expect(await aliasOf(`/node/${node.nid[0].value}`)).toEqual(node.path);
  });

  it.each(['/%6eode/1', '/n%6Fde/1/media', '/entity/%66ile/%31', '/healthche%63k', '/sites/default/%66iles/a.png'])(
    'cannot be a percent-encoded alias: %s',
    async (alias) => {
      const node = await repository.node();
      const response = await patch(node, { path: [{ alias }] });
      expect({ status: response.status, body: await response.json() }).toEqual({ status: 422, body: refusal(alias) });
      const body = { path: [`/node/${node.nid[0].value}`], alias: [alias] };
      expect((await repository.post('/entity/path_alias', body, 'admin')).status).toBe(422);
    },
  );

  it('is rejected for new entities and for terms', async () => {
    const term = { vid: 'tags', name: ['x'], path: [{ alias: '/healthcheck' }] };
    const made = await repository.post('/taxonomy/term', term, 'admin');
    expect({ status: made.status, body: await made.json() }).toEqual({ status: 422, body: refusal('/healthcheck') });
    const other = (await repository.node()).nid[0].value;
    const node = { type: 'page', title: ['x'], path: [{ alias: `/node/${other}` }] };
    const response = await repository.post('/node', node, 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 422,
      body: refusal(`/node/${other}`),
    });
  });

  it.each([
    ...['/nodes/1', '/node/1/more', '/Node/1', '/node/1/media/2', '/healthchecks', '/healthcheck/more'],
    ...['/openapi/more', '/user/login/x', '/taxonomy/x', '/sites/default', '/files'],
    ...['/%6eodes/2', '/50%25/node/1'],
  ])('does not include %s', async (alias) => {
    const node = await repository.node({ path: [{ alias }] });
    const found = await repository.get(alias);
    expect({ status: found.status, nid: ((await found.json()) as EntityJson).nid }).toEqual({
      status: 200,
      nid: node.nid,
    });
  });
});

describe('the address of an alias', () => {
  it('returns the same as the address of its node, term or media', async () => {
    const node = await repository.node({ path: [{ alias: '/islandora/größe' }] });
    const term = (await (
      await repository.post(
        '/taxonomy/term',
        { vid: 'tags', name: [{ value: 'x' }], path: [{ alias: '/tags/x' }] },
        'admin',
      )
    ).json()) as EntityJson;
    const media = (await (
      await repository.post(
        '/entity/media',
        { bundle: 'remote_video', path: [{ alias: '/films/1' }], field_media_oembed_video: ['https://example.org/v'] },
        'admin',
      )
    ).json()) as EntityJson;
    const rows = [
      ['/islandora/gr%C3%B6%C3%9Fe', `/node/${node.nid[0].value}`],
      ['/tags/x', `/taxonomy/term/${term.tid[0].value}`],
      ['/films/1', `/media/${media.mid[0].value}`],
    ] as const;
    for (const [alias, canonical] of rows) {
      for (const query of ['', '?_format=json', '?_format=foo']) {
        for (const as of ['admin', undefined]) {
          for (const method of ['GET', 'HEAD']) {
            const [one, other] = await Promise.all(
              [alias, canonical].map((path) => repository.fetch(path + query, { method, as })),
            );
            expect({ alias, query, as, status: one?.status }).toEqual({ alias, query, as, status: other?.status });
            expect(one?.headers.get('ETag') ?? null).toBe(other?.headers.get('ETag') ?? null);
            if (query !== '?_format=foo') expect(await one?.text()).toBe((await other?.text()) as string);
          }
        }
      }
    }
    const etag = (await repository.get('/tags/x')).headers.get('ETag') ?? '';
    expect((await repository.get('/tags/x', undefined, { 'If-None-Match': etag })).status).toBe(304);
  });

  it('keeps Location and references canonical', async () => {
    const body = { type: 'page', title: [{ value: 'x' }], path: [{ alias: '/canonical' }] };
    const made = await repository.post('/node', body, 'admin');
    const node = (await made.json()) as EntityJson;
    expect(made.headers.get('Location')).toBe(`${repository.url}/node/${node.nid[0].value}`);
    const collection = await repository.node({ path: [{ alias: '/collection' }] });
    const member = await repository.node({ field_member_of: [{ target_id: collection.nid[0].value }] });
    expect(member.field_member_of[0].url).toBe(`/node/${collection.nid[0].value}`);
  });

  it('shows a hidden node only to callers who may see it', async () => {
    await repository.node({ status: [{ value: false }], path: [{ alias: '/hidden' }] });
    expect((await repository.get('/hidden')).status).toBe(401);
    expect((await repository.get('/hidden', 'reader')).status).toBe(403);
    expect((await repository.get('/hidden', 'admin')).status).toBe(200);
  });

  it('supports only the methods of its target', async () => {
    const node = await repository.node({ path: [{ alias: '/writable' }] });
    const options = await repository.fetch('/writable', { method: 'OPTIONS' });
    expect(options.status).toBe(200);
    expect(options.headers.get('Allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'PATCH']);
    expect((await repository.put('/writable', 'x', {}, 'admin')).status).toBe(405);
    expect((await repository.patch('/writable', { type, title: [{ value: 'By alias' }] })).status).toBe(401);
    expect((await repository.patch('/writable', { type, title: [{ value: 'By alias' }] }, 'admin')).status).toBe(200);
    expect((await repository.delete('/writable', 'admin')).status).toBe(204);
    expect((await repository.get(`/node/${node.nid[0].value}`)).status).toBe(404);
  });

  it('never hides an address of the API, even if the alias is older', async () => {
    const node = await repository.node({ path: [{ alias: '/given/before' }] });
    const { write } = repository.running.services.database;
    await write(["UPDATE path_alias SET alias = '/session/token' WHERE alias = '/given/before'"]);
    expect((await repository.get('/session/token')).headers.get('Content-Type')).toStartWith('text/plain');
    expect((await repository.get(`/node/${node.nid[0].value}`)).status).toBe(200);
  });

  it.each(['/%ff', '/%00', `/${'a'.repeat(5000)}`, "/'%20OR%201=1--", '/%2e%2e/etc'])(
    'returns 404 if there is no such alias: %s',
    async (path) => {
      expect((await repository.get(path)).status).toBe(404);
    },
  );
});

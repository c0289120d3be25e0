import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Alias, changeAlias, findAlias, removeAlias } from '../../../src/repository/addresses/save-alias.ts';
import { auditServices } from '../../support/audit.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  await repository.user('editor', 'content_editor');
  await repository.user('reader');
});
afterAll(async () => {
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const body = (path: string, alias: string, more: object = {}) => ({
  path: [{ value: path }],
  alias: [{ value: alias }],
  ...more,
});
const give = (path: string, alias: string, as = 'loader') =>
  repository.post('/entity/path_alias?_format=json', body(path, alias), as);
const given = async (path: string, alias: string) => {
  const response = await give(path, alias);
  expect(response.status).toBe(201);
  return (await response.json()) as EntityJson;
};
const read = async (path: string) => (await (await repository.get(path, 'admin')).json()) as EntityJson;
const newNode = async (fields = {}) => `/node/${(await repository.node(fields)).nid[0].value}`;
const refusal = async (response: Response) => [response.status, ((await response.json()) as EntityJson).message];
const invalid = (line: string) => [422, `Unprocessable Entity: validation failed.\n${line}\n`];

describe('POST /entity/path_alias', () => {
  it('creates an alias that the node returns and answers at', async () => {
    const path = await newNode();
    const before = await repository.get(path, 'admin');
    const response = await give(path, '/letters/1');
    expect(response.status).toBe(201);
    const alias = (await response.json()) as EntityJson;
    expect(alias).toEqual({
      id: [{ value: expect.any(Number) }],
      uuid: [{ value: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
      langcode: [{ value: 'en' }],
      path: [{ value: path }],
      alias: [{ value: '/letters/1' }],
      status: [{ value: true }],
    });
    const id = alias.id[0].value;
    expect(response.headers.get('Location')).toBe(`${repository.url}/entity/path_alias/${id}`);
    expect(await read(`/entity/path_alias/${id}?_format=json`)).toEqual(alias);
    const node = await read(path);
    expect(node.path).toEqual([{ alias: '/letters/1', pid: id, langcode: 'en' }]);
    expect(await read('/letters/1?_format=json')).toEqual(node);
    const head = await repository.fetch('/letters/1', { method: 'HEAD', as: 'admin' });
    expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
    const after = await repository.get(path, 'admin');
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'));
    expect(after.headers.get('Link')).toContain(`<${repository.url}/letters/1>; rel="canonical"`);
  });

  it('creates no revision and leaves the other fields of the node unchanged', async () => {
    const node = await repository.node({ title: ['A "quoted" größe'] });
    const path = `/node/${node.nid[0].value}`;
    await given(path, '/quoted');
    const after = await read(path);
    expect(after).toEqual({ ...node, path: after.path, changed: after.changed });
    expect(await read(`${path}/revisions`)).toHaveLength(1);
  });

  it('gives aliases to media and terms', async () => {
    const term = (await (
      await repository.post('/taxonomy/term', { vid: 'tags', name: ['x'] }, 'admin')
    ).json()) as EntityJson;
    const video = { bundle: 'remote_video', field_media_oembed_video: ['https://example.org/v'] };
    const media = (await (await repository.post('/entity/media', video, 'admin')).json()) as EntityJson;
    await given(`/taxonomy/term/${term.tid[0].value}`, '/tags/x');
    expect((await read('/tags/x')).tid).toEqual(term.tid);
    expect((await give(`/media/${media.mid[0].value}`, '/films/1', 'admin')).status).toBe(201);
    expect((await read('/films/1')).path[0].alias).toBe('/films/1');
  });

  it('keeps older aliases working and shows the newest', async () => {
    const path = await newNode();
    const first = await given(path, '/older');
    const second = await given(path, '/newer');
    expect((await read(path)).path[0]).toMatchObject({ alias: '/newer', pid: second.id[0].value });
    expect((await read('/older')).nid).toEqual((await read('/newer')).nid);
    expect((await repository.delete(`/entity/path_alias/${second.id[0].value}`, 'loader')).status).toBe(204);
    expect((await repository.get('/newer', 'admin')).status).toBe(404);
    expect((await read(path)).path[0]).toMatchObject({ alias: '/older', pid: first.id[0].value });
    expect((await repository.delete(`/entity/path_alias/${first.id[0].value}`, 'loader')).status).toBe(204);
    expect((await read(path)).path).toEqual([{ alias: null, pid: null, langcode: 'en' }]);
    expect((await repository.get(`/entity/path_alias/${first.id[0].value}`, 'admin')).status).toBe(404);
  });

  it('creates an alias that a PATCH of path replaces and removes', async () => {
    const path = await newNode();
    await given(path, '/kept');
    await given(path, '/replaced');
    const patch = (alias: string | null) =>
      repository.patch(path, { type: 'islandora_object', path: [{ alias }] }, 'admin');
    expect((await patch('/patched')).status).toBe(200);
    expect((await repository.get('/replaced')).status).toBe(404);
    expect((await repository.get('/kept')).status).toBe(200);
    expect((await patch('/kept')).status).toBe(200);
    expect((await read(path)).path[0].alias).toBe('/kept');
    await given(path, '/again');
    expect(((await (await patch(null)).json()) as EntityJson).path[0].alias).toBeNull();
    for (const alias of ['/kept', '/again', '/patched']) expect((await repository.get(alias)).status).toBe(404);
  });

  it('creates aliases that are deleted with their node', async () => {
    const path = await newNode();
    const { id } = await given(path, '/gone/1');
    await given(path, '/gone/2');
    await repository.delete(path, 'admin');
    for (const gone of ['/gone/1', '/gone/2', `/entity/path_alias/${id[0].value}`])
      expect((await repository.get(gone, 'admin')).status).toBe(404);
  });

  it('accepts bare values, members of a response and surrounding white space', async () => {
    const path = await newNode();
    const sent = { id: [3], path: { value: path }, alias: [' /spaced/ '], status: [{ value: '1' }], langcode: ['en'] };
    const made = await repository.post('/entity/path_alias', sent, 'loader');
    expect({ status: made.status, alias: ((await made.json()) as EntityJson).alias }).toEqual({
      status: 201,
      alias: [{ value: '/spaced' }],
    });
    expect((await read('/spaced')).path[0].alias).toBe('/spaced');
  });

  it.each(['/ended/1', '/ended/Größe', '/ended/%C3%BCber'])(
    'creates an alias that also answers with trailing slashes: %s',
    async (alias) => {
      const path = await newNode();
      const { alias: kept } = await given(path, `${alias}/`);
      expect(kept).toEqual([{ value: alias }]);
      const { nid } = await read(path);
      for (const address of [alias, `${alias}/`, `${alias}//`]) {
        expect((await read(`${address}?_format=json`)).nid).toEqual(nid);
        expect((await repository.fetch(`${address}?_format=json`, { method: 'HEAD', as: 'loader' })).status).toBe(200);
      }
      expect((await repository.get(`${alias}/x`, 'admin')).status).toBe(404);
    },
  );

  it.each<[string, object, string]>([
    ['an alias without a slash', { alias: ['x'] }, 'alias.0.value: The alias path has to start with a slash.'],
    ['an empty alias', { alias: [] }, 'alias: This value should not be null.'],
    ['a null alias', { alias: null }, 'alias: This value should not be null.'],
    ['a blank alias', { alias: ['   '] }, 'alias.0.value: The alias path "/" is an address of the repository itself.'],
    [
      'a route',
      { alias: ['/node/1'] },
      'alias.0.value: The alias path "/node/1" is an address of the repository itself.',
    ],
    [
      'its own route',
      { alias: ['/entity/path_alias'] },
      'alias.0.value: The alias path "/entity/path_alias" is an address of the repository itself.',
    ],
    ['two aliases', { alias: ['/a1', '/a2'] }, 'alias: URL alias: this field cannot hold more than 1 values.'],
    [
      'a path that does not exist',
      { path: ['/node/999999'] },
      "path.0.value: Either the path '/node/999999' is invalid or you do not have access to it.",
    ],
    [
      'the path of a user',
      { path: ['/user/1'] },
      "path.0.value: Either the path '/user/1' is invalid or you do not have access to it.",
    ],
    ['a path without slash', { path: ['node/1'] }, 'path.0.value: The source path has to start with a slash.'],
    [
      'an alias as path',
      { path: ['/taken'] },
      "path.0.value: Either the path '/taken' is invalid or you do not have access to it.",
    ],
    ['an unknown language', { langcode: ['xx'] }, 'langcode.0: The value you selected is not a valid choice.'],
    ['an unpublished alias', { status: [false] }, 'status.0.value: An alias is always published. Delete it instead.'],
    ['a taken alias', { alias: ['/taken'] }, 'alias.0.value: The alias /taken is already in use in this language.'],
  ])('refuses %s', async (_name, fields, line) => {
    if ((await repository.get('/taken')).status === 404) await given(await newNode(), '/taken');
    const path = await newNode();
    const response = await repository.post('/entity/path_alias', body(path, '/free', fields), 'admin');
    expect(await refusal(response)).toEqual(invalid(line));
    expect((await read(path)).path[0].alias).toBeNull();
  });

  it('refuses unknown members', async () => {
    const response = await repository.post('/entity/path_alias', body('/node/1', '/x', { aliass: [] }), 'admin');
    expect(await refusal(response)).toEqual([422, 'Field "aliass" is unknown. Did you mean "alias"?']);
  });

  it('gives a contested alias to exactly one of eight simultaneous requests', async () => {
    const paths = await Promise.all(Array.from({ length: 8 }, () => newNode()));
    const answers = await Promise.all(paths.map((path) => give(path, '/raced')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
  });

  it('creates an alias that an outdated write does not change', async () => {
    const { services } = repository.running;
    const path = await newNode();
    const { id } = await given(path, '/early');
    const former = (await findAlias(services, id[0].value)) as Alias;
    expect(await changeAlias(services, former, { ...former, alias: '/in/between' })).toBe(true);
    const node = await read(path);
    const etag = (await repository.get(path, 'admin')).headers.get('ETag');
    expect(await changeAlias(services, former, { ...former, alias: '/late' })).toBe(false);
    expect(await removeAlias(services, former)).toBe(false);
    expect(await read(path)).toEqual(node);
    expect((await repository.get(path, 'admin')).headers.get('ETag')).toBe(etag);
  });

  it('loses nothing when the node changes at the same time', async () => {
    const path = await newNode();
    const patch = (n: number) => repository.patch(path, { type: 'islandora_object', title: [`Title ${n}`] }, 'admin');
    const work = Array.from({ length: 6 }, (_, n) => (n % 2 ? patch(n) : give(path, `/beside/${n}`)));
    const statuses = (await Promise.all(work)).map(({ status }) => status);
    expect(statuses).toEqual([201, 200, 201, 200, 201, 200]);
    expect((await read(path)).path[0].alias).toMatch(/^\/beside\//);
  });
});

describe('a caller', () => {
  it('needs the permission and access to the content to create an alias', async () => {
    const path = await newNode();
    expect((await give(path, '/who/1', 'loader')).status).toBe(201);
    expect((await repository.post('/entity/path_alias', body(path, '/who/2'))).status).toBe(401);
    expect(await refusal(await give(path, '/who/2', 'reader'))).toEqual([
      403,
      "The following permissions are required: 'create url aliases' OR 'administer url aliases'.",
    ]);
    expect((await give(path, '/who/3', 'editor')).status).toBe(201);
    const hidden = await newNode({ status: [false] });
    expect((await give(hidden, '/who/4', 'editor')).status).toBe(422);
    expect((await give(hidden, '/who/4', 'admin')).status).toBe(201);
    expect((await repository.get('/who/4')).status).toBe(401);
  });
});

describe('PATCH /entity/path_alias/{id}', () => {
  const change = (id: number, fields: object, headers = {}) =>
    repository.patch(`/entity/path_alias/${id}`, fields, 'loader', headers);

  it('changes an alias, and the alias of its node', async () => {
    const path = await newNode();
    const alias = await given(path, '/before');
    const id = alias.id[0].value;
    const same = await change(id, alias);
    expect({ status: same.status, body: await same.json() }).toEqual({ status: 200, body: alias });
    const changed = await change(id, { alias: [{ value: '/after' }] });
    expect(await changed.json()).toEqual({ ...alias, alias: [{ value: '/after' }] });
    expect((await read(path)).path[0]).toMatchObject({ alias: '/after', pid: id });
    expect((await repository.get('/before')).status).toBe(404);
    expect((await repository.get('/after')).status).toBe(200);
  });

  it('moves an alias to other content', async () => {
    const [from, to] = [await newNode(), await newNode()];
    const { id } = await given(from, '/moving');
    expect((await change(id[0].value, { path: [{ value: to }] })).status).toBe(200);
    expect((await read(from)).path[0].alias).toBeNull();
    expect((await read(to)).path[0].alias).toBe('/moving');
    expect((await change(id[0].value, { path: ['/node/999999'] })).status).toBe(422);
  });

  it('checks If-Match, aliases in use and missing entities', async () => {
    const path = await newNode();
    const { id } = await given(path, '/matched');
    await given(path, '/other/taken');
    const etag = (await repository.get(`/entity/path_alias/${id[0].value}`, 'admin')).headers.get('ETag') ?? '';
    expect((await change(id[0].value, { alias: ['/x/1'] }, { 'If-Match': '"other"' })).status).toBe(412);
    expect((await change(id[0].value, { alias: ['/x/1'] }, { 'If-Match': etag })).status).toBe(200);
    expect((await change(id[0].value, { alias: ['/other/taken'] })).status).toBe(422);
    expect((await change(999_999, { alias: ['/x/2'] })).status).toBe(404);
    expect((await repository.patch(`/entity/path_alias/${id[0].value}`, { alias: ['/x/2'] }, 'reader')).status).toBe(
      403,
    );
  });
});

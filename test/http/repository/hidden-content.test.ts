import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
roles:
  lister:
    label: Lister
    permissions: [manage members, manage media, use islandora workbench]
`;

let repository: TestRepository;
let collection: number;
let lister: number;
let loader: number;

beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  lister = await repository.user('lister', 'lister');
  loader = await repository.user('loader', 'workbench_user', 'lister');
  collection = (await repository.node()).nid[0].value;
});
afterAll(async () => {
  await repository.stop();
});

async function list(path: string, as: string): Promise<EntityJson[]> {
  const response = await repository.get(path, as);
  expect(response.status).toBe(200);
  return (await response.json()) as EntityJson[];
}

const titles = (entities: EntityJson[]) => entities.map(({ title, name }) => (title ?? name)[0].value);

async function make(path: string, body: object, as = 'admin'): Promise<EntityJson> {
  const response = await repository.post(`${path}?_format=json`, body, as);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

describe('a list', () => {
  it('of members fills its pages with visible nodes only', async () => {
    for (let number = 0; number < 25; number++) {
      const status = [{ value: number % 2 === 0 }];
      await repository.node({
        title: [{ value: `member ${number}` }],
        field_member_of: [{ target_id: collection }],
        status,
      });
    }
    const path = `/node/${collection}/members?_format=json`;
    const shown = Array.from({ length: 13 }, (_, place) => `member ${2 * place}`);
    expect(titles(await list(`${path}&page=0`, 'lister'))).toEqual(shown.slice(0, 10));
    expect(titles(await list(`${path}&page=1`, 'lister'))).toEqual(shown.slice(10));
    expect(titles(await list(`${path}&page=2`, 'lister'))).toEqual([]);
    expect(titles(await list(path, 'lister'))).toEqual(shown);
    expect(titles(await list(`${path}&page=2`, 'admin'))).toEqual(
      Array.from({ length: 5 }, (_, place) => `member ${20 + place}`),
    );
  });

  it('of media shows published media and those of the caller', async () => {
    const film = (name: string, status: boolean) => ({
      bundle: 'image',
      name: [name],
      status: [status],
      field_media_of: [collection],
    });
    const upload = async (as: string) => {
      const response = await repository.fetch('/file/upload/media/image/field_media_image?_format=json', {
        method: 'POST',
        body: 'GIF89a\u0001\u0000\u0001\u0000',
        as,
        headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="a.gif"' },
      });
      return [((await response.json()) as EntityJson).fid[0].value];
    };
    await make('/entity/media', { ...film('shown', true), field_media_image: await upload('admin') });
    await make('/entity/media', { ...film('hidden', false), field_media_image: await upload('admin') });
    const ofLoader = { ...film('hidden, of loader', false), uid: [loader] };
    await make('/entity/media', { ...ofLoader, field_media_image: await upload('admin') });
    const path = `/node/${collection}/media?_format=json`;
    expect(titles(await list(path, 'lister'))).toEqual(['shown']);
    expect(titles(await list(path, 'loader'))).toEqual(['shown', 'hidden, of loader']);
    expect(titles(await list(path, 'admin'))).toEqual(['shown', 'hidden', 'hidden, of loader']);
  });

  it('of terms fills its pages with published terms only', async () => {
    for (let number = 0; number < 12; number++)
      await make('/taxonomy/term', { vid: 'genre', name: [`z ${10 + number}`], status: [number !== 3], weight: [100] });
    const all = titles(await list('/vocabulary/genre?_format=json', 'admin')).filter((name) => name.startsWith('z '));
    const shown = titles(await list('/vocabulary/genre?_format=json', 'lister')).filter((name) =>
      name.startsWith('z '),
    );
    expect(all).toContain('z 13');
    expect(shown).toEqual(all.filter((name) => name !== 'z 13'));
    const first = await list('/vocabulary/genre?_format=json&page=0', 'lister');
    expect(first).toHaveLength(10);
    expect(titles(await list('/term_from_term_name?_format=json&vocab=genre&name=z%2013', 'lister'))).toEqual([]);
  });
});

describe('hidden content', () => {
  let hidden: EntityJson;
  beforeAll(async () => {
    hidden = await repository.node({ title: [{ value: 'secret title' }], status: [{ value: false }] });
  });

  it('is not revealed by a condition, a write or HEAD', async () => {
    const path = `/node/${hidden.nid[0].value}?_format=json`;
    const etag = (await repository.get(path, 'admin')).headers.get('etag') as string;
    for (const headers of [{}, { 'If-None-Match': etag }, { 'If-None-Match': '*' }, { 'If-Match': '"x"' }]) {
      for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE']) {
        const type = { 'Content-Type': 'application/json' };
        const response = await repository.fetch(path, {
          method,
          as: 'lister',
          headers: { ...type, ...headers },
        });
        const text = await response.text();
        expect({ method, status: response.status }).toEqual({ method, status: 403 });
        expect(text).not.toContain('secret title');
        for (const name of ['etag', 'last-modified', 'link', 'location', 'content-range'])
          expect(response.headers.get(name)).toBeNull();
      }
    }
  });

  it('refuses a write before its body is parsed, as missing content does', async () => {
    const path = (id: number) => `/node/${id}?_format=json`;
    const refused = await repository.patch(path(hidden.nid[0].value), '{ this is no JSON', 'lister');
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 403,
      body: { message: "The 'edit any islandora_object content' permission is required." },
    });
    const missing = await repository.patch(path(99_999_999), '{ this is no JSON', 'lister');
    expect(missing.status).toBe(404);
  });

  it('cannot be referenced by a caller who may not see it', async () => {
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    const body = (target: object) => ({
      type: 'islandora_object',
      title: ['x'],
      field_model: [model],
      field_member_of: [target],
    });
    for (const target of [{ target_id: hidden.nid[0].value }, { target_uuid: hidden.uuid[0].value }]) {
      const response = await repository.post('/node?_format=json', body(target), 'loader');
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 422,
        body: {
          message: `Unprocessable Entity: validation failed.\nfield_member_of.0.target_id: This entity (node: ${hidden.nid[0].value}) cannot be referenced.\n`,
        },
      });
    }
  });

  it('stays in a list when a caller who may not see it adds items', async () => {
    const shown = (await repository.node()).nid[0].value;
    const made = await repository.node({ field_member_of: [{ target_id: shown }] }, 'loader');
    const path = `/node/${made.nid[0].value}?_format=json`;
    const both = [{ target_id: shown }, { target_id: hidden.nid[0].value }];
    const change = (targets: object[], as: string) =>
      repository.patch(path, { type: 'islandora_object', field_member_of: targets }, as);
    expect((await change(both, 'loader')).status).toBe(422);
    expect((await change(both, 'admin')).status).toBe(200);
    const seen = (await (await repository.get(path, 'loader')).json()) as EntityJson;
    const response = await change([{ target_id: collection }, ...seen.field_member_of], 'loader');
    const changed = (await response.json()) as EntityJson;
    expect(changed.field_member_of?.map((item: EntityJson) => item.target_id)).toEqual([
      collection,
      shown,
      hidden.nid[0].value,
    ]);
  });

  it('includes temporary files of others, which cannot be referenced', async () => {
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="b.gif"' };
    const upload = await repository.fetch('/file/upload/media/image/field_media_image?_format=json', {
      method: 'POST',
      body: 'GIF89a\u0001\u0000\u0001\u0000',
      as: 'admin',
      headers,
    });
    const fid = ((await upload.json()) as EntityJson).fid[0].value;
    const response = await repository.post(
      '/entity/media?_format=json',
      { bundle: 'image', name: ['x'], field_media_image: [fid] },
      'loader',
    );
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 422,
      body: {
        message: `Unprocessable Entity: validation failed.\nfield_media_image.0.target_id: You do not have access to the referenced entity (file: ${fid}).\n`,
      },
    });
  });
});

describe('an account', () => {
  it('shows its roles only to administrators and its password to no caller', async () => {
    const path = (id: number) => `/user/${id}?_format=json`;
    const own = await repository.get(path(lister), 'lister');
    const members = Object.keys((await own.json()) as object);
    expect(members).toContainValues(['name', 'mail', 'timezone']);
    for (const name of ['status', 'roles', 'access', 'login', 'init', 'pass', 'password_hash'])
      expect(members).not.toContain(name);
    const asAdmin = await (await repository.get(path(lister), 'admin')).text();
    expect(asAdmin).toContain('"roles"');
    expect(asAdmin).not.toMatch(/argon2|"pass/);
    expect((await repository.get(path(loader), 'lister')).status).toBe(403);
    expect((await repository.get('/user/0?_format=json', 'lister')).status).toBe(403);
  });
});

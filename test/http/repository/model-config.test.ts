import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { tokenOf } from '../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
node_types:
  islandora_object:
    fields:
      field_shelf: { label: Shelf, type: string, max_length: 12, cardinality: 3 }
      field_state: { label: State, type: list_string, allowed_values: { g: Good, p: Poor } }
  record:
    label: Record
roles:
  site_builder:
    label: Site builder
    permissions: [access content, administer site configuration]
  reader:
    label: Reader
    permissions: [access content, view media, administer taxonomy, view checksums]
`;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('loader', 'workbench_user');
  await repository.user('builder', 'site_builder');
  await repository.user('reader', 'reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const ACTIONS = '/islandora_workbench_integration/node_actions';
const VERSION = '/islandora_workbench_integration/version';

/** Each address, and the one where the same stands under the module of the loader. */
const ADDRESSES = [
  ['/entity/entity_form_display/node.islandora_object.default', `${ACTIONS}/entity_display/node/islandora_object`],
  [
    '/entity/field_config/node.islandora_object.field_model',
    `${ACTIONS}/field_config/node/islandora_object/field_model`,
  ],
  ['/entity/field_storage_config/node.field_model', `${ACTIONS}/field_storage_config/node/field_model`],
  ['/entity/node_type/islandora_object'],
  ['/entity/media_type/image'],
  ['/entity/taxonomy_vocabulary/subject'],
] as const;
const ALL = [...ADDRESSES.flat(), VERSION, '/islandora_workbench_integration/core_version'];

async function read(path: string, as = 'loader'): Promise<EntityJson> {
  const response = await repository.get(path, as);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

describe('the content model for loaders', () => {
  it.each(ALL)('is available to administrators and loaders only: %s', async (path) => {
    for (const as of ['admin', 'loader', 'builder']) {
      const response = await repository.get(`${path}?_format=json`, as);
      expect({ as, status: response.status, contentType: response.headers.get('content-type') }).toEqual({
        as,
        status: 200,
        contentType: 'application/json',
      });
      expect(Object.keys((await response.json()) as object).length).toBeGreaterThan(0);
    }
    const refused = await repository.get(path, 'reader');
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 403,
      body: {
        message:
          "The following permissions are required: 'administer site configuration' OR 'use islandora workbench'.",
      },
    });
    const stranger = await repository.get(path);
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get('www-authenticate')).toBe('Basic realm="Repository"');
  });

  it.each(ALL)('answers HEAD like GET without a body: %s', async (path) => {
    for (const as of ['loader', 'reader', undefined]) {
      const [get, head] = [
        await repository.get(path, as),
        await repository.fetch(path, { method: 'HEAD', ...(as !== undefined && { as }) }),
      ];
      expect(head.status).toBe(get.status);
      expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
      expect(await head.text()).toBe('');
    }
  });

  it('has versions that the loader supports', async () => {
    const { integration_module_version: version, ...rest } = await read(VERSION);
    expect(rest).toEqual({});
    const [major, minor] = version.split('.').map(Number);
    expect(major * 100 + minor).toBeGreaterThanOrEqual(102);
    const { core_version: core } = await read('/islandora_workbench_integration/core_version');
    expect(core).toMatch(/^1\d\.\d+\.\d+$/);
  });

  it('is the same at both addresses, with and without _format', async () => {
    for (const [path, other] of ADDRESSES) {
      const first = await (await repository.get(path, 'loader')).text();
      expect(await (await repository.get(`${path}?_format=json`, 'admin')).text()).toBe(first);
      if (other !== undefined) expect(await (await repository.get(other, 'loader')).text()).toBe(first);
    }
  });

  it('requires a password, but accepts a token at the module addresses', async () => {
    const headers = { Authorization: `Bearer ${await tokenOf(repository, 'loader')}` };
    for (const [path, other] of ADDRESSES) {
      const refused = await repository.get(path, undefined, headers);
      expect({ status: refused.status, body: await refused.json() }).toEqual({
        status: 403,
        body: { message: 'This address does not accept this authentication method.' },
      });
      if (other !== undefined) expect((await repository.get(other, undefined, headers)).status).toBe(200);
    }
    expect((await repository.get(VERSION, undefined, headers)).status).toBe(200);
  });

  it('refuses a wrong password', async () => {
    const answer = await repository.get(VERSION, undefined, { Authorization: `Basic ${btoa('loader:wrong')}` });
    expect(answer.status).toBe(401);
  });

  it('has ETags, and returns 304 for the current one', async () => {
    const path = '/entity/node_type/page';
    const etag = (await repository.get(path, 'loader')).headers.get('etag') as string;
    expect((await repository.get(path, 'loader', { 'If-None-Match': etag })).status).toBe(304);
    expect((await repository.get(path, 'loader', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('is read only', async () => {
    for (const path of ALL) {
      for (const method of ['POST', 'PATCH', 'DELETE']) {
        const answer = await repository.fetch(path, { method, as: 'admin' });
        expect({ method, status: answer.status, allow: answer.headers.get('allow') }).toEqual({
          method,
          status: 405,
          allow: 'GET, HEAD',
        });
      }
    }
  });

  it('returns 404 for an unknown name', async () => {
    const missing = [
      '/entity/entity_form_display/node.nothing.default',
      '/entity/entity_form_display/node.islandora_object.teaser',
      '/entity/entity_form_display/taxonomy_term.tags.default',
      '/entity/field_config/node.islandora_object.nothing',
      '/entity/field_config/node.page.field_model',
      '/entity/field_config/%00.a.b',
      '/entity/field_storage_config/node.nothing',
      '/entity/node_type/nothing',
      '/entity/media_type/nothing',
      '/entity/taxonomy_vocabulary/nothing',
      `${ACTIONS}/entity_display/node/nothing`,
      `${ACTIONS}/entity_display/node.islandora_object/default`,
      `${ACTIONS}/field_config/node/islandora_object/nothing`,
      `${ACTIONS}/field_storage_config/node/islandora_object.field_model`,
    ];
    for (const path of missing) {
      const answer = await repository.get(path, 'loader');
      const { message } = (await answer.json()) as { message: string };
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
      expect(message).toEndWith(' does not exist.');
      expect((await repository.fetch(path, { method: 'HEAD', as: 'loader' })).status).toBe(404);
      expect((await repository.get(path)).status).toBe(401);
    }
    expect((await repository.get('/entity/taxonomy_vocabulary/tags', 'loader')).status).toBe(200);
  });
});

describe('a field that the site has added', () => {
  it('is found through the form display', async () => {
    const form = await read('/entity/entity_form_display/node.islandora_object.default?_format=json');
    const names = (form.dependencies.config as string[]).filter((name) => name.startsWith('field.field.'));
    expect(names).toContain('field.field.node.islandora_object.field_shelf');
    expect(names.length).toBe(repository.running.services.model.nodeTypes.get('islandora_object')?.fields.length ?? 0);
    for (const name of names) {
      const field = name.split('.').at(-1) as string;
      const config = await read(`/entity/field_config/node.islandora_object.${field}?_format=json`);
      const storage = await read(`/entity/field_storage_config/node.${field}?_format=json`);
      expect(config.field_name).toEqual(field);
      expect(config.field_type).toEqual(storage.type);
    }
  });

  it('has its label, limits and values', async () => {
    expect(await read('/entity/field_config/node.islandora_object.field_shelf')).toMatchObject({
      label: 'Shelf',
      required: false,
    });
    expect(await read('/entity/field_storage_config/node.field_shelf')).toMatchObject({
      type: 'string',
      cardinality: 3,
      settings: { max_length: 12 },
    });
    const { settings } = await read(`${ACTIONS}/field_storage_config/node/field_state`);
    expect(settings.allowed_values).toEqual({ g: 'Good', p: 'Poor' });
  });

  it('may be missing in another bundle', async () => {
    const { dependencies } = await read('/entity/entity_form_display/node.record.default');
    expect(dependencies.config).toEqual(['node.type.record']);
    expect((await read('/entity/node_type/record')).new_revision).toBe(true);
  });
});

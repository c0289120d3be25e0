import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createSample, newAlias, SAMPLE_ROUTES, type Sample } from '../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let sample: Sample;
beforeAll(async () => {
  repository = await createTestRepository();
  sample = await createSample(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const PLACES = new Proxy({} as Sample, { get: (_target, name) => `{${String(name)}}` });
const named = SAMPLE_ROUTES.map((route) => [`${route.method} ${route.path(PLACES)}`, route] as const);
/** Routes with ids in their path. The members of an unknown node are an empty list, as on the original server. */
const withIds = named.filter(
  ([name]) => /\{(?!fileUuid|mediaUuid|bytes)/.test(name) && !name.includes('members-of-node'),
);

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

describe('a _format that does not exist', () => {
  it.each(named)('is refused by %s', async (_name, { method, path, type }) => {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const body = method === 'GET' || method === 'DELETE' ? null : '{}';
    for (const format of ['nonsense', 'JSON', 'xml', '0', 'json%00'])
      expect({
        format,
        status: (
          await repository.fetch(withQuery(path(sample), `_format=${format}`), { method, headers, body, as: 'admin' })
        ).status,
      }).toEqual({ format, status: 406 });
  });

  it('is refused by an alias, a public file, a linkset, and pages, with GET and HEAD', async () => {
    const alias = newAlias(sample.node);
    const address = alias.alias[0]?.value as string;
    expect((await repository.post('/entity/path_alias', alias, 'admin')).status).toBe(201);
    const icon = '/sites/default/files/media-icons/generic.png';
    for (const path of [address, icon, `/node/${sample.node}/linkset`, '/', `/node/${sample.node}`]) {
      for (const method of ['GET', 'HEAD']) {
        const { status } = await repository.fetch(`${path}?_format=nonsense`, { method, as: 'admin' });
        // There may be no page at the root.
        expect({ path, status }).toEqual({ path, status: path === '/' && status === 404 ? 404 : 406 });
      }
    }
  });

  it('deletes nothing', async () => {
    for (const path of [`/node/${sample.node}`, `/media/${sample.media}`, `/taxonomy/term/${sample.term}`])
      expect((await repository.get(`${path}?_format=json`, 'admin')).status).toBe(200);
  });

  it('gets a JSON message, even at an address with a single format', async () => {
    const icon = '/sites/default/files/media-icons/generic.png';
    const refused = await repository.get(`${icon}?_format=nonsense`);
    expect((await refused.json()) as EntityJson).toEqual({
      message: 'Unknown format "nonsense". Omit "_format": this address has only one representation.',
    });
    for (const path of [icon, '/jwt/token', '/.well-known/jwks.json', '/healthcheck'])
      expect({ path, status: (await repository.get(`${path}?_format=json`, 'admin')).status }).toEqual({
        path,
        status: 200,
      });
  });
});

describe('an id of 0', () => {
  it.each(withIds)('gets 404: %s', async (_name, { method, path, type }) => {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const body = method === 'GET' || method === 'DELETE' ? null : '{}';
    const places = new Proxy({} as Sample, { get: () => '0' });
    for (const zero of ['0', '00']) {
      const address = path(places).replaceAll(/\/0(?=\/|$)/g, `/${zero}`);
      const { status } = await repository.fetch(address, { method, headers, body, as: 'admin' });
      expect({ address, status }).toEqual({ address, status: 404 });
    }
  });

  it.each(['0', '00', '-1', '1.5', 'x', '9'.repeat(16)])(
    'is refused as the node of a list of jobs: %s',
    async (node) => {
      const response = await repository.get(`/admin/reports/derivatives?_format=json&node=${node}`, 'admin');
      expect(response.status).toBe(400);
      expect(((await response.json()) as EntityJson).message).toBe(
        `The query parameter "node" must be the id of a node, found "${node}".`,
      );
    },
  );

  it('lists no members, like an unknown id', async () => {
    for (const node of ['0', '999999']) {
      const response = await repository.get(`/islandora_workbench_integration/members-of-node/${node}`, 'admin');
      expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '[]' });
    }
  });

  it('is refused as the node of a scan', async () => {
    const response = await repository.post('/admin/reports/derivatives/scan?_format=json', { node: 0 }, 'admin');
    expect(response.status).toBe(422);
  });
});

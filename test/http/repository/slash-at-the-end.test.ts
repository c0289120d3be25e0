import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let hidden: number;

beforeAll(async () => {
  repository = await createTestRepository();
  node = (await repository.node()).nid[0].value;
  hidden = (await repository.node({ status: [{ value: false }] })).nid[0].value;
});
afterAll(() => repository.stop());

async function answerOf(path: string, init: RequestInit = {}) {
  const response = await fetch(`${repository.url}${path}`, init);
  const { status, headers } = response;
  const told = ['Content-Type', 'ETag', 'Link', 'Allow'].map((name) => headers.get(name));
  return { status, told, body: await response.text() };
}

describe('a slash at the end of an address', () => {
  it.each([
    ['/node/N', '?_format=json', 200],
    ['/node/N', '?_format=jsonld', 200],
    ['/node/N/revisions', '?_format=json', 401],
    ['/user/login_status', '?_format=json', 200],
    ['/healthcheck', '', 200],
    ['/node/HIDDEN', '?_format=json', 401],
    ['/node/999999', '?_format=json', 404],
    ['/user/1', '?_format=json', 401],
  ])('changes nothing for %s%s', async (path, query, status) => {
    const known = path.replace('HIDDEN', `${hidden}`).replace('N', `${node}`);
    const plain = await answerOf(`${known}${query}`);
    expect(plain.status).toBe(status);
    expect(await answerOf(`${known}/${query}`)).toEqual(plain);
    const head = await answerOf(`${known}/${query}`, { method: 'HEAD' });
    expect(head).toEqual({ ...plain, body: '' });
  });

  it('changes nothing for writes and refused methods', async () => {
    const model = await repository.termId('http://purl.org/coar/resource_type/c_1843');
    const body = {
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: 'Made with a slash' }],
      field_model: [{ target_id: model }],
    };
    const made = await repository.post('/node/?_format=json', body, 'admin');
    expect(made.status).toBe(201);
    expect(made.headers.get('Location')).toMatch(/\/node\/\d+$/);
    const refused = await answerOf('/entity/media/', { method: 'GET' });
    expect(refused.status).toBe(405);
    expect(refused.told).toEqual((await answerOf('/entity/media')).told);
  });

  it('makes the address of a file invalid', async () => {
    const file = '/sites/default/files/media-icons/generic.png';
    expect((await answerOf(file)).status).toBe(200);
    expect((await answerOf(`${file}/`)).status).toBe(404);
  });
});

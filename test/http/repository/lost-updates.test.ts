import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const type = 'islandora_object';
const STALE = { message: 'The content has changed since the ETag in If-Match was returned. Read it again.' };

async function fresh(): Promise<{ path: string; etag: string; modified: string; node: EntityJson }> {
  const node = await repository.node();
  const path = `/node/${node.nid[0].value}`;
  const { headers } = await repository.get(path, 'admin');
  return { path, node, etag: headers.get('ETag') ?? '', modified: headers.get('Last-Modified') ?? '' };
}

describe('an ETag', () => {
  it('is strong, and changes only with the content', async () => {
    const { path, etag } = await fresh();
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect((await repository.get(path, 'admin')).headers.get('ETag')).toBe(etag);
    const changed = await repository.patch(path, { type, title: [{ value: 'Other' }] }, 'admin');
    expect(changed.headers.get('ETag')).not.toBe(etag);
    expect((await repository.get(path, 'admin')).headers.get('ETag')).toBe(changed.headers.get('ETag'));
  });

  it('is sent with every entity', async () => {
    const { path } = await fresh();
    for (const each of [path, '/taxonomy/term/1', '/user/1', `${path}?_format=json`])
      expect({ each, etag: (await repository.get(each, 'admin')).headers.get('ETag') }).toEqual({
        each,
        etag: expect.stringMatching(/^"/),
      });
  });
});

describe('a conditional GET', () => {
  it.each([
    ['If-None-Match', (etag: string) => etag, 304],
    ['If-None-Match', (etag: string) => `W/${etag}`, 304],
    ['If-None-Match', (etag: string) => `"x", ${etag}`, 304],
    ['If-None-Match', () => '*', 304],
    ['If-None-Match', () => '"x"', 200],
    ['If-None-Match', () => 'x', 200],
    ['If-Match', (etag: string) => etag, 200],
    ['If-Match', () => '*', 200],
    ['If-Match', () => '"x"', 412],
    ['If-Match', (etag: string) => `W/${etag}`, 412],
  ])('honours %s %p', async (name, value, status) => {
    const { path, etag } = await fresh();
    for (const method of ['GET', 'HEAD']) {
      const response = await repository.fetch(path, { method, as: 'admin', headers: { [name]: value(etag) } });
      expect(response.status).toBe(status);
      const body = await response.text();
      if (status === 304 || method === 'HEAD') expect(body).toBe('');
      if (status === 304) expect(response.headers.get('ETag')).toBe(etag);
    }
  });

  it('honours dates', async () => {
    const { path, modified } = await fresh();
    const read = (name: string, date: string) => repository.get(path, 'admin', { [name]: date });
    expect((await read('If-Modified-Since', modified)).status).toBe(304);
    expect((await read('If-Modified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT')).status).toBe(200);
    expect((await read('If-Modified-Since', 'yesterday')).status).toBe(200);
    expect((await read('If-Unmodified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT')).status).toBe(412);
  });

  it('by date returns 200 after a reference disappears with its target', async () => {
    const target = (await repository.node()).nid[0].value;
    const node = await repository.node({ field_member_of: [{ target_id: target }] });
    const path = `/node/${node.nid[0].value}`;
    const date = (await repository.get(path)).headers.get('Last-Modified') ?? '';
    expect((await repository.delete(`/node/${target}`, 'admin')).status).toBe(204);
    const response = await repository.get(path, undefined, { 'If-Modified-Since': date });
    expect(response.status).toBe(200);
    expect(response.headers.get('Last-Modified')).toBeNull();
    expect(((await response.json()) as EntityJson).field_member_of).toEqual([]);
  });

  it('is rejected without details for a caller without access', async () => {
    const hidden = await repository.node({ status: [{ value: false }] });
    const path = `/node/${hidden.nid[0].value}`;
    const etag = (await repository.get(path, 'admin')).headers.get('ETag') ?? '';
    expect((await repository.get(path, undefined, { 'If-None-Match': etag })).status).toBe(401);
  });
});

describe('a conditional write', () => {
  const writes = [
    [
      'PATCH',
      (path: string, headers: Record<string, string>) =>
        repository.patch(path, { type, title: [{ value: 'Other' }] }, 'admin', headers),
      200,
    ],
    ['DELETE', (path: string, headers: Record<string, string>) => repository.delete(path, 'admin', headers), 204],
  ] as const;

  it.each(writes)('by %s succeeds if nothing has changed', async (_method, write, status) => {
    const { path, etag, modified } = await fresh();
    expect((await write(path, { 'If-Match': `"x", ${etag}`, 'If-Unmodified-Since': modified })).status).toBe(status);
  });

  it.each(writes)('by %s returns 412 and does nothing after another change', async (_method, write) => {
    const { path, etag } = await fresh();
    const other = await repository.patch(path, { type, field_extent: [{ value: '1 p.' }] }, 'admin');
    const body = await other.text();
    for (const headers of [
      { 'If-Match': etag },
      { 'If-Match': `W/${etag}` },
      { 'If-Match': 'x' },
      { 'If-None-Match': '*' },
    ]) {
      const response = await write(path, headers as Record<string, string>);
      expect(response.status).toBe(412);
      expect(await response.json()).toEqual(STALE);
    }
    expect(await (await repository.get(path, 'admin')).text()).toBe(body);
  });

  it('succeeds for one of twenty with the same ETag', async () => {
    const { path, etag } = await fresh();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_each, at) =>
        repository.patch(path, { type, title: [{ value: `Title ${at}` }] }, 'admin', { 'If-Match': etag }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
    const winner = (await responses.find(({ status }) => status === 200)?.json()) as EntityJson;
    expect(await (await repository.get(path, 'admin')).json()).toEqual(winner);
  });
});

describe('simultaneous changes', () => {
  const FIELDS =
    'field_alt_title field_classification field_coordinates_text field_dewey_classification field_edition field_extent field_identifier field_isbn field_issue field_lcc_classification field_local_identifier field_oclc_number field_parent_publication_title field_pid field_place_published field_publisher field_volume field_description field_full_title field_edtf_date'.split(
      ' ',
    );

  it('of different fields are all kept, each as a revision', async () => {
    const { path } = await fresh();
    expect(FIELDS).toHaveLength(20);
    const responses = await Promise.all(
      FIELDS.map((field) => repository.patch(path, { type, [field]: [{ value: '2001' }] }, 'admin')),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const read = (await (await repository.get(path, 'admin')).json()) as EntityJson;
    for (const field of FIELDS) expect({ field, value: read[field] }).toEqual({ field, value: [{ value: '2001' }] });
    const revisions = (await (await repository.get(`${path}/revisions`, 'admin')).json()) as EntityJson[];
    expect(revisions).toHaveLength(21);
    const seen = await Promise.all(
      revisions.map(async ({ vid }) => {
        const view = await repository.get(`${path}/revisions/${vid[0].value}/view?_format=json`, 'admin');
        const entity = (await view.json()) as EntityJson;
        return FIELDS.filter((field) => entity[field].length > 0).length;
      }),
    );
    // Newest first, each with one field more than the one before it.
    expect(seen).toEqual(Array.from({ length: 21 }, (_each, at) => 20 - at));
  });

  it('of the same field keep one complete value', async () => {
    const { path } = await fresh();
    const lists = Array.from({ length: 20 }, (_each, at) => Array.from({ length: 5 }, () => ({ value: `${at}` })));
    const responses = await Promise.all(
      lists.map((list) => repository.patch(path, { type, field_identifier: list }, 'admin')),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const read = (await (await repository.get(path, 'admin')).json()) as EntityJson;
    expect(lists).toContainEqual(read.field_identifier);
  });

  it('and a deletion end with the node deleted', async () => {
    const { path } = await fresh();
    const patches = FIELDS.map((field) => repository.patch(path, { type, [field]: [{ value: '2001' }] }, 'admin'));
    const [removal, ...rest] = await Promise.all([repository.delete(path, 'admin'), ...patches]);
    expect(removal?.status).toBe(204);
    for (const { status } of rest) expect([200, 404]).toContain(status);
    expect((await repository.get(path, 'admin')).status).toBe(404);
  });

  it('with references to deleted nodes leave no reference to them', async () => {
    const targets = await Promise.all(Array.from({ length: 5 }, () => repository.node()));
    const nodes = await Promise.all(Array.from({ length: 5 }, () => repository.node()));
    const patches = nodes.map((node, at) => {
      const items = [{ target_id: targets[at]?.nid[0].value }];
      return repository.patch(`/node/${node.nid[0].value}`, { type, field_member_of: items }, 'admin');
    });
    const removals = targets.map(({ nid }) => repository.delete(`/node/${nid[0].value}`, 'admin'));
    const statuses = (await Promise.all([...patches, ...removals])).map(({ status }) => status);
    expect(statuses.slice(5)).toEqual(Array(5).fill(204));
    for (const status of statuses.slice(0, 5)) expect([200, 422]).toContain(status);
    for (const node of nodes) {
      const read = (await (await repository.get(`/node/${node.nid[0].value}`, 'admin')).json()) as EntityJson;
      expect(read.field_member_of).toEqual([]);
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: EntityJson;
let term: EntityJson;
let media: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  await repository.user('editor', 'content_editor');
  node = await repository.node({}, 'loader');
  const made = await repository.post('/taxonomy/term', { vid: 'tags', name: [{ value: 'x' }] }, 'loader');
  term = (await made.json()) as EntityJson;
  const video = { bundle: 'remote_video', field_media_oembed_video: [{ value: 'https://example.org/v' }] };
  media = (await (await repository.post('/entity/media', video, 'loader')).json()) as EntityJson;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const DATE = [{ value: '2001-02-03T04:05:06+00:00' }];
const TRUE = [{ value: true }];
const FALSE = [{ value: false }];
const NODES = "The 'administer nodes' permission is required.";
const PUBLISH = "The following permissions are required: 'administer node published status' OR 'administer nodes'.";

/** Fields that no caller may set: field, a value, and the message of a PATCH. A POST gives no reason. */
const NOBODY: ['node' | 'media' | 'term', field: string, value: unknown, reason: string][] = [
  ['node', 'nid', [{ value: 77 }], ' The entity ID cannot be changed.'],
  ['node', 'vid', [{ value: 7777 }], ''],
  ['node', 'changed', DATE, ''],
  ['node', 'revision_timestamp', DATE, ''],
  ['node', 'revision_uid', [{ target_id: 0 }], ''],
  ['media', 'mid', [{ value: 77 }], ' The entity ID cannot be changed.'],
  ['media', 'vid', [{ value: 7777 }], ''],
  ['media', 'changed', DATE, ''],
  ['term', 'tid', [{ value: 77777 }], ' The entity ID cannot be changed.'],
  ['term', 'revision_id', [{ value: 77777 }], ''],
  ['term', 'changed', DATE, ''],
];

const facts = () => ({
  node: { path: `/node/${node.nid[0].value}`, creates: '/node', bundle: { type: 'islandora_object' } },
  media: { path: `/media/${media.mid[0].value}`, creates: '/entity/media', bundle: { bundle: 'remote_video' } },
  term: { path: `/taxonomy/term/${term.tid[0].value}`, creates: '/taxonomy/term', bundle: { vid: 'tags' } },
});

async function refused(response: Response): Promise<string> {
  expect(response.status).toBe(403);
  return ((await response.json()) as EntityJson).message;
}

describe('a field that no caller may set', () => {
  it.each(NOBODY)('is refused on PATCH and POST: %s %s', async (kind, field, value, reason) => {
    const { path, creates, bundle } = facts()[kind];
    for (const as of ['loader', 'admin']) {
      const before = await (await repository.get(path, as)).text();
      expect(await refused(await repository.patch(path, { ...bundle, [field]: value }, as))).toBe(
        `Access denied on updating field '${field}'.${reason}`,
      );
      expect(await (await repository.get(path, as)).text()).toBe(before);
      expect(await refused(await repository.post(creates, { ...bundle, [field]: value }, as))).toBe(
        `Access denied on creating field '${field}'.`,
      );
    }
  });

  it.each(['node', 'media', 'term'] as const)('includes the UUID of an existing %s', async (kind) => {
    const { path, bundle } = facts()[kind];
    const body = { ...bundle, uuid: [{ value: '11111111-2222-4333-8444-555555555555' }] };
    expect(await refused(await repository.patch(path, body, 'admin'))).toBe(
      "Access denied on updating field 'uuid'. The entity UUID cannot be changed.",
    );
  });
});

describe('a field of a node that requires a permission', () => {
  it.each([
    ['created', DATE, NODES],
    ['uid', [{ target_id: 1 }], NODES],
    ['promote', FALSE, NODES],
    ['sticky', TRUE, NODES],
    ['status', FALSE, PUBLISH],
  ])('can be set only with the permission: %s', async (field, value, reason) => {
    const path = `/node/${node.nid[0].value}`;
    const body = { type: 'islandora_object', [field]: value };
    expect(await refused(await repository.patch(path, body, 'loader'))).toBe(
      `Access denied on updating field '${field}'. ${reason}`,
    );
    expect(await refused(await repository.post('/node', body, 'loader'))).toBe(
      `Access denied on creating field '${field}'.`,
    );
    const made = await repository.node({ [field]: value });
    expect(made[field][0]).toMatchObject((value as object[])[0] as object);
    const changed = await repository.patch(`/node/${(await repository.node()).nid[0].value}`, body, 'admin');
    expect(changed.status).toBe(200);
    expect(((await changed.json()) as EntityJson)[field][0]).toMatchObject((value as object[])[0] as object);
  });

  it('can be sent unchanged by any caller who may change the node', async () => {
    const path = `/node/${node.nid[0].value}`;
    const read = (await (await repository.get(path, 'loader')).json()) as EntityJson;
    const response = await repository.patch(path, { ...read, title: [{ value: 'Changed' }] }, 'loader');
    expect(response.status).toBe(200);
    const changed = (await response.json()) as EntityJson;
    expect(changed.title).toEqual([{ value: 'Changed' }]);
    for (const name of ['created', 'uid', 'promote', 'sticky', 'status', 'path', 'uuid', 'nid'])
      expect(changed[name]).toEqual(read[name]);
  });
});

describe('owner, creation and state of a media', () => {
  it('can be set by callers who may change it', async () => {
    const { path, bundle } = facts().media;
    const body = { ...bundle, uid: [{ target_id: 1 }], created: DATE, status: FALSE };
    const made = await repository.post(
      '/entity/media',
      { ...body, field_media_oembed_video: [{ value: 'https://example.org/w' }] },
      'loader',
    );
    expect(made.status).toBe(201);
    expect((await repository.patch(path, { ...bundle, created: DATE, status: FALSE }, 'loader')).status).toBe(200);
    const read = (await (await repository.get(path, 'admin')).json()) as EntityJson;
    expect(read.status).toEqual(FALSE);
    expect(read.created[0].value).toBe('2001-02-03T04:05:06+00:00');
  });
});

describe('the bundle of existing content', () => {
  it('stays the same when a PATCH names another', async () => {
    const path = `/node/${node.nid[0].value}`;
    const before = await (await repository.get(path, 'admin')).text();
    const response = await repository.patch(path, { type: [{ target_id: 'page' }] }, 'admin');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(before);
  });

  it('allows no field of another bundle', async () => {
    const path = `/node/${node.nid[0].value}`;
    const response = await repository.patch(path, { type: 'page', body: [{ value: 'x' }] }, 'admin');
    expect(response.status).toBe(422);
    expect(((await response.json()) as EntityJson).message).toStartWith('Field "body" is unknown.');
  });
});

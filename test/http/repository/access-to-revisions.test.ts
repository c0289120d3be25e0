import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** A role that changes all items and media and reads their history, and may neither publish nor see hidden ones. */
const MODEL = `
roles:
  reviser:
    label: Reviser
    permissions:
      - access content
      - view media
      - view own unpublished content
      - edit any islandora_object content
      - update any media
      - view all revisions
      - revert all revisions
      - view all media revisions
`;
const HTML = { Accept: 'text/html' };

let repository: TestRepository;
let reviser: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  reviser = await repository.user('reviser', 'reviser');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const patch = async (path: string, body: object, as = 'admin') => {
  const response = await repository.patch(`${path}?_format=json`, body, as);
  expect(response.status).toBe(200);
  return (await response.json()) as EntityJson;
};
const vidOf = ({ vid }: EntityJson) => vid[0].value as number;

/** An item that was unpublished with a secret title, and is published now. Returns its path, and the ids of its revisions. */
async function published(uid = 1): Promise<{ path: string; hidden: number; open: number }> {
  const node = await repository.node({ title: ['A secret name'], status: [false], uid: [uid] }, 'admin');
  const path = `/node/${node.nid[0].value}`;
  const now = await patch(path, {
    type: 'islandora_object',
    title: ['A title'],
    status: [true],
    revision_log: ['Published'],
  });
  return { path, hidden: vidOf(node), open: vidOf(now) };
}

/** A media whose earlier revision belongs to a hidden node, and that is moved to a published one. */
async function moved(): Promise<{ path: string; hidden: number; open: number }> {
  const [secret, open] = [await repository.node({ status: [false] }), await repository.node()];
  const body = { bundle: 'remote_video', field_media_oembed_video: ['https://example.org/secret'] };
  const made = await repository.post(
    '/entity/media?_format=json',
    { ...body, name: ['A secret name'], field_media_of: [secret.nid[0].value] },
    'admin',
  );
  const media = (await made.json()) as EntityJson;
  const path = `/media/${media.mid[0].value}`;
  const now = await patch(path, { bundle: 'remote_video', name: ['A title'], field_media_of: [open.nid[0].value] });
  return { path, hidden: vidOf(media), open: vidOf(now) };
}

/** A media that was unpublished. */
async function unpublished(): Promise<{ path: string; hidden: number; open: number }> {
  const body = { bundle: 'remote_video', field_media_oembed_video: ['https://example.org/secret'] };
  const made = await repository.post(
    '/entity/media?_format=json',
    { ...body, name: ['A secret name'], status: [false] },
    'admin',
  );
  const media = (await made.json()) as EntityJson;
  const path = `/media/${media.mid[0].value}`;
  const now = await patch(path, { bundle: 'remote_video', name: ['A title'], status: [true] });
  return { path, hidden: vidOf(media), open: vidOf(now) };
}

describe.each([
  ['an item that was unpublished', published],
  ['a media of an item that is hidden', moved],
  ['a media that was unpublished', unpublished],
] as const)('an earlier revision of %s', (_, make) => {
  it('is readable with the right to view it as it was', async () => {
    const { path, hidden, open } = await make();
    for (const headers of [{}, HTML] as Record<string, string>[]) {
      const read = (vid: number, as: string) => repository.get(`${path}/revisions/${vid}/view`, as, headers);
      expect((await read(open, 'reviser')).status).toBe(200);
      const refused = await read(hidden, 'reviser');
      expect(refused.status).toBe(403);
      expect(await refused.text()).not.toContain('secret');
      expect((await read(hidden, 'admin')).status).toBe(200);
    }
  });

  it('is compared with that right', async () => {
    const { path, hidden, open } = await make();
    for (const query of [`left=${hidden}&right=${open}`, `left=${hidden}`, `right=${hidden}`]) {
      const refused = await repository.get(`${path}/revisions?${query}`, 'reviser', HTML);
      expect(refused.status).toBe(403);
      expect(await refused.text()).not.toContain('secret');
      expect((await repository.get(`${path}/revisions?${query}`, 'admin', HTML)).status).toBe(200);
    }
  });

  it('is restored with that right', async () => {
    const { path, hidden } = await make();
    expect((await repository.post(`${path}/revisions/${hidden}/revert`, '', 'reviser')).status).toBe(403);
    expect((await repository.post(`${path}/revisions/${hidden}/revert`, '', 'admin')).status).toBe(200);
  });
});

describe('the history of an item that was unpublished', () => {
  it('lists the revision without its message, link and choice', async () => {
    const node = await repository.node({ title: ['A title'], status: [false] });
    const path = `/node/${node.nid[0].value}`;
    const hidden = await patch(path, { type: 'islandora_object', revision_log: ['A secret reason'] });
    const open = await patch(path, { type: 'islandora_object', status: [true] });
    const lines = (await (await repository.get(`${path}/revisions?_format=json`, 'reviser')).json()) as EntityJson[];
    expect(lines.map(({ vid, revision_log }) => [vid[0].value, revision_log])).toEqual(
      [open, hidden, node].map((revision) => [vidOf(revision), []]),
    );
    const html = await (await repository.get(`${path}/revisions`, 'reviser', HTML)).text();
    expect(html).not.toContain('secret');
    const links = elementsOf(html, '.revisions td a[href$="/view"]').map(({ attributes }) => attributes.href);
    expect(links).toEqual([`${path}/revisions/${vidOf(open)}/view`]);
    expect(elementsOf(html, '.revisions input')).toEqual([]);
    const all = (await (await repository.get(`${path}/revisions?_format=json`, 'admin')).json()) as EntityJson[];
    expect(all[1]?.revision_log).toEqual([{ value: 'A secret reason' }]);
  });

  it('belongs to its owner at that time', async () => {
    const { path, hidden } = await published(reviser);
    expect((await repository.get(`${path}/revisions/${hidden}/view`, 'reviser')).status).toBe(200);
  });
});

describe('a revert by a user who may not publish', () => {
  it('restores the texts, and keeps status, owner and dates', async () => {
    const node = await repository.node({ title: ['First'], promote: [true], created: ['2001-02-03T04:05:06+00:00'] });
    const path = `/node/${node.nid[0].value}`;
    const now = await patch(path, {
      type: 'islandora_object',
      ...{ title: ['Second'], status: [false], uid: [reviser], promote: [false] },
      created: ['2011-02-03T04:05:06+00:00'],
    });
    const revert = await repository.post(`${path}/revisions/${vidOf(node)}/revert`, '', 'reviser');
    expect(revert.status).toBe(200);
    const back = (await revert.json()) as EntityJson;
    expect(back.title).toEqual([{ value: 'First' }]);
    for (const name of ['status', 'uid', 'promote', 'created']) expect([name, back[name]]).toEqual([name, now[name]]);
    expect((await repository.get(path)).status).toBe(401);
  });

  it('does not unpublish', async () => {
    const { path, hidden } = await published(reviser);
    const revert = await repository.post(`${path}/revisions/${hidden}/revert`, '', 'reviser');
    expect(((await revert.json()) as EntityJson).status).toEqual([{ value: true }]);
    const byAdmin = await repository.post(`${path}/revisions/${hidden}/revert`, '', 'admin');
    expect(((await byAdmin.json()) as EntityJson).status).toEqual([{ value: false }]);
  });
});

describe('a revert of a field that the caller may not set', () => {
  it('keeps a text whose earlier format the caller may not use', async () => {
    const text = (value: string, format: string) => [{ value, format }];
    const node = await repository.node({ field_abstract: text('<p>first</p>', 'restricted_html') });
    const path = `/node/${node.nid[0].value}`;
    const now = await patch(path, { type: 'islandora_object', field_abstract: text('second', 'basic_html') });
    const revert = await repository.post(`${path}/revisions/${vidOf(node)}/revert`, '', 'reviser');
    expect(((await revert.json()) as EntityJson).field_abstract).toEqual(now.field_abstract);
  });

  it('keeps a media away from an item that the caller may not update', async () => {
    const page = await repository.post(
      '/node?_format=json',
      { type: 'page', title: ['A page'], status: [true] },
      'admin',
    );
    const foreign = ((await page.json()) as EntityJson).nid[0].value;
    const open = (await repository.node()).nid[0].value;
    const body = { bundle: 'remote_video', name: ['First'], field_media_oembed_video: ['https://example.org/v'] };
    const made = await repository.post('/entity/media?_format=json', { ...body, field_media_of: [foreign] }, 'admin');
    const media = (await made.json()) as EntityJson;
    const path = `/media/${media.mid[0].value}`;
    await patch(path, { bundle: 'remote_video', name: ['Second'], field_media_of: [open] });
    const revert = await repository.post(`${path}/revisions/${vidOf(media)}/revert`, '', 'reviser');
    const back = (await revert.json()) as EntityJson;
    expect(back.name).toEqual([{ value: 'First' }]);
    expect(back.field_media_of[0].target_id).toBe(open);
  });
});

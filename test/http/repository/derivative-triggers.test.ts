import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, pngHead, putToNode, readJson, uploadFile } from '../../support/binaries.ts';
import {
  contentOf,
  type DerivativeSite,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { USE } from '../../support/site-builder.ts';
import { describedSource, type StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { nextSecond, until } from '../../support/until.ts';

const SERVICE = 'image_generate_a_service_file_from_an_original_file';
const THUMBNAIL = 'image_generate_a_thumbnail_from_an_original_file';
const METADATA = 'generate_a_technical_metadata_derivative';
const OF_IMAGES = [METADATA, SERVICE, THUMBNAIL].sort();

let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
beforeAll(async () => {
  site = await startDerivativeSite();
  ({ repository, stub } = site);
});
afterEach(() => {
  expect(stub.problems).toEqual([]);
  expect(stub.overlaps).toEqual([]);
  expect(repository.failures()).toEqual([]);
  stub.answer = describedSource;
  stub.calls.length = 0;
});
afterAll(() => site.stop());

/** The actions of the jobs that a change leaves behind, once they are done. */
async function madeBy(node: EntityJson, change: () => Promise<unknown>): Promise<string[]> {
  await settled(repository, node);
  const before = (await jobsOf(repository, node)).length;
  await change();
  return (await settled(repository, node))
    .slice(before)
    .map(({ action }) => action)
    .sort();
}

/** An image on a node of its own, with its derivatives. */
async function image(name: string): Promise<{ node: EntityJson; media: EntityJson; path: string }> {
  const node = await repository.node();
  const media = await createMedia(repository, {
    node,
    uri: `public://triggers/${name}.png`,
    body: pngHead(2, 2, 'old'),
  });
  await settled(repository, node);
  return { node, media, path: `/media/${media.mid[0].value}` };
}

const serviceText = async (node: EntityJson) =>
  contentOf(repository, (await mediaByUse(repository, node)).get(USE.service) as EntityJson);
const patch = async (path: string, fields: EntityJson, bundle = 'image') => {
  const response = await repository.patch(
    `${path}?_format=json`,
    { bundle: [{ target_id: bundle }], ...fields },
    'admin',
  );
  expect(response.status).toBe(200);
};
const post = async (fields: EntityJson) => {
  const response = await repository.post('/entity/media?_format=json', fields, 'admin');
  expect(response.status).toBe(201);
  return (await response.json()) as EntityJson;
};
async function imageFields(fid: number, node?: EntityJson, use = USE.original): Promise<EntityJson> {
  return {
    bundle: [{ target_id: 'image' }],
    field_media_image: [{ target_id: fid, alt: 'x' }],
    field_media_use: [{ target_id: await repository.termId(use) }],
    ...(node && { field_media_of: [{ target_id: node.nid[0].value }] }),
  };
}

describe('derivatives', () => {
  it('are created when a media is posted for an uploaded file', async () => {
    const node = await repository.node();
    const file = await uploadFile(repository, 'posted.png', pngHead(2, 2, 'posted'));
    expect(await madeBy(node, async () => post(await imageFields(file.fid[0].value, node)))).toEqual(OF_IMAGES);
    expect(await serviceText(node)).toEndWith('posted');
  });

  it('are created when a media gets another file', async () => {
    const { node, path } = await image('patched');
    const file = await uploadFile(repository, 'other.png', pngHead(2, 2, 'other'));
    const change = () => patch(path, { field_media_image: [{ target_id: file.fid[0].value, alt: 'x' }] });
    expect(await madeBy(node, change)).toEqual(OF_IMAGES);
    expect(await serviceText(node)).toEndWith('other');
  });

  it('are created when a file gets other bytes through its node or media', async () => {
    const { node, path } = await image('bytes');
    const throughNode = async () =>
      expect((await putToNode(repository, { node, uri: undefined, body: pngHead(2, 2, 'new') })).status).toBe(204);
    expect(await madeBy(node, throughNode)).toEqual(OF_IMAGES);
    expect(await serviceText(node)).toEndWith('new');
    const throughMedia = async () => {
      const headers = { 'Content-Type': 'image/png' };
      const response = await repository.put(`${path}/source`, pngHead(2, 2, 'newer'), headers, 'admin');
      expect(response.status).toBe(204);
    };
    expect(await madeBy(node, throughMedia)).toEqual(OF_IMAGES);
    expect(await serviceText(node)).toEndWith('newer');
  });

  it('are created when a media is reverted to a revision with another file', async () => {
    const { node, media, path } = await image('reverted');
    const file = await uploadFile(repository, 'later.png', pngHead(2, 2, 'later'));
    await patch(path, { field_media_image: [{ target_id: file.fid[0].value, alt: 'x' }] });
    await settled(repository, node);
    expect(await serviceText(node)).toEndWith('later');
    const revert = async () => {
      const response = await repository.post(`${path}/revisions/${media.vid[0].value}/revert`, '', 'admin');
      expect(response.status).toBe(200);
    };
    expect(await madeBy(node, revert)).toEqual(OF_IMAGES);
    expect(await serviceText(node)).toEndWith('old');
  });

  it('are created for both nodes whose media share a changed file', async () => {
    const [first, second] = [await repository.node(), await repository.node()];
    const made = await createMedia(repository, {
      node: first,
      uri: 'public://shared/a.png',
      body: pngHead(2, 2, 'old'),
    });
    await post(await imageFields(made.field_media_image[0].target_id, second));
    await settled(repository);
    await putToNode(repository, { node: first, uri: undefined, body: pngHead(2, 2, 'shared') });
    await settled(repository);
    expect([await serviceText(first), await serviceText(second)].map((text) => text.slice(-6))).toEqual([
      'shared',
      'shared',
    ]);
  });
});

describe('a source that gets bytes of another type', () => {
  it('gets the derivatives of that type even if the bytes are the same', async () => {
    const { node, path } = await image('renamed');
    const change = () =>
      repository.put(`${path}/source`, pngHead(2, 2, 'old'), { 'Content-Type': 'image/bmp' }, 'admin');
    expect(await madeBy(node, change)).toContain(METADATA);
  });

  it('cancels running jobs that do not apply to the new type', async () => {
    const gate = Promise.withResolvers<void>();
    stub.answer = async (call) => {
      await gate.promise;
      return describedSource(call);
    };
    const node = await repository.node();
    const put = (contentType: string, body: string) =>
      putToNode(repository, { node, type: 'file', uri: 'public://triggers/a.tif', contentType, body });
    expect((await put('image/tiff', 'image')).status).toBe(201);
    await until(() => stub.calls.length === OF_IMAGES.length, { what: 'all of it is being made' });
    const told = repository.log.length;
    expect((await put('text/plain', 'text')).status).toBe(204);
    gate.resolve();
    const jobs = await settled(repository, node);
    expect(jobs.map(({ action, state }) => [action, state]).sort()).toEqual([
      [METADATA, 'done'],
      [SERVICE, 'cancelled'],
      [THUMBNAIL, 'cancelled'],
    ]);
    const letGo = () => repository.log.slice(told).filter(({ msg }) => String(msg).includes(': released: '));
    await until(() => letGo().length === OF_IMAGES.length, { what: 'all that had begun is stopped' });
    expect((await mediaByUse(repository, node)).has(USE.service)).toBe(false);
  });
});

describe('no derivative', () => {
  it.each([
    ['the name of a media changes', { name: [{ value: 'Another name' }] }],
    ['a media is unpublished', { status: [{ value: false }] }],
  ])('is created when %s', async (_, fields) => {
    const { node, path } = await image('same');
    expect(await madeBy(node, () => patch(path, fields))).toEqual([]);
  });

  it('is created when the alternative text of a file changes', async () => {
    const { node, media, path } = await image('alt');
    const target_id = media.field_media_image[0].target_id;
    expect(await madeBy(node, () => patch(path, { field_media_image: [{ target_id, alt: 'other words' }] }))).toEqual(
      [],
    );
    expect((await readJson(repository, path)).field_media_image[0].alt).toBe('other words');
  });

  it('is created or found missing when a file gets its own bytes again', async () => {
    const { node, media, path } = await image('again');
    const body = pngHead(2, 2, 'old');
    const file = `/entity/file/${media.field_media_image[0].target_id}`;
    const { changed } = await readJson(repository, file);
    await nextSecond();
    const throughMedia = () => repository.put(`${path}/source`, body, { 'Content-Type': 'image/png' }, 'admin');
    expect(await madeBy(node, () => putToNode(repository, { node, uri: undefined, body }))).toEqual([]);
    expect(await madeBy(node, throughMedia)).toEqual([]);
    expect((await readJson(repository, file)).changed).toEqual(changed);
    const scan = { node: node.nid[0].value };
    const scanned = await repository.post('/admin/reports/derivatives/scan?_format=json', scan, 'admin');
    expect(await scanned.json()).toMatchObject({ scanned: 4, queued: 0 });
  });

  it('is outdated once its own bytes are put again', async () => {
    const { node } = await image('confirmed');
    const service = (await mediaByUse(repository, node)).get(USE.service) as EntityJson;
    const fid = service.field_media_image[0].target_id;
    const path = `/media/${service.mid[0].value}/source`;
    const file = await repository.get(new URL(service.field_media_image[0].url).pathname, 'admin');
    const bytes = await file.bytes();
    await repository.running.services.database.write([
      { sql: 'UPDATE file SET changed = changed - 100 WHERE id = ?', args: [fid] },
    ]);
    const scan = async () => {
      const options = { node: node.nid[0].value, dry_run: true };
      const response = await repository.post('/admin/reports/derivatives/scan?_format=json', options, 'admin');
      return ((await response.json()) as EntityJson).queued;
    };
    expect(await scan()).toBe(1);
    expect((await repository.put(path, bytes, { 'Content-Type': 'image/jpeg' }, 'admin')).status).toBe(204);
    expect(await scan()).toBe(0);
  });

  it('is created when the title of a node changes', async () => {
    const { node } = await image('title');
    const body = { type: [{ target_id: 'islandora_object' }], title: [{ value: 'Another title' }] };
    const change = () => repository.patch(`/node/${node.nid[0].value}?_format=json`, body, 'admin');
    expect(await madeBy(node, change)).toEqual([]);
  });

  it('is created when a media is reverted to a revision with the same file', async () => {
    const { node, media, path } = await image('same-file');
    await patch(path, { name: [{ value: 'Another name' }] });
    const revert = () => repository.post(`${path}/revisions/${media.vid[0].value}/revert`, '', 'admin');
    expect(await madeBy(node, revert)).toEqual([]);
  });

  it('is created for a media without a node', async () => {
    const before = (await jobsOf(repository)).length;
    const file = await uploadFile(repository, 'alone.png', pngHead(2, 2));
    await post(await imageFields(file.fid[0].value));
    expect(await jobsOf(repository)).toHaveLength(before);
  });

  it('is created for a file with another use', async () => {
    const node = await repository.node();
    await createMedia(repository, { node, use: USE.service, uri: 'public://uses/a.jpg', body: pngHead(2, 2) });
    expect(await jobsOf(repository, node)).toEqual([]);
  });
});

describe('the rules', () => {
  it('create only technical metadata for an image of another model', async () => {
    const model = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
    const node = await repository.node({ field_model: [{ target_id: model }] });
    const made = await madeBy(node, () =>
      createMedia(repository, { node, uri: 'public://models/a.png', body: pngHead(2, 2) }),
    );
    expect(made).toEqual([METADATA]);
  });

  it('skip commands that cannot read the type', async () => {
    const node = await repository.node();
    const put = () =>
      createMedia(repository, {
        node,
        type: 'file',
        uri: 'public://types/a.xml',
        contentType: 'image/svg+xml',
        body: '<svg/>',
      });
    expect(await madeBy(node, put)).toEqual([METADATA]);
  });
});

describe('a failed change', () => {
  async function refused(node: EntityJson, change: () => Promise<Response>, status: number): Promise<void> {
    const before = await jobsOf(repository, node);
    expect((await change()).status).toBe(status);
    expect(await jobsOf(repository, node)).toEqual(before);
  }

  it('leaves no job if If-Match fails', async () => {
    const { node, path } = await image('expected');
    const headers = { 'Content-Type': 'image/png', 'If-Match': '"another"' };
    await refused(node, () => repository.put(`${path}/source`, 'x', headers, 'admin'), 412);
    const file = await uploadFile(repository, 'unexpected.png', pngHead(2, 2));
    const body = {
      bundle: [{ target_id: 'image' }],
      field_media_image: [{ target_id: file.fid[0].value, alt: 'x' }],
    };
    await refused(
      node,
      () => repository.patch(`${path}?_format=json`, body, 'admin', { 'If-Match': '"another"' }),
      412,
    );
  });

  it('leaves no job if a value is invalid', async () => {
    const node = await repository.node();
    const file = await uploadFile(repository, 'refused.png', pngHead(2, 2));
    const fields = { ...(await imageFields(file.fid[0].value, node)), name: [{ value: 'x'.repeat(300) }] };
    await refused(node, () => repository.post('/entity/media?_format=json', fields, 'admin'), 422);
    await refused(node, () => putToNode(repository, { node, uri: 'public://refused/a.exe', body: 'x' }), 400);
  });

  it('leaves no job if the digest of the bytes differs', async () => {
    const node = await repository.node();
    const digest = `sha-256=:${Buffer.alloc(32).toString('base64')}:`;
    const put = () =>
      putToNode(repository, { node, uri: 'public://digest/a.png', body: 'x', headers: { 'Repr-Digest': digest } });
    await refused(node, put, 400);
  });

  it('stores nothing if its job cannot be written', async () => {
    const { database } = repository.running.services;
    const node = await repository.node();
    await database.write([
      {
        sql: `CREATE TRIGGER refuse BEFORE INSERT ON derivative_job WHEN NEW.node_id = ${node.nid[0].value}
          BEGIN SELECT RAISE(ABORT, 'refused'); END`,
        args: [],
      },
    ]);
    await refused(node, () => putToNode(repository, { node, uri: 'public://trigger/a.png', body: 'x' }), 500);
    await database.write([{ sql: 'DROP TRIGGER refuse', args: [] }]);
    expect(await mediaByUse(repository, node)).toBeEmpty();
    expect(repository.failures()).toHaveLength(1);
    repository.log.length = 0;
  });
});

describe('removed content', () => {
  it.each(['node', 'media'])('has no open jobs: %s', async (what) => {
    const node = await repository.node();
    stub.answer = () => ({ status: 503, headers: { 'Retry-After': '1' }, type: 'text/plain', body: 'Full.' });
    const media = await createMedia(repository, { node, uri: `public://removed/${what}.png`, body: pngHead(2, 2) });
    expect((await jobsOf(repository, node)).filter(({ state }) => state === 'queued')).toHaveLength(3);
    const path = what === 'node' ? `/node/${node.nid[0].value}` : `/media/${media.mid[0].value}`;
    expect((await repository.delete(`${path}?_format=json`, 'admin')).status).toBe(204);
    expect(await jobsOf(repository, node)).toEqual([]);
  });
});

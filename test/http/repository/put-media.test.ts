import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import {
  createMedia,
  fileOf,
  pngHead,
  putToNode,
  readJson,
  settledFiles,
  stock,
  uploadFile,
} from '../../support/binaries.ts';
import { USE } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: EntityJson;
let original: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  node = await repository.node();
  original = await repository.termId(USE.original);
});
afterAll(() => repository.stop());

const sha256 = (bytes: Uint8Array | string) => new Bun.CryptoHasher('sha256').update(bytes).digest('base64');
const mediaPath = (response: Response) => new URL(response.headers.get('location') as string).pathname;

describe('PUT of bytes to a node', () => {
  it('creates a file and a media, and returns 201 with the media address', async () => {
    const item = await repository.node();
    const body = pngHead(40, 30);
    const response = await putToNode(repository, { node: item, uri: 'public://a/b/picture.png', body });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('');
    const location = response.headers.get('location') as string;
    expect(location).toMatch(new RegExp(`^${repository.url}/media/\\d+$`));

    const media = await readJson(repository, mediaPath(response));
    const file = await fileOf(repository, media);
    const url = '/sites/default/files/a/b/picture.png';
    const picture = {
      target_id: file.fid[0].value,
      alt: 'picture.png',
      title: null,
      width: 40,
      height: 30,
      target_type: 'file',
      target_uuid: file.uuid[0].value,
      url: `${repository.url}${url}`,
    };
    expect(media).toMatchObject({
      bundle: [{ target_id: 'image', target_type: 'media_type' }],
      langcode: [{ value: 'en' }],
      status: [{ value: true }],
      uid: [{ target_id: 1 }],
      name: [{ value: 'picture.png' }],
      field_media_of: [{ target_id: item.nid[0].value, target_type: 'node', url: `/node/${item.nid[0].value}` }],
      field_media_use: [{ target_id: original, target_type: 'taxonomy_term' }],
      field_mime_type: [{ value: 'image/png' }],
      field_file_size: [{ value: body.byteLength }],
      field_width: [{ value: 40 }],
      field_height: [{ value: 30 }],
    });
    expect(media.field_media_image).toEqual([picture]);
    expect(media.thumbnail).toEqual([picture]);
    expect(Object.keys(media.field_media_image[0])).toEqual(Object.keys(picture));
    expect(file).toMatchObject({
      uid: [{ target_id: 1 }],
      langcode: [{ value: 'en' }],
      filename: [{ value: 'picture.png' }],
      uri: [{ value: 'public://a/b/picture.png', url }],
      filemime: [{ value: 'image/png' }],
      filesize: [{ value: body.byteLength }],
      status: [{ value: true }],
    });
    const bytes = await repository.get(url);
    expect(Buffer.from(await bytes.arrayBuffer()).equals(body)).toBe(true);
    expect(bytes.headers.get('repr-digest')).toBe(`sha-256=:${sha256(body)}:`);
  });

  it('replaces the bytes of a media that matches, and keeps URI and file', async () => {
    const item = await repository.node();
    const media = await createMedia(repository, { node: item, uri: 'public://kept.png', body: pngHead(10, 20) });
    const before = await fileOf(repository, media);
    const beforeBytes = await repository.get(before.uri[0].url);
    const objects = await settledFiles(repository);
    const body = pngHead(300, 200, 'more');
    const response = await putToNode(repository, {
      node: item,
      uri: 'public://elsewhere/other.jpg',
      body,
      contentType: 'image/jpeg; q=1',
    });
    expect({
      status: response.status,
      location: response.headers.get('location'),
      body: await response.text(),
    }).toEqual({ status: 204, location: null, body: '' });

    const after = await readJson(repository, `/media/${media.mid[0].value}`);
    const file = await fileOf(repository, after);
    expect(file).toMatchObject({
      fid: before.fid,
      uuid: before.uuid,
      uri: before.uri,
      filename: before.filename,
      filemime: [{ value: 'image/jpeg' }],
      filesize: [{ value: body.byteLength }],
    });
    expect(after).toMatchObject({
      field_mime_type: [{ value: 'image/jpeg' }],
      field_file_size: [{ value: body.byteLength }],
      field_width: [{ value: 300 }],
      field_height: [{ value: 200 }],
      field_media_image: [{ width: 300, height: 200, alt: 'kept.png' }],
      thumbnail: [{ width: 300, height: 200 }],
    });
    expect(after.vid[0].value).toBeGreaterThan(media.vid[0].value);
    const bytes = await repository.get(file.uri[0].url);
    expect(Buffer.from(await bytes.arrayBuffer()).equals(body)).toBe(true);
    expect(bytes.headers.get('content-type')).toBe('image/jpeg');
    expect(bytes.headers.get('etag')).not.toBe(beforeBytes.headers.get('etag'));
    expect(bytes.headers.get('repr-digest')).toBe(`sha-256=:${sha256(body)}:`);

    const now = await settledFiles(repository);
    expect(now.length).toBe(objects.length);
    expect(now.filter((path) => !objects.includes(path))).toHaveLength(1);
  });

  it('creates another media for another use, type or node', async () => {
    const [item, other] = [await repository.node(), await repository.node()];
    const put = (target: EntityJson, use: string, type: string, uri: string) =>
      putToNode(repository, { node: target, use, type, uri, body: 'x', contentType: 'text/plain' });
    const answers = [
      await put(item, USE.original, 'file', 'public://own.txt'),
      await put(item, USE.service, 'file', 'public://own.txt'),
      await put(item, USE.original, 'document', 'public://own.txt'),
      await put(other, USE.original, 'file', 'public://own.txt'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const fields = ['field_media_file', 'field_media_file', 'field_media_document', 'field_media_file'];
    const files = await Promise.all(
      answers.map(async (answer, index) =>
        fileOf(repository, await readJson(repository, mediaPath(answer)), fields[index]),
      ),
    );
    expect(files.map((file) => file.uri[0].value)).toEqual([
      'public://own.txt',
      'public://own_0.txt',
      'public://own_1.txt',
      'public://own_2.txt',
    ]);
    expect(files.map((file) => file.filename[0].value)).toEqual(['own.txt', 'own_0.txt', 'own_1.txt', 'own_2.txt']);
  });

  it('accepts any term as the use', async () => {
    const term = (await (
      await repository.post(
        '/taxonomy/term?_format=json',
        { vid: [{ target_id: 'tags' }], name: [{ value: 'Odd' }] },
        'admin',
      )
    ).json()) as EntityJson;
    const path = `/node/${node.nid[0].value}/media/file/${term.tid[0].value}`;
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': 'public://odd.txt' };
    const response = await repository.put(path, 'x', headers, 'admin');
    expect(response.status).toBe(201);
    expect((await repository.put(path, 'y', headers, 'admin')).status).toBe(204);
    const media = await readJson(repository, mediaPath(response));
    expect(media.field_media_use[0].target_id).toBe(term.tid[0].value);
  });

  it('ignores Content-Location when it replaces bytes', async () => {
    const item = await repository.node();
    await createMedia(repository, { node: item, uri: 'public://heeds.png', body: pngHead(1, 1) });
    for (const uri of [undefined, 'nonsense', 'public://../x'])
      expect((await putToNode(repository, { node: item, uri, body: pngHead(2, 2) })).status).toBe(204);
  });

  it('honours If-Match and If-None-Match', async () => {
    const item = await repository.node();
    const put = (headers: Record<string, string>) =>
      putToNode(repository, { node: item, uri: 'public://cond.png', body: pngHead(1, 1), headers });
    expect((await put({ 'If-Match': '*' })).status).toBe(412);
    const before = await stock(repository);
    expect((await put({ 'If-Match': '"stale"' })).status).toBe(412);
    expect(await stock(repository)).toEqual(before);
    const created = await put({ 'If-None-Match': '*' });
    expect(created.status).toBe(201);
    const filled = await stock(repository);
    expect((await put({ 'If-None-Match': '*' })).status).toBe(412);
    expect((await put({ 'If-Match': '"stale"' })).status).toBe(412);
    expect(await stock(repository)).toEqual(filled);
    const etag = (await repository.get(`${mediaPath(created)}?_format=json`, 'admin')).headers.get('etag') as string;
    expect((await put({ 'If-Match': etag })).status).toBe(204);
    expect((await put({ 'If-Match': etag })).status).toBe(412);
  });
});

describe('PUT of the source of a media', () => {
  it('replaces its bytes without a Content-Location', async () => {
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://src.png',
      body: pngHead(1, 2),
    });
    const path = `/media/${media.mid[0].value}/source`;
    const response = await repository.put(path, pngHead(3, 4), { 'Content-Type': 'image/png' }, 'admin');
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 204, body: '' });
    const after = await readJson(repository, `/media/${media.mid[0].value}`);
    expect(after).toMatchObject({ field_width: [{ value: 3 }], field_height: [{ value: 4 }] });
    expect(after.field_media_image[0].target_id).toBe(media.field_media_image[0].target_id);
  });

  it('removes width and height if the new bytes are no image', async () => {
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://none.png',
      body: pngHead(1, 2),
    });
    const path = `/media/${media.mid[0].value}`;
    expect((await repository.put(`${path}/source`, 'text', { 'Content-Type': 'image/png' }, 'admin')).status).toBe(204);
    const after = await readJson(repository, path);
    expect(after).toMatchObject({ field_width: [], field_height: [], field_file_size: [{ value: 4 }] });
    expect(after.field_media_image[0]).toMatchObject({ width: null, height: null });
  });

  it('resets the media name to the file name, and keeps other fields', async () => {
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://named.png',
      body: pngHead(1, 2),
    });
    const path = `/media/${media.mid[0].value}`;
    const change = {
      bundle: [{ target_id: 'image' }],
      name: [{ value: 'Harbour' }],
      field_media_image: [{ target_id: media.field_media_image[0].target_id, alt: 'Ships' }],
    };
    expect((await repository.patch(`${path}?_format=json`, change, 'admin')).status).toBe(200);
    expect(
      (await repository.put(`${path}/source`, pngHead(5, 6), { 'Content-Type': 'image/png' }, 'admin')).status,
    ).toBe(204);
    const after = await readJson(repository, path);
    expect(after.name).toEqual([{ value: 'named.png' }]);
    expect(after.field_media_image[0]).toMatchObject({ alt: 'Ships', width: 5 });
  });

  it.each([
    ['an anonymous caller', undefined, 401, 'No authentication credentials provided.'],
    ['a caller without the permission', 'reader', 403, "The 'update media' permission is required."],
  ])('is refused to %s', async (_, as, status, message) => {
    if (as !== undefined) await repository.user(as);
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://x.png',
      body: pngHead(1, 2),
    });
    const before = await stock(repository);
    const response = await repository.put(
      `/media/${media.mid[0].value}/source`,
      'x',
      { 'Content-Type': 'image/png' },
      as,
    );
    expect({ status: response.status, body: await response.json() }).toEqual({ status, body: { message } });
    expect(await stock(repository)).toEqual(before);
  });

  it('requires the same access as a PATCH of the media', async () => {
    for (const name of ['owner', 'other']) await repository.user(name, 'workbench_user');
    const file = await uploadFile(repository, 'own.png', pngHead(1, 2), { as: 'owner' });
    const fields = { bundle: 'image', field_media_image: [{ target_id: file.fid[0].value }] };
    const created = await repository.post('/entity/media?_format=json', fields, 'owner');
    const path = `/media/${((await created.json()) as EntityJson).mid[0].value}`;
    const patch = (as: string) => repository.patch(`${path}?_format=json`, { bundle: 'image', name: ['x'] }, as);
    const put = (as: string) => repository.put(`${path}/source`, pngHead(3, 4), { 'Content-Type': 'image/png' }, as);
    const before = await stock(repository);
    const [patched, replaced] = [await patch('other'), await put('other')];
    expect({ patched: patched.status, replaced: replaced.status }).toEqual({ patched: 403, replaced: 403 });
    expect(await replaced.json()).toEqual(await patched.json());
    expect(await stock(repository)).toEqual(before);
    const links = (as: string) => repository.get(`${path}?_format=json`, as).then(({ headers }) => headers.get('link'));
    expect(await links('other')).not.toContain('edit-media');
    expect(await links('owner')).toContain('edit-media');
    expect({ patch: (await patch('owner')).status, put: (await put('owner')).status }).toEqual({
      patch: 200,
      put: 204,
    });
  });

  it.each([
    ['an unknown media', 999_999],
    ['an id that is not a number', 'x'],
  ])('returns 404 for %s', async (_, id) => {
    const response = await repository.put(`/media/${id}/source`, 'x', { 'Content-Type': 'image/png' }, 'admin');
    const message = `Media ${id === 'x' ? '"x"' : id} does not exist.`;
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 404, body: { message } });
  });

  it('returns 404 for a media without a source file', async () => {
    const body = { bundle: 'remote_video', field_media_oembed_video: [{ value: 'https://vimeo.com/1' }] };
    const media = (await (await repository.post('/media?_format=json', body, 'admin')).json()) as EntityJson;
    const response = await repository.put(
      `/media/${media.mid[0].value}/source`,
      'x',
      { 'Content-Type': 'video/mp4' },
      'admin',
    );
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { message: 'Source field not set for remote_video media' },
    });
  });

  it('returns 409 if the file of the media is missing', async () => {
    const media = await createMedia(repository, {
      node: await repository.node(),
      uri: 'public://lost.png',
      body: pngHead(1, 2),
    });
    const fid = media.field_media_image[0].target_id;
    expect((await repository.delete(`/entity/file/${fid}?_format=json`, 'admin')).status).toBe(204);
    const before = await stock(repository);
    const response = await repository.put(
      `/media/${media.mid[0].value}/source`,
      'x',
      { 'Content-Type': 'image/png' },
      'admin',
    );
    expect(response.status).toBe(409);
    expect(await stock(repository)).toEqual(before);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import {
  countRows,
  createMedia,
  pngHead,
  putToNode,
  readJson,
  settledFiles,
  stock,
  uploadFile,
  uploadResponse,
} from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** People who differ in what they may do with files and media. */
const MODEL = `
roles:
  loader:
    label: Loader
    permissions: [create islandora_object content, edit own islandora_object content, create media, delete own files, view own unpublished media]
  cleaner:
    label: Cleaner
    permissions: [delete any file]
media_types:
  image: { fields: { field_media_image: { uri_scheme: private } } }
  audio: { fields: { field_media_audio_file: { uri_scheme: public } } }
`;

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('owner', 'loader');
  await repository.user('reader');
  await repository.user('cleaner', 'cleaner');
});
afterAll(async () => {
  await repository.stop();
});

const CALLERS = [undefined, 'reader', 'owner', 'admin'];
const NOBODY = { message: 'No authentication credentials provided.' };
const statusesOf = (path: string) => Promise.all(CALLERS.map(async (as) => (await repository.get(path, as)).status));
const REFUSED = { message: 'You may read a file if you may view an item that refers to it.' };
let counter = 0;

async function patch(path: string, body: object): Promise<void> {
  expect((await repository.patch(`${path}?_format=json`, body, 'admin')).status).toBe(200);
}

/** A media of the owner with a picture in a scheme, and the two addresses of its file. */
async function picture(scheme: string, unpublished?: 'media' | 'node') {
  counter += 1;
  const node = await repository.node({}, 'owner');
  const media = await createMedia(repository, {
    node,
    uri: `${scheme}://p${counter}.png`,
    body: pngHead(1, 1),
    as: 'owner',
  });
  if (unpublished === 'media') await patch(`/media/${media.mid[0].value}`, { bundle: 'image', status: [false] });
  if (unpublished === 'node') await patch(`/node/${node.nid[0].value}`, { type: 'islandora_object', status: [false] });
  const fid = media.field_media_image[0].target_id as number;
  const { url } = (await readJson(repository, `/entity/file/${fid}`, 'owner')).uri[0];
  return { media, fid, url: url as string, record: `/entity/file/${fid}?_format=json` };
}

describe('access to a file and its record', () => {
  const SCHEMES = ['public', 'private', 'fedora'];

  // Columns: an anonymous caller, a user without roles, the owner of the media, the administrator.
  it.each(
    SCHEMES.flatMap((scheme): [string, 'media' | 'node' | undefined, number[]][] => [
      [scheme, undefined, [200, 200, 200, 200]],
      [scheme, 'media', [401, 403, 200, 200]],
      [scheme, 'node', [401, 403, 200, 200]],
    ]),
  )('in %s depends on the unpublished entity: %p', async (scheme, unpublished, expected) => {
    const { url, record } = await picture(scheme, unpublished);
    expect(await statusesOf(url)).toEqual(expected);
    expect(await statusesOf(record)).toEqual(expected);
    for (const [index, as] of CALLERS.entries()) {
      if (expected[index] === 200) continue;
      const response = await repository.get(url, as);
      expect(await response.json()).toEqual(as === undefined ? NOBODY : REFUSED);
      expect(response.headers.get('www-authenticate')).toBe(as === undefined ? 'Basic realm="Repository"' : null);
      expect(response.headers.get('etag')).toBeNull();
      for (const headers of [{ Range: 'bytes=0-0' }, { 'If-None-Match': '*' }])
        expect((await repository.get(url, as, headers as Record<string, string>)).status).toBe(
          expected[index] as number,
        );
    }
  });

  it.each(SCHEMES)('changes when the media of a file in %s is deleted', async (scheme) => {
    const { media, url } = await picture(scheme);
    expect(await statusesOf(url)).toEqual([200, 200, 200, 200]);
    expect((await repository.delete(`/media/${media.mid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect(await statusesOf(url)).toEqual([401, 403, 200, 200]);
  });

  it.each([
    ['public', 'audio', 'field_media_audio_file', 'temporary.mp3'],
    ['private', 'image', 'field_media_image', 'temporary.png'],
  ])('without a reference is limited to owners and file managers in %s', async (...upload) => {
    const [scheme, type, field, name] = upload;
    const expected = [401, 403, 200, 200];
    const file = await uploadFile(repository, name, 'x', { type, field, as: 'owner' });
    expect(file.status).toEqual([{ value: false }]);
    expect(file.uri[0].value).toStartWith(`${scheme}://`);
    const record = `/entity/file/${file.fid[0].value}?_format=json`;
    for (const path of [file.uri[0].url, record]) {
      expect(await statusesOf(path)).toEqual(expected);
      expect((await repository.get(path, 'cleaner')).status).toBe(200);
    }
  });

  it('returns 404 for a missing file to every caller', async () => {
    expect(await statusesOf('/entity/file/999999?_format=json')).toEqual([404, 404, 404, 404]);
    expect(await statusesOf('/system/files/none.png')).toEqual([404, 404, 404, 404]);
    const response = await repository.get('/entity/file/999999?_format=json');
    expect(await response.json()).toEqual({
      message: 'File 999999 does not exist.',
    });
  });
});

describe('a media with a temporary file', () => {
  const media = (fid: number) => ({
    bundle: [{ target_id: 'image' }],
    field_media_image: [{ target_id: fid, alt: 'x' }],
  });

  it('makes the file permanent if the owner of the file creates it', async () => {
    const file = await uploadFile(repository, 'own.png', pngHead(3, 4), { as: 'owner' });
    const response = await repository.post('/entity/media?_format=json', media(file.fid[0].value), 'owner');
    expect(response.status).toBe(201);
    const made = (await response.json()) as EntityJson;
    expect(made).toMatchObject({
      name: [{ value: 'own.png' }],
      field_width: [{ value: 3 }],
      field_height: [{ value: 4 }],
    });
    expect((await readJson(repository, `/entity/file/${file.fid[0].value}`, 'owner')).status).toEqual([
      { value: true },
    ]);
  });

  it.each(['admin', 'reader'])('cannot be created by another user: %s', async (as) => {
    const file = await uploadFile(repository, 'theirs.png', 'x', { as: 'owner' });
    const fid = file.fid[0].value as number;
    const before = await stock(repository);
    const response = await repository.post('/entity/media?_format=json', media(fid), as);
    if (as === 'admin') {
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 422,
        body: {
          message: `Unprocessable Entity: validation failed.\nfield_media_image.0.target_id: You do not have access to the referenced entity (file: ${fid}).\n`,
        },
      });
    } else expect(response.status).toBe(403);
    expect(await stock(repository)).toEqual(before);
    expect((await readJson(repository, `/entity/file/${fid}`, 'owner')).status).toEqual([{ value: false }]);
  });

  it('cannot be created from a file that the creator may not see', async () => {
    const { fid, url } = await picture('private', 'media');
    await repository.user('curious', 'loader');
    const response = await repository.post('/entity/media?_format=json', media(fid), 'curious');
    expect(response.status).toBe(422);
    expect((await repository.get(url, 'curious')).status).toBe(403);
  });
});

describe('an upload', () => {
  it.each([
    [undefined, 401],
    ['reader', 403],
    ['cleaner', 403],
    ['owner', 201],
    ['admin', 201],
  ])('by %p returns %d', async (as, status) => {
    const before = await stock(repository);
    const response = await uploadResponse(
      repository,
      'x',
      { 'Content-Disposition': 'file; filename="who.png"' },
      { as },
    );
    expect(response.status).toBe(status);
    if (status !== 201) expect(await stock(repository)).toEqual(before);
  });
});

describe('DELETE of a file', () => {
  it.each([
    ['an anonymous caller', undefined, 401, NOBODY.message],
    ['another user', 'reader', 403, "The 'delete any file' permission is required."],
    ['its owner', 'owner', 204, undefined],
    ['a user who may delete any file', 'cleaner', 204, undefined],
    ['the administrator', 'admin', 204, undefined],
  ])('checks the permission of the caller: %s', async (_, as, status, message) => {
    const { record, url, media } = await picture('public');
    const objects = (await settledFiles(repository)).length;
    const response = await repository.delete(record, as);
    expect(response.status).toBe(status);
    if (status !== 204) {
      expect(await response.json()).toEqual({ message: message as string });
      expect(await statusesOf(url)).toEqual([200, 200, 200, 200]);
      return;
    }
    expect(await response.text()).toBe('');
    expect(await statusesOf(url)).toEqual([404, 404, 404, 404]);
    expect(await statusesOf(record)).toEqual([404, 404, 404, 404]);
    expect((await repository.delete(record, 'admin')).status).toBe(404);
    expect((await settledFiles(repository)).length).toBe(objects - 1);
    expect((await repository.get(`/media/${media.mid[0].value}?_format=json`, 'admin')).status).toBe(200);
  });

  it('leaves a media that can be read, patched with another file, and removed', async () => {
    const { media, record } = await picture('public');
    const path = `/media/${media.mid[0].value}`;
    expect((await repository.delete(record, 'admin')).status).toBe(204);
    expect(await readJson(repository, path)).toMatchObject({ field_media_image: [], thumbnail: [], name: media.name });
    const patch = (body: Record<string, unknown>) =>
      repository.patch(`${path}/edit?_format=json`, { bundle: [{ target_id: 'image' }], ...body }, 'admin');
    expect((await patch({ name: [{ value: 'Without' }] })).status).toBe(200);
    const next = await uploadFile(repository, 'next.png', pngHead(8, 9));
    expect((await patch({ field_media_image: [{ target_id: next.fid[0].value, target_type: 'file' }] })).status).toBe(
      200,
    );
    expect(await readJson(repository, path)).toMatchObject({
      name: [{ value: 'next.png' }],
      field_width: [{ value: 8 }],
      field_media_image: [{ target_id: next.fid[0].value, alt: '' }],
      thumbnail: [{ target_id: next.fid[0].value, width: 8 }],
    });
    expect((await repository.delete(`/entity/file/${next.fid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect((await repository.delete(`${path}/edit?_format=json`, 'admin')).status).toBe(204);
    expect((await repository.get(`${path}?_format=json`, 'admin')).status).toBe(404);
  });

  it('honours If-Match and succeeds once', async () => {
    const { record } = await picture('public');
    expect((await repository.delete(record, 'admin', { 'If-Match': '"stale"' })).status).toBe(412);
    const etag = (await repository.get(record, 'admin')).headers.get('etag') as string;
    const before = await countRows(repository, 'file');
    const all = await Promise.all(
      Array.from({ length: 10 }, () => repository.delete(record, 'admin', { 'If-Match': etag })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    expect(await countRows(repository, 'file')).toBe(before - 1);
  });

  it('frees the name', async () => {
    const node = await repository.node();
    const made = await createMedia(repository, { node, uri: 'public://free.png', body: 'x' });
    await repository.delete(`/entity/file/${made.field_media_image[0].target_id}?_format=json`, 'admin');
    const other = await repository.node();
    expect((await putToNode(repository, { node: other, uri: 'public://free.png', body: 'y' })).status).toBe(201);
    expect(await (await repository.get('/sites/default/files/free.png')).text()).toBe('y');
  });
});

describe('the routes of files', () => {
  it('create no file without bytes for any caller', async () => {
    for (const [as, status] of [
      [undefined, 401],
      ['owner', 403],
      ['admin', 403],
    ] as const)
      expect((await repository.post('/entity/file?_format=json', { filename: [{ value: 'x' }] }, as)).status).toBe(
        status,
      );
  });

  it('return 405 for a PATCH', async () => {
    const { record } = await picture('public');
    const response = await repository.patch(record, { filename: [{ value: 'x.png' }] }, 'admin');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, DELETE');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, pngHead, putToNode, readJson, uploadFile } from '../../support/binaries.ts';
import { USE } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** Under which a media may belong to two nodes. */
const MODEL = `media_types:
${['audio', 'document', 'extracted_text', 'file', 'fits_technical_metadata', 'image', 'remote_video', 'video']
  .map((type) => `  ${type}: { fields: { field_media_of: { cardinality: unlimited } } }`)
  .join('\n')}
roles:
  blind_editor:
    label: Blind editor
    permissions: [edit any islandora_object content, create media, edit any image media]
views:
  media: { path: /list/media, entity_type: media, filters: { of: { field: field_media_of, required: true } } }
`;

let repository: TestRepository;
let loaderId: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('reader');
  loaderId = await repository.user('loader', 'workbench_user');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const idOf = (entity: EntityJson): number => (entity.nid ?? entity.mid)[0].value;
const SCHEMES = ['public', 'private', 'fedora'];
let counter = 0;

interface Item {
  node: EntityJson;
  /** An original, a service file, a thumbnail and an extracted text, in this order. */
  media: EntityJson[];
  /** The addresses of their files. */
  files: string[];
}

/** Creates a node with an original and what usually comes of it, in a scheme. */
async function item(scheme: string, isPublished: boolean, ownerId = 1): Promise<Item> {
  counter += 1;
  const node = await repository.node({ status: [{ value: isPublished }], uid: [{ target_id: ownerId }] });
  const name = `memo ${counter}`;
  const text = { type: 'extracted_text', contentType: 'text/plain', body: 'the text of a private memo' };
  const media = [
    await createMedia(repository, { node, uri: `${scheme}://${name}.png`, body: pngHead(1, 1) }),
    await createMedia(repository, { node, uri: `${scheme}://${name}-s.png`, body: pngHead(2, 2), use: USE.service }),
    await createMedia(repository, { node, uri: `${scheme}://${name}-t.png`, body: pngHead(3, 3), use: USE.thumbnail }),
    await createMedia(repository, {
      ...{ node, uri: `${scheme}://${name}-Extracted Text.txt`, ...text },
      use: 'http://pcdm.org/use#ExtractedText',
    }),
  ];
  const files = media.map((each) => (each.field_media_image ?? each.field_media_file)[0].url as string);
  return { node, media, files: files.map((url) => new URL(url).pathname) };
}

const setStatus = async (path: string, body: object) =>
  expect((await repository.patch(`${path}?_format=json`, body, 'admin')).status).toBe(200);
const publish = (node: EntityJson, value: boolean) =>
  setStatus(`/node/${idOf(node)}`, { type: 'islandora_object', status: [{ value }] });

/** Every way to ask for bytes. */
const WAYS: [string, RequestInit, number][] = [
  ['GET', {}, 200],
  ['HEAD', { method: 'HEAD' }, 200],
  ['a range', { headers: { Range: 'bytes=0-3' } }, 206],
  ['If-None-Match', { headers: { 'If-None-Match': '*' } }, 304],
  ['If-Modified-Since', { headers: { 'If-Modified-Since': 'Sun, 01 Jan 2090 00:00:00 GMT' } }, 304],
];

async function statusesOf(paths: readonly string[], as?: string): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await repository.get(path, as)).status));
}

const all = (paths: readonly unknown[], status: number) => paths.map(() => status);

describe.each(SCHEMES)('the files of a node in %s', (scheme) => {
  it('are refused to callers who may not view the unpublished node, for any request', async () => {
    const { files } = await item(scheme, false);
    for (const file of files)
      for (const [way, init] of WAYS)
        for (const [as, status] of [
          [undefined, 401],
          ['reader', 403],
        ] as const) {
          const response = await repository.fetch(file, { ...init, as });
          expect({ way, status: response.status }).toEqual({ way, status });
          for (const header of ['etag', 'last-modified', 'repr-digest', 'content-range', 'location'])
            expect(response.headers.get(header)).toBeNull();
          if (as && init.method !== 'HEAD')
            expect(await response.json()).toEqual({
              message: 'You may read a file if you may view an item that refers to it.',
            });
        }
  });

  it('are sent without shared caching to callers who may view the unpublished node', async () => {
    const { files } = await item(scheme, false, loaderId);
    for (const file of files)
      for (const as of ['loader', 'admin'])
        for (const [way, init, status] of WAYS) {
          const response = await repository.fetch(file, { ...init, as });
          expect({ way, as, status: response.status }).toEqual({ way, as, status });
          expect(response.headers.get('cache-control')).toBe('private, no-cache');
          expect(response.headers.get('vary')).toContain('Authorization');
        }
  });

  it('are public only while the node exists and is published', async () => {
    const { node, files } = await item(scheme, false);
    await publish(node, true);
    expect(await statusesOf(files)).toEqual(all(files, 200));
    expect((await repository.get(files[0] ?? '')).headers.get('cache-control')).toBe('public, no-cache');
    expect((await repository.get(files[0] ?? '', 'reader')).headers.get('cache-control')).toBe('public, no-cache');
    await publish(node, false);
    expect(await statusesOf(files)).toEqual(all(files, 401));
    await publish(node, true);
    expect((await repository.delete(`/node/${idOf(node)}?_format=json`, 'admin')).status).toBe(204);
    expect(await statusesOf(files)).toEqual(all(files, 401));
    expect(await statusesOf(files, 'admin')).toEqual(all(files, 200));
  });
});

describe('a media', () => {
  const show = (media: EntityJson) => `/media/${idOf(media)}?_format=json`;

  it('is visible like its node in every format and in lists', async () => {
    const { node, media } = await item('public', false);
    const [first] = media as [EntityJson];
    const listed = async (as?: string) => {
      const response = await repository.get(`/list/media?_format=json&of=${idOf(node)}`, as);
      return ((await response.json()) as EntityJson[]).map(idOf);
    };
    expect({ anonymous: await listed(), reader: await listed('reader') }).toEqual({ anonymous: [], reader: [] });
    expect(await listed('admin')).toEqual(media.map(idOf));
    expect(await statusesOf([`/node/${idOf(node)}/media?_format=json`], 'reader')).toEqual([403]);
    const paths = ['json', 'jsonld', 'html'].map((format) => `/media/${idOf(first)}?_format=${format}`);
    paths.push(`/media/${idOf(first)}/linkset`, `/media/${idOf(first)}/edit?_format=json`);
    expect(await statusesOf(paths)).toEqual(all(paths, 401));
    expect(await statusesOf(paths, 'reader')).toEqual(all(paths, 403));
    expect(await statusesOf(paths, 'admin')).toEqual(all(paths, 200));
    await publish(node, true);
    expect(await statusesOf(paths)).toEqual(all(paths, 200));
    expect(await listed()).toEqual(media.map(idOf));
    await publish(node, false);
    expect(await statusesOf(paths)).toEqual(all(paths, 401));
  });

  it('of two nodes is visible to callers who may view one of them', async () => {
    const { node, media, files } = await item('public', false);
    const other = await repository.node();
    const [first] = media as [EntityJson];
    const attach = (...nodes: EntityJson[]) =>
      setStatus(`/media/${idOf(first)}`, {
        bundle: 'image',
        field_media_of: nodes.map((each) => ({ target_id: idOf(each) })),
      });
    await attach(node, other);
    expect(await statusesOf([show(first), files[0] ?? ''])).toEqual([200, 200]);
    await attach(node);
    expect(await statusesOf([show(first), files[0] ?? ''])).toEqual([401, 401]);
    await attach(other);
    expect(await statusesOf([show(first), files[0] ?? ''])).toEqual([200, 200]);
    expect((await repository.delete(`/node/${idOf(other)}?_format=json`, 'admin')).status).toBe(204);
    expect(await statusesOf([show(first), files[0] ?? ''])).toEqual([401, 401]);
  });

  it('stays hidden after its node is deleted until it gets another node', async () => {
    const { node, media, files } = await item('public', false);
    const [first] = media as [EntityJson];
    expect((await repository.delete(`/node/${idOf(node)}?_format=json`, 'admin')).status).toBe(204);
    const { field_media_of } = await readJson(repository, `/media/${idOf(first)}`);
    expect(field_media_of).toEqual([]);
    await setStatus(`/media/${idOf(first)}`, { bundle: 'image', name: ['renamed'], field_media_of });
    expect(await statusesOf([show(first), files[0] ?? ''])).toEqual([401, 401]);
    const other = await repository.node();
    await setStatus(`/media/${idOf(first)}`, { bundle: 'image', field_media_of: [{ target_id: idOf(other) }] });
    expect(await statusesOf([show(first), files[0] ?? ''])).toEqual([200, 200]);
  });

  it('can be replaced by callers who may change but not view its node', async () => {
    const { node, media } = await item('public', false);
    await repository.user('blind', 'blind_editor');
    expect((await repository.get(`/node/${idOf(node)}?_format=json`, 'blind')).status).toBe(403);
    const put = await putToNode(repository, { node, uri: undefined, body: pngHead(9, 9), as: 'blind' });
    expect(put.status).toBe(204);
    const [first] = media as [EntityJson];
    expect((await readJson(repository, `/media/${idOf(first)}`)).field_width).toEqual([{ value: 9 }]);
    expect(await statusesOf([show(first)], 'blind')).toEqual([403]);
  });

  it('without a node is visible while it is published', async () => {
    const file = await uploadFile(repository, 'alone.png', pngHead(1, 1));
    const response = await repository.post(
      '/entity/media?_format=json',
      { bundle: 'image', field_media_image: [{ target_id: file.fid[0].value }] },
      'admin',
    );
    const media = (await response.json()) as EntityJson;
    const paths = [show(media), file.uri[0].url as string];
    expect(await statusesOf(paths)).toEqual([200, 200]);
    await setStatus(`/media/${idOf(media)}`, { bundle: 'image', status: [false] });
    expect(await statusesOf(paths)).toEqual([401, 401]);
  });

  it('of a hidden node is not shown by a node that refers to it', async () => {
    const { media } = await item('public', false);
    const [first] = media as [EntityJson];
    const reference = [{ target_id: idOf(first) }];
    const shown = await repository.node({ field_representative_image: reference });
    const address = `/media/${idOf(first)}>`;
    for (const format of ['json', 'jsonld', 'html']) {
      const path = `/node/${idOf(shown)}?_format=${format}`;
      expect((await repository.get(path)).headers.get('link')).not.toContain(address);
      expect((await repository.get(path, 'admin')).headers.get('link')).toContain(address);
    }
    const page = await (await repository.get(`/node/${idOf(shown)}?_format=html`)).text();
    expect(page).not.toMatch(/memo \d|private memo/);
  });
});

describe('a file', () => {
  it('without a reference is visible only to its owner and administrators', async () => {
    const { uri, fid } = await uploadFile(repository, 'waiting.png', 'x', { as: 'loader' });
    for (const path of [uri[0].url as string, `/entity/file/${fid[0].value}?_format=json`]) {
      expect(await statusesOf([path])).toEqual([401]);
      expect(await statusesOf([path], 'reader')).toEqual([403]);
      expect(await statusesOf([path, path], 'loader')).toEqual([200, 200]);
      expect(await statusesOf([path], 'admin')).toEqual([200]);
    }
  });

  it('is hidden from its owner once hidden content refers to it', async () => {
    const { uri, fid } = await uploadFile(repository, 'taken.png', pngHead(1, 1), { as: 'loader' });
    const node = await repository.node({ status: [false] });
    const response = await repository.post(
      '/entity/media?_format=json',
      {
        bundle: 'image',
        field_media_image: [{ target_id: fid[0].value }],
        field_media_of: [{ target_id: idOf(await repository.node({}, 'loader')) }],
      },
      'loader',
    );
    const media = (await response.json()) as EntityJson;
    expect(await statusesOf([uri[0].url as string], 'loader')).toEqual([200]);
    await setStatus(`/media/${idOf(media)}`, {
      ...{ bundle: 'image', uid: [{ target_id: 1 }] },
      field_media_of: [{ target_id: idOf(node) }],
    });
    expect(await statusesOf([uri[0].url as string], 'loader')).toEqual([403]);
  });

  it('of the program is public, unlike an upload into the same folder', async () => {
    const icon = '/sites/default/files/media-icons/generic.png';
    expect(await statusesOf([icon])).toEqual([200]);
    const node = await repository.node({ status: [false] });
    const put = await putToNode(repository, { node, uri: 'public://media-icons/other.png', body: pngHead(1, 1) });
    expect(put.status).toBe(201);
    expect(await statusesOf(['/sites/default/files/media-icons/other.png'])).toEqual([401]);
  });

  it('that does not exist returns 404 to every caller', async () => {
    const paths = ['/sites/default/files/none.png', '/system/files/none.png', '/_flysystem/fedora/none.png'];
    expect(await statusesOf(paths)).toEqual([404, 404, 404]);
    expect(await statusesOf(paths, 'admin')).toEqual([404, 404, 404]);
  });
});

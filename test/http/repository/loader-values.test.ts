import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PNG } from '../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** The values that Islandora Workbench sends, in its forms (spec: loader-api, 1 "Values sent", 2 and 5). */

let repository: TestRepository;
let loader: number;
let model: number;
let use: number;
beforeAll(async () => {
  repository = await createTestRepository();
  loader = await repository.user('loader', 'workbench_user');
  model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  use = await repository.termId('http://pcdm.org/use#OriginalFile');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const ok = async (response: Response, status: number): Promise<EntityJson> => {
  const text = await response.text();
  expect({ status: response.status, problem: response.status === status ? '' : text }).toEqual({ status, problem: '' });
  return text === '' ? {} : JSON.parse(text);
};
const read = async (path: string, as = 'loader') => ok(await repository.get(`${path}?_format=json`, as), 200);
const createNode = async (fields: object, as = 'loader') => {
  const body = {
    type: [{ target_id: 'islandora_object', target_type: 'node_type' }],
    title: [{ value: 'x' }],
    field_model: [{ target_id: String(model), target_type: 'taxonomy_term' }],
    ...fields,
  };
  return ok(await repository.post('/node?_format=json', body, as), 201);
};
const createTerm = async (vid: string, name: string, fields: object = {}) =>
  ok(
    await repository.post(
      '/taxonomy/term?_format=json',
      {
        vid: [{ target_id: vid, target_type: 'taxonomy_vocabulary' }],
        name: [{ value: name }],
        status: [{ value: true }],
        description: [{ value: '', format: null }],
        weight: [{ value: 0 }],
        parent: [{ target_type: 'taxonomy_term', target_id: null }],
        default_langcode: [{ value: true }],
        path: [{ alias: null, pid: null, langcode: 'en' }],
        ...fields,
      },
      'loader',
    ),
    201,
  );
const upload = async (media: string, field: string, name: string, bytes: Bun.BodyInit = 'x') => {
  const response = await repository.fetch(`/file/upload/media/${media}/${field}?_format=json`, {
    method: 'POST',
    as: 'loader',
    body: bytes as NonNullable<RequestInit['body']>,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `file; filename="${name}"; filename*=utf-8''${encodeURIComponent(name)}`,
    },
  });
  return (await ok(response, 201)).fid[0].value as number;
};
const createMedia = async (bundle: string, node: EntityJson, fields: object, as = 'loader') =>
  ok(
    await repository.post(
      '/entity/media',
      {
        bundle: [{ target_id: bundle, target_type: 'media_type' }],
        name: [{ value: 'media' }],
        field_media_of: [{ target_id: node.nid[0].value, target_type: 'node' }],
        field_media_use: [{ target_id: use, target_type: 'taxonomy_term' }],
        ...fields,
      },
      as,
    ),
    201,
  );

describe('a node', () => {
  it('accepts numbers and booleans as text', async () => {
    const node = await createNode({
      status: [{ value: '1' }],
      promote: [{ value: '1' }],
      field_weight: [{ value: '2' }],
      field_coordinates: [{ lat: '99.1', lng: '-123.2' }],
    });
    expect(node.status).toEqual([{ value: true }]);
    expect(node.field_weight).toEqual([{ value: 2 }]);
    expect(node.field_coordinates[0]).toMatchObject({ lat: 99.1, lng: -123.2 });
    expect(node.field_model[0].target_id).toBe(model);
    expect(node.type[0].target_type).toBe('node_type');
    const hidden = await createNode(
      {
        status: [{ value: '0' }],
        uid: [{ target_id: String(loader) }],
        created: [{ value: '2020-11-15T23:49:22+00:00' }],
      },
      'admin',
    );
    expect(hidden.status[0].value).toBe(false);
    expect(hidden.uid[0].target_id).toEqual(loader);
    expect(hidden.created[0].value).toBe('2020-11-15T23:49:22+00:00');
  });

  it('drops references without an id and ignores target_type', async () => {
    const parent = await createNode({});
    const node = await createNode({
      field_subject: [{ target_id: '', target_type: 'taxonomy_term' }],
      field_linked_agent: [
        { target_id: null, rel_type: 'relators:aut', target_type: 'taxonomy_term' },
        { target_id: false, rel_type: 'relators:pht', target_type: 'taxonomy_term' },
      ],
      field_member_of: [{ target_id: String(parent.nid[0].value), target_type: 'node_type' }],
    });
    expect(node.field_subject).toEqual([]);
    expect(node.field_linked_agent).toEqual([]);
    expect(node.field_member_of[0]).toMatchObject({ target_id: parent.nid[0].value, target_type: 'node' });
    const child = await createNode({ field_member_of: [{ target_id: parent.nid[0].value, target_type: 'node' }] });
    expect(child.field_member_of[0].target_id).toBe(parent.nid[0].value);
  });

  it('accepts its served items with new ones, and an empty list', async () => {
    const [one, two] = [await createTerm('subject', 'One'), await createTerm('person', 'Two, Ann')];
    const node = await createNode({
      field_note: [{ value: '<i>x</i>', format: 'basic_html' }],
      field_subject: [{ target_id: String(one.tid[0].value), target_type: 'taxonomy_term' }],
      field_linked_agent: [{ target_id: two.tid[0].value, rel_type: 'relators:aut', target_type: 'taxonomy_term' }],
      field_coordinates: [{ lat: '49.1', lng: '-123.2' }],
      field_edtf_date: [{ value: '2001-05~' }],
    });
    const address = `/node/${node.nid[0].value}`;
    const append = (name: string, item: object) => ({ [name]: [...node[name], item] });
    const body = {
      type: [{ target_id: 'islandora_object' }],
      ...append('field_note', { value: 'y', format: 'basic_html' }),
      ...append('field_subject', { target_id: String(one.tid[0].value), target_type: 'taxonomy_term' }),
      ...append('field_linked_agent', { target_id: two.tid[0].value, rel_type: 'relators:pht' }),
      ...append('field_coordinates', { lat: '50', lng: '1.5' }),
      revision_log: [{ value: 'Updated by Islandora Workbench.' }],
    };
    const after = await ok(await repository.patch(`${address}?_format=json`, body, 'loader'), 200);
    for (const name of ['field_note', 'field_subject', 'field_linked_agent', 'field_coordinates']) {
      expect(after[name]).toHaveLength(2);
      expect(after[name][0]).toEqual(node[name][0]);
    }
    expect(after.revision_log).toEqual([{ value: 'Updated by Islandora Workbench.' }]);
    const empty = { type: [{ target_id: 'islandora_object' }], field_note: [], field_edtf_date: [] };
    const emptied = await ok(await repository.patch(`${address}?_format=json`, empty, 'loader'), 200);
    expect(emptied.field_note).toEqual([]);
    expect(emptied.field_edtf_date).toEqual([]);
  });

  it('has every key, with an item where a loader reads the first', async () => {
    const node = await read(`/node/${(await createNode({})).nid[0].value}`);
    for (const name of ['nid', 'type', 'title', 'path', 'uuid', 'uid', 'created', 'changed', 'langcode', 'promote'])
      expect({ name, values: node[name]?.length }).toEqual({ name, values: 1 });
    expect(node.revision_log).toEqual([]);
    expect(node.path).toEqual([{ alias: null, pid: null, langcode: 'en' }]);
  });
});

describe('a term', () => {
  it('accepts null for parent, alias and description, and ids as text', async () => {
    const top = await createTerm('genre', 'Top');
    expect(top.parent).toEqual([{ target_id: null }]);
    expect(top.weight).toEqual([{ value: 0 }]);
    const below = await createTerm('genre', 'Below', {
      status: [{ value: '1' }],
      weight: [{ value: '2' }],
      parent: [{ target_type: 'taxonomy_term', target_id: String(top.tid[0].value) }],
      field_authority_link: [{ source: 'lcgft', uri: 'http://example.org/below', title: '' }],
    });
    expect(below.parent[0].target_id).toBe(top.tid[0].value);
    expect(below.weight).toEqual([{ value: 2 }]);
    expect(below.field_authority_link[0]).toMatchObject({ source: 'lcgft', uri: 'http://example.org/below' });
    const found = await repository.get(
      '/term_from_authority_link?_format=json&authority_link=http%3A%2F%2Fexample.org%2Fbelow',
      'loader',
    );
    expect((await ok(found, 200))[0].tid).toEqual(below.tid);
    const body = {
      vid: [{ target_id: 'genre', target_type: 'taxonomy_vocabulary' }],
      name: [{ value: 'Renamed' }],
      parent: [{ target_id: top.tid[0].value }],
      description: [{ value: 'words' }],
    };
    const renamed = await repository.patch(`/taxonomy/term/${below.tid[0].value}?_format=json`, body, 'loader');
    expect((await ok(renamed, 200)).name).toEqual([{ value: 'Renamed' }]);
  });

  it('is found by its name in any letter case while it is published', async () => {
    const find = async (name: string, vocab = 'tags') =>
      (await ok(
        await repository.get(`/term_from_term_name?vocab=${vocab}&name=${name}&_format=json`, 'loader'),
        200,
      )) as unknown as EntityJson[];
    const made: number[] = [];
    for (let n = 0; n < 12; n++)
      made.push((await createTerm('tags', n % 2 ? 'Many Of It' : 'many of it')).tid[0].value);
    await createTerm('tags', 'many of it', { status: [{ value: '0' }] });
    expect((await find('MANY+of+it')).map(({ tid }) => tid[0].value)).toEqual(made);
    expect(await find('many')).toEqual([]);
    expect(await find('person%3ASmith%2C+A', 'corporate_body')).toEqual([]);
  });
});

describe('a media', () => {
  it('accepts a bare status and no alt, and has only members of its bundle', async () => {
    const node = await createNode({});
    const fid = await upload('image', 'field_media_image', 'a.png', PNG);
    const image = await createMedia('image', node, {
      status: { value: '0' },
      field_media_image: [{ target_id: fid, target_type: 'file', alt: 'A' }],
    });
    expect(image.status).toEqual([{ value: false }]);
    expect(image.field_file_size).toEqual([{ value: PNG.byteLength }]);
    expect(image.field_media_image[0].url).toStartWith(`${repository.url}/`);
    const body = { bundle: [{ target_id: 'image' }], field_media_image: [{ target_id: fid, target_type: 'file' }] };
    const path = `/media/${image.mid[0].value}`;
    for (const address of [`${path}/edit?_format=json`, `${path}?_format=json`]) {
      const patched = await ok(await repository.patch(address, body, 'loader'), 200);
      expect(patched.field_media_image[0].target_id).toBe(fid);
    }
    expect(Object.keys(image)).not.toContain('field_media_file');
  });

  it('of extracted text accepts an empty text and has no size', async () => {
    const node = await createNode({});
    const fid = await upload('extracted_text', 'field_media_file', 'a.txt', 'words');
    const text = await createMedia('extracted_text', node, {
      field_media_file: [{ target_id: fid, target_type: 'file' }],
      field_edited_text: [{ value: '' }],
    });
    expect(Object.keys(text)).not.toContain('field_file_size');
  });

  it('accepts uploaded files as tracks', async () => {
    const node = await createNode({});
    const vtt = await upload('file', 'field_media_file', 'subs.vtt', 'WEBVTT\n');
    expect((await read(`/entity/file/${vtt}`)).filename).toEqual([{ value: 'subs.vtt' }]);
    const rows = [
      ['video', 'field_media_video_file', 'a.mp4'],
      ['audio', 'field_media_audio_file', 'a.mp3'],
    ] as const;
    for (const [bundle, field, name] of rows) {
      const track = { target_id: vtt, kind: 'subtitles', label: 'English', srclang: 'en', default: true, url: '/x' };
      const media = await createMedia(bundle, node, {
        [field]: [{ target_id: await upload(bundle, field, name), target_type: 'file' }],
        field_track: [track],
      });
      const { url, ...rest } = track;
      expect(media.field_track[0]).toMatchObject(rest);
      expect(media.field_track[0].url).toEndWith('/subs.vtt');
      const path = `/media/${media.mid[0].value}/edit?_format=json`;
      const again = { bundle: [{ target_id: bundle }], field_track: media.field_track, name: [{ value: url }] };
      const patched = await ok(await repository.patch(path, again, 'admin'), 200);
      expect(patched.field_track).toEqual(media.field_track);
    }
  });

  it('can be a remote video of a node, with its use', async () => {
    const node = await createNode({});
    const address = 'https://youtu.be/dQw4w9WgXcQ';
    const video = await createMedia('remote_video', node, { field_media_oembed_video: [{ value: address }] });
    expect(video.field_media_of[0].target_id).toBe(node.nid[0].value);
    expect(video.field_media_use[0].target_id).toBe(use);
    const listed = (await read(`/node/${node.nid[0].value}/media`)) as unknown as EntityJson[];
    expect(listed.map(({ mid }) => mid)).toEqual([video.mid]);
    const response = await repository.get(`/node/${node.nid[0].value}?_format=json`, 'loader');
    expect(response.headers.get('Link')).toContain(`/media/${video.mid[0].value}`);
    for (const format of ['html', 'jsonld'])
      expect((await repository.get(`/node/${node.nid[0].value}?_format=${format}`, 'loader')).status).toBe(200);
    const linkset = await repository.get(`/node/${node.nid[0].value}/linkset`, 'loader');
    expect(linkset.status).toBe(200);
    const patch = { bundle: [{ target_id: 'remote_video' }], field_media_use: [{ target_id: String(use) }] };
    await ok(await repository.patch(`/media/${video.mid[0].value}/edit?_format=json`, patch, 'loader'), 200);
    expect((await repository.delete(`/media/${video.mid[0].value}/edit?_format=json`, 'loader')).status).toBe(204);
  });

  it('can lose its file, get another one and be deleted', async () => {
    const node = await createNode({});
    const old = await upload('file', 'field_media_file', 'old.zip');
    const media = await createMedia('file', node, { field_media_file: [{ target_id: old, target_type: 'file' }] });
    const path = `/media/${media.mid[0].value}/edit?_format=json`;
    const fid = await upload('file', 'field_media_file', 'new.zip', 'longer');
    expect((await repository.delete(`/entity/file/${old}?_format=json`, 'loader')).status).toBe(204);
    expect((await repository.fetch(path, { method: 'HEAD', as: 'loader' })).status).toBe(200);
    const body = {
      bundle: [{ target_id: 'file' }],
      field_media_file: [{ target_id: fid, target_type: 'file' }],
      revision_log_message: [{ value: 'A new file' }],
    };
    const patched = await ok(await repository.patch(path, body, 'loader'), 200);
    expect(patched.field_file_size).toEqual([{ value: 6 }]);
    expect((await repository.delete(`/entity/file/${fid}?_format=json`, 'loader')).status).toBe(204);
    expect((await repository.delete(path, 'loader')).status).toBe(204);
    const gone = await repository.get(path, 'loader');
    expect(gone.status).toBe(404);
    expect(((await gone.json()) as EntityJson).message).not.toStartWith('No route found for');
  });

  it('is listed with all others of its node', async () => {
    const node = await createNode({});
    for (let n = 0; n < 12; n++)
      await createMedia('remote_video', node, { field_media_oembed_video: [{ value: `https://example.org/${n}` }] });
    expect(await read(`/node/${node.nid[0].value}/media`)).toHaveLength(12);
  });
});

describe('an upload', () => {
  it.each([
    [`file; filename="bk1/p-002.jpg"; filename*=utf-8''bk1%2Fp-002.jpg`, 'p-002.jpg'],
    [`file; filename="/abs/bk1/p 2.jpg"; filename*=utf-8''%2Fabs%2Fbk1%2Fp+2.jpg`, 'p 2.jpg'],
    [`file; filename="Grosse.jpg"; filename*=utf-8''Gr%C3%B6%C3%9Fe.jpg`, 'Größe.jpg'],
  ])('is named by %s', async (disposition, name) => {
    const response = await repository.fetch('/file/upload/media/image/field_media_image?_format=json', {
      method: 'POST',
      as: 'loader',
      body: PNG as NonNullable<RequestInit['body']>,
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': disposition },
    });
    const file = await ok(response, 201);
    expect(file.filename).toEqual([{ value: name }]);
    expect(file.uri[0].url).toStartWith('/');
  });
});

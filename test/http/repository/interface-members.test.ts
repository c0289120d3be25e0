import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMedia } from '../../support/binaries.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { linkLines } from '../../support/link-lines.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** The members that the interface description names for nodes and media, but for those of one media type alone. */
const NODE =
  'nid uuid vid langcode type revision_timestamp revision_uid revision_log status title uid created changed promote sticky default_langcode revision_translation_affected content_translation_outdated content_translation_source field_model field_member_of field_access_terms field_alternative_title field_description field_display_hints field_edtf_date field_edtf_date_created field_edtf_date_issued field_extent field_identifier field_linked_agent field_pid field_resource_type field_rights field_subject';
const MEDIA =
  'mid uuid vid langcode bundle revision_created revision_user revision_log_message status name thumbnail uid created changed default_langcode revision_translation_affected content_translation_outdated content_translation_source field_access_terms field_media_of field_media_use';
const IMAGE = 'field_file_size field_height field_width field_media_image field_mime_type';

const EXTENSIONS = {
  image: 'png',
  audio: 'mp3',
  video: 'mp4',
  document: 'pdf',
  file: 'zip',
  extracted_text: 'txt',
  fits_technical_metadata: 'xml',
};

let repository: TestRepository;
let access: number;
let hint: number;

beforeAll(async () => {
  repository = await createTestRepository();
  access = await term({
    vid: 'islandora_access',
    name: ['Staff only'],
    field_external_uri: [{ uri: 'http://example.org/staff' }],
  });
  hint = await term({ vid: 'islandora_display', name: ['Page by page'] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function term(body: object): Promise<number> {
  const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as EntityJson).tid[0].value;
}

const read = async (path: string): Promise<EntityJson> =>
  (await (await repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;

const reference = (tid: number) => ({
  target_id: tid,
  target_type: 'taxonomy_term',
  target_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  url: `/taxonomy/term/${tid}`,
});

describe('a node', () => {
  it('has every member that the interface names', async () => {
    const node = await read(`/node/${(await repository.node()).nid[0].value}`);
    expect(NODE.split(' ').filter((name) => !(name in node))).toEqual([]);
    for (const name of ['field_access_terms', 'field_alternative_title', 'field_display_hints'])
      expect({ name, value: node[name] }).toEqual({ name, value: [] });
  });

  it('keeps and serves access terms, an alternative title and display hints', async () => {
    const { nid } = await repository.node({
      field_access_terms: [{ target_id: access }],
      field_alternative_title: [{ value: 'Another title' }],
      field_display_hints: [{ target_id: hint, target_type: 'taxonomy_term' }],
    });
    const path = `/node/${nid[0].value}`;
    const node = await read(path);
    expect(node.field_access_terms).toEqual([reference(access)]);
    expect(node.field_alternative_title).toEqual([{ value: 'Another title' }]);
    expect(node.field_display_hints).toEqual([reference(hint)]);

    const lines = linkLines(await repository.get(`${path}?_format=json`, 'admin'), repository.url);
    expect(lines).toContain('tag http://example.org/staff "Staff only"');
    expect(lines).toContain(`tag /taxonomy/term/${hint} "Page by page"`);

    const graph = await (await repository.get(`${path}?_format=jsonld`, 'admin')).json();
    expect((graph as { '@graph': EntityJson[] })['@graph'][0]).toMatchObject({
      'http://purl.org/dc/terms/alternative': [{ '@value': 'Another title' }],
    });
    const page = await (await repository.get(path, 'admin', { Accept: 'text/html' })).text();
    for (const text of ['Other title', 'Another title']) expect(page).toContain(text);
    const again = await repository.patch(`${path}?_format=json`, node, 'admin');
    expect({ status: again.status, body: await again.json() }).toEqual({ status: 200, body: node });
  });

  it('accepts one alternative title and one display hint, of the right vocabulary', async () => {
    const refused = [
      { field_alternative_title: [{ value: 'One' }, { value: 'Two' }] },
      { field_display_hints: [{ target_id: hint }, { target_id: hint }] },
      { field_display_hints: [{ target_id: access }] },
      { field_access_terms: [{ target_id: hint }] },
    ];
    const { nid } = await repository.node();
    for (const fields of refused) {
      const body = { type: 'islandora_object', ...fields };
      const response = await repository.patch(`/node/${nid[0].value}?_format=json`, body, 'admin');
      expect({ fields, status: response.status }).toEqual({ fields, status: 422 });
    }
  });
});

describe('a media', () => {
  it.each(Object.entries(EXTENSIONS))(
    'of type %s has and keeps the members that the interface names',
    async (type, ext) => {
      const node = await repository.node();
      const created = await createMedia(repository, { node, type, uri: `public://${type}/a.${ext}`, body: 'x' });
      const path = `/media/${created.mid[0].value}`;
      const wanted = [...MEDIA.split(' '), ...(type === 'image' ? IMAGE.split(' ') : [])];
      expect(wanted.filter((name) => !(name in created))).toEqual([]);
      const body = { bundle: type, field_access_terms: [{ target_id: access }] };
      expect((await repository.patch(`${path}?_format=json`, body, 'admin')).status).toBe(200);
      expect((await read(path)).field_access_terms).toEqual([reference(access)]);
      const lines = linkLines(await repository.get(`${path}?_format=json`, 'admin'), repository.url);
      expect(lines).toContain('tag http://example.org/staff "Staff only"');
    },
  );

  it('of type remote_video accepts access terms', async () => {
    const body = {
      bundle: 'remote_video',
      name: ['A video'],
      field_media_oembed_video: ['https://example.org/watch'],
      field_access_terms: [{ target_id: access }],
    };
    const response = await repository.post('/entity/media?_format=json', body, 'admin');
    expect(response.status).toBe(201);
    expect(((await response.json()) as EntityJson).field_access_terms).toEqual([reference(access)]);
  });
});

/** The default model without what this page is about, as a repository may have been started with before. */
const EARLIER = `
node_types:
  islandora_object: { fields: { field_access_terms: null, field_alternative_title: null, field_display_hints: null } }
media_types:
${[...Object.keys(EXTENSIONS), 'remote_video'].map((type) => `  ${type}: { fields: { field_access_terms: null } }`).join('\n')}
vocabularies: { islandora_access: null }
`;

describe('a repository with an earlier model', () => {
  it('serves new members of old entities under new ETags', async () => {
    const modelFile = join(await emptyFolder(), 'model.yaml');
    await writeFile(modelFile, EARLIER);
    const site = await createTestRepository({ modelFile });
    try {
      const { nid } = await site.node();
      const created = await createMedia(site, {
        node: await site.node(),
        type: 'file',
        uri: 'public://a.zip',
        body: 'x',
      });
      const paths = [`/node/${nid[0].value}?_format=json`, `/media/${created.mid[0].value}?_format=json`];
      const tags: string[] = [];
      for (const path of paths) {
        const response = await site.get(path, 'admin');
        tags.push(response.headers.get('etag') as string);
        expect(await response.json()).not.toHaveProperty('field_access_terms');
      }
      await writeFile(modelFile, '{}');
      await site.restart();
      const vid = ['islandora_access'];
      const made = await site.post('/taxonomy/term?_format=json', { vid, name: ['Staff only'] }, 'admin');
      const tid = ((await made.json()) as EntityJson).tid[0].value;
      for (const [at, path] of paths.entries()) {
        const response = await site.get(path, 'admin', { 'If-None-Match': tags[at] as string });
        expect(response.status).toBe(200);
        const entity = (await response.json()) as EntityJson;
        expect(entity.field_access_terms).toEqual([]);
        entity.field_access_terms = [{ target_id: tid }];
        const patched = await site.patch(path, entity, 'admin', { 'If-Match': response.headers.get('etag') as string });
        expect(patched.status).toBe(200);
        expect(((await patched.json()) as EntityJson).field_access_terms).toEqual([reference(tid)]);
      }
    } finally {
      await site.stop();
    }
  });
});

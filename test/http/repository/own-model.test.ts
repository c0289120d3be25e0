import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { nextSecond } from '../../support/until.ts';

const FIELDS = {
  field_comment: 'comment',
  field_config: 'config_reference, target_type: user_role',
  field_decimal: 'decimal',
  field_email: 'email',
  field_flag: 'boolean',
  field_float: 'float',
  field_lang: 'language',
  field_list: 'list_string, allowed_values: { a: A, b: B }',
  field_media: 'entity_reference, target_type: media',
  field_moment: 'timestamp',
  field_remark: 'textarea_attr',
  field_part: 'part_detail',
  field_place: 'hierarchical_geographic',
  field_related: 'related_item',
  field_revision: 'entity_reference_revisions, target_type: node',
  field_rich: 'text',
  field_title: 'textfield_attr',
  field_type: 'entity_reference, target_type: media_type',
  field_uri: 'uri',
  field_user: 'entity_reference, target_type: user',
};

const field = (name: string, type: string) =>
  `      ${name}: { label: ${name}, cardinality: unlimited, type: ${type} }\n`;
const model = (fields: Record<string, string>) =>
  `node_types:\n  record:\n    label: Record\n    new_revision: true\n    fields:\n${Object.entries(fields)
    .map(([name, type]) => field(name, type))
    .join('')}` +
  `  plain:\n    label: Plain\n    new_revision: false\n    fields: {}\n` +
  `media_types:\n  loose:\n    label: Loose\n    source: file\n    source_field: field_bytes\n    fields:\n` +
  `      field_bytes: { label: Bytes, type: file, required: true, file_extensions: [txt] }\n` +
  `roles:\n  profiler:\n    label: Profiler\n    permissions: [access content, access user profiles]\n`;

let folder: string;
let modelFile: string;
let repository: TestRepository;
beforeAll(async () => {
  folder = await emptyFolder();
  modelFile = join(folder, 'model.yaml');
  await writeFile(modelFile, model(FIELDS));
  repository = await createTestRepository({ modelFile });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const records: number[] = [];
async function made(body: object, type = 'record'): Promise<EntityJson> {
  const response = await repository.post('/node', { type, title: ['x'], ...body }, 'admin');
  if (response.status !== 201) throw new Error(await response.text());
  const node = (await response.json()) as EntityJson;
  if (type === 'record') records.push(node.nid[0].value);
  return node;
}
const read = async (path: string, as = 'admin') => (await (await repository.get(path, as)).json()) as EntityJson;

describe('a field of another type', () => {
  const nothing = {
    continent: null,
    country: null,
    region: null,
    state: null,
    territory: null,
    county: null,
    city: null,
    city_section: null,
    island: null,
    area: null,
    extraterrestrial_area: null,
  };
  const rows: [field: string, sent: unknown, kept: unknown][] = [
    [
      'field_comment',
      [{ status: '1', comment_count: 99 }],
      [
        {
          status: 1,
          cid: 0,
          last_comment_timestamp: 0,
          last_comment_name: null,
          last_comment_uid: 0,
          comment_count: 0,
        },
      ],
    ],
    ['field_decimal', ['1.50', 2, { value: '-0.1' }], [{ value: '1.50' }, { value: '2' }, { value: '-0.1' }]],
    ['field_email', ['a@example.org'], [{ value: 'a@example.org' }]],
    ['field_flag', ['1', false, 'true'], [{ value: true }, { value: false }, { value: true }]],
    ['field_float', ['1.5', 1e21, -0], [{ value: 1.5 }, { value: 1e21 }, { value: 0 }]],
    ['field_lang', ['und'], [{ value: 'und' }]],
    ['field_list', ['b', 'a'], [{ value: 'b' }, { value: 'a' }]],
    [
      'field_moment',
      ['0', '2001-02-03T04:05:06Z'],
      [
        { value: '1970-01-01T00:00:00+00:00', format: 'Y-m-d\\TH:i:sP' },
        { value: '2001-02-03T04:05:06+00:00', format: 'Y-m-d\\TH:i:sP' },
      ],
    ],
    [
      'field_remark',
      [{ value: 'n', attr0: 'general', format: 'basic_html' }],
      [{ attr0: 'general', attr1: null, format: 'basic_html', value: 'n' }],
    ],
    ['field_part', [{ type: 'volume', number: 3 }], [{ type: 'volume', caption: null, number: '3', title: null }]],
    ['field_place', [{ country: 'Norway', city: 'Oslo' }], [{ ...nothing, country: 'Norway', city: 'Oslo' }]],
    [
      'field_related',
      [{ title: 'Series', number: '2' }],
      [{ identifier: null, identifier_type: null, number: '2', title: 'Series' }],
    ],
    [
      'field_rich',
      [{ value: '<em>x</em>', format: 'basic_html' }],
      [{ value: '<em>x</em>', format: 'basic_html', processed: '<em>x</em>' }],
    ],
    ['field_title', [{ value: 't', attr0: 'alternative' }], [{ attr0: 'alternative', attr1: null, value: 't' }]],
    ['field_type', ['image'], [{ target_id: 'image', target_type: 'media_type', target_uuid: expect.any(String) }]],
    ['field_uri', ['fedora://a/b.jpg'], [{ value: 'fedora://a/b.jpg' }]],
    [
      'field_user',
      [{ target_id: '1' }],
      [{ target_id: 1, target_type: 'user', target_uuid: expect.any(String), url: '/user/1' }],
    ],
  ];

  it.each(rows)('stores the expected value and accepts its own response: %s', async (name, sent, kept) => {
    const node = await made({ [name]: sent });
    expect(node[name]).toEqual(kept);
    const path = `/node/${node.nid[0].value}`;
    expect(await read(path)).toEqual(node);
    const back = await repository.patch(path, node, 'admin');
    expect({ status: back.status, body: await back.json() }).toEqual({ status: 200, body: node });
    expect(await read(`${path}/revisions`)).toHaveLength(1);
  });

  it('names the target of a reference to a revision or media', async () => {
    const target = await made({});
    const video = { bundle: 'remote_video', field_media_oembed_video: ['https://example.org/v'] };
    const media = (await (await repository.post('/media', video, 'admin')).json()) as EntityJson;
    const [nid, mid] = [target.nid[0].value, media.mid[0].value];
    const node = await made({
      field_revision: [{ target_id: nid, target_revision_id: String(target.vid[0].value) }],
      field_media: [{ target_id: mid }],
    });
    expect(node.field_revision[0]).toMatchObject({
      target_id: nid,
      target_revision_id: target.vid[0].value,
      target_type: 'node',
    });
    expect(node.field_media).toEqual([
      { target_id: mid, target_type: 'media', target_uuid: media.uuid[0].value, url: `/media/${mid}` },
    ]);
    await repository.delete(`/media/${mid}`, 'admin');
    await repository.delete(`/node/${nid}`, 'admin');
    const left = await read(`/node/${node.nid[0].value}`);
    expect(left.field_revision).toEqual([]);
    expect(left.field_media).toEqual([]);
  });

  it.each([
    ['field_comment', [{ status: 7 }]],
    ['field_decimal', ['1,5']],
    ['field_decimal', [{ value: {} }]],
    ['field_email', ['nobody']],
    ['field_flag', ['maybe']],
    ['field_float', ['x']],
    ['field_lang', ['xx']],
    ['field_list', ['c']],
    ['field_remark', [{ value: 'x', format: 'none' }]],
    ['field_part', [{ type: ['x'] }]],
    ['field_place', [{ city: { a: 1 } }]],
    ['field_type', ['none']],
    ['field_uri', ['nothing']],
    ['field_user', [{ target_id: 4711 }]],
    ['field_revision', [{ target_id: 4711 }]],
  ])('refuses an invalid value: %s %j', async (name, sent) => {
    const response = await repository.post('/node', { type: 'record', title: ['x'], [name]: sent }, 'admin');
    expect(response.status).toBe(422);
    expect(((await response.json()) as EntityJson).message).toStartWith(
      `Unprocessable Entity: validation failed.\n${name}.0`,
    );
  });
});

describe('a media type without a reference to nodes', () => {
  it('accepts no bytes for a node', async () => {
    const { nid } = await made({}, 'plain');
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': 'public://loose.txt' };
    const response = await repository.put(`/node/${nid[0].value}/media/loose/${use}`, 'x', headers, 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { message: 'loose media cannot be attached to a node: they have no field_media_of' },
    });
  });
});

describe('a configured role', () => {
  it('sees only the public members of users', async () => {
    await repository.user('profiler', 'profiler');
    const uid = await repository.user('someone');
    expect(Object.keys(await read(`/user/${uid}`, 'profiler')).join(' ')).toBe(
      'uid uuid langcode name created changed default_langcode path user_picture',
    );
  });
});

describe('a node type without revisions', () => {
  it('changes its only revision', async () => {
    const node = await made({}, 'plain');
    const path = `/node/${node.nid[0].value}`;
    await nextSecond();
    const response = await repository.patch(path, { type: 'plain', title: ['y'], revision_log: ['why'] }, 'admin');
    const changed = (await response.json()) as EntityJson;
    for (const name of ['vid', 'revision_timestamp', 'revision_uid']) expect(changed[name]).toEqual(node[name]);
    expect(changed.changed).not.toEqual(node.changed);
    const lines = (await read(`${path}/revisions`)) as unknown as EntityJson[];
    expect(lines.map(({ revision_log }) => revision_log)).toEqual([[{ value: 'why' }]]);
  });
});

describe('a model that changes', () => {
  it('shows new fields in existing content, empty and in order', async () => {
    const node = await made({ field_email: ['a@example.org'], field_uri: ['fedora://x'] });
    const path = `/node/${node.nid[0].value}`;
    await repository.patch(path, { type: 'record', title: ['y'] }, 'admin');
    await writeFile(modelFile, model({ ...FIELDS, field_extra: 'string', zzz_last: 'string' }));
    await repository.restart();
    for (const address of [path, `${path}/revisions/${node.vid[0].value}/view`]) {
      const after = await read(address);
      const names = Object.keys(after);
      expect(names.slice(names.indexOf('field_decimal'))).toEqual(
        [...Object.keys(FIELDS), 'field_extra', 'zzz_last'].sort().slice(2),
      );
      expect(after.field_extra).toEqual([]);
      expect(after.zzz_last).toEqual([]);
      expect(after.field_email).toEqual([{ value: 'a@example.org' }]);
      expect(after.field_uri).toEqual(node.field_uri);
    }
    const before = await read(path);
    expect(await (await repository.patch(path, before, 'admin')).json()).toEqual(before);
    const filled = await repository.patch(path, { type: 'record', field_extra: ['new'] }, 'admin');
    expect(((await filled.json()) as EntityJson).field_extra).toEqual([{ value: 'new' }]);
  });

  it('may drop an unused field, but not a used one', async () => {
    const node = await made({ field_part: [{ number: '1' }] });
    const { field_part: _part, ...without } = FIELDS;
    const extra = { field_extra: 'string' };
    await writeFile(modelFile, model({ ...without, ...extra }));
    await expect(repository.restart()).rejects.toThrow('node.record.field_part is no longer in the model');
    await writeFile(modelFile, model({ ...FIELDS, ...extra, field_part: 'string' }));
    await expect(repository.restart()).rejects.toThrow('field_part is string now and was part_detail');
    await writeFile(modelFile, model({ ...FIELDS, ...extra }));
    await repository.restart();
    const path = `/node/${node.nid[0].value}`;
    expect((await read(path)).field_part).toEqual(node.field_part);
    const { field_config: _config, ...fewer } = FIELDS;
    await writeFile(modelFile, model({ ...fewer, ...extra }));
    await repository.restart();
    expect(Object.keys(await read(path))).not.toContain('field_config');
    expect((await repository.patch(path, { type: 'record', field_config: [] }, 'admin')).status).toBe(422);
  });

  it('may not drop a field that only old revisions use', async () => {
    const node = await made({ field_email: ['b@example.org'] });
    const path = `/node/${node.nid[0].value}`;
    for (const record of records) {
      if ((await repository.get(`/node/${record}`, 'admin')).status === 404) continue;
      const emptied = await repository.patch(`/node/${record}`, { type: 'record', field_email: [] }, 'admin');
      expect(emptied.status).toBe(200);
    }
    const { field_email: _email, ...without } = FIELDS;
    await writeFile(modelFile, model({ ...without, field_extra: 'string' }));
    await expect(repository.restart()).rejects.toThrow('node.record.field_email is no longer in the model');
    await writeFile(modelFile, model({ ...FIELDS, field_extra: 'string' }));
    await repository.restart();
    expect((await read(`${path}/revisions/${node.vid[0].value}/view`)).field_email).toEqual(node.field_email);
  });
});

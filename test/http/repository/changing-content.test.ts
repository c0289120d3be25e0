import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonValue } from '../../../src/base/json.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { nextSecond } from '../../support/until.ts';

let repository: TestRepository;
let person: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  person = (await term({ vid: 'person', name: [{ value: 'Ann' }] })).tid[0].value;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function term(body: object): Promise<EntityJson> {
  const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as EntityJson;
}

async function patched(path: string, body: object, as = 'admin'): Promise<EntityJson> {
  const response = await repository.patch(`${path}?_format=json`, body, as);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  expect(response.headers.get('Content-Type')).toBe('application/json');
  return (await response.json()) as EntityJson;
}

const read = async (path: string) => (await (await repository.get(path, 'admin')).json()) as EntityJson;
const type = [{ target_id: 'islandora_object', target_type: 'node_type' }];

describe('a PATCH', () => {
  it('replaces a whole list and keeps fields that it omits', async () => {
    const node = await repository.node({
      field_identifier: [{ value: 'a' }, { value: 'b' }],
      field_extent: [{ value: '1 p.' }],
    });
    const path = `/node/${node.nid[0].value}`;
    const changed = await patched(path, { type, field_identifier: [{ value: 'c' }] });
    expect(changed.field_identifier).toEqual([{ value: 'c' }]);
    expect(changed.field_extent).toEqual([{ value: '1 p.' }]);
    expect(await read(path)).toEqual(changed);
  });

  it.each([
    ['[]', []],
    ['null', null],
    ['empty items', [{ value: '' }, {}, null]],
  ])('empties a field with %s', async (_name, value) => {
    const node = await repository.node({ field_identifier: [{ value: 'a' }] });
    expect((await patched(`/node/${node.nid[0].value}`, { type, field_identifier: value })).field_identifier).toEqual(
      [],
    );
  });

  it('drops empty items from a list', async () => {
    const node = await repository.node({ field_identifier: [{ value: 'a' }, { value: '' }, null, { value: 'b' }, {}] });
    expect(node.field_identifier).toEqual([{ value: 'a' }, { value: 'b' }]);
  });

  it('that changes a value creates a revision by the caller, and updates changed', async () => {
    const node = await repository.node({}, 'loader');
    const path = `/node/${node.nid[0].value}`;
    await nextSecond();
    const changed = await patched(path, { type, title: [{ value: 'Other' }] });
    expect(changed.vid[0].value).toBeGreaterThan(node.vid[0].value);
    expect(changed.revision_uid[0].target_id).toBe(1);
    expect(changed.changed[0].value > node.changed[0].value).toBe(true);
    expect(changed.revision_timestamp).toEqual(changed.changed);
    expect(changed.created).toEqual(node.created);
    expect(changed.uid).toEqual(node.uid);
  });

  it.each([
    ['no fields', {}],
    [
      'the current values',
      { title: [{ value: 'A title' }], field_weight: ['4'], field_extent: null, status: { value: '1' } },
    ],
    ['empty values for empty fields', { revision_log: [], field_rights: [] }],
  ])('with %s saves nothing', async (_name, body) => {
    const node = await repository.node({ field_weight: [{ value: 4 }] });
    const path = `/node/${node.nid[0].value}`;
    const [before, revisions] = [await read(path), await read(`${path}/revisions`)];
    expect(await patched(path, { type, ...body })).toEqual(before);
    expect(await read(`${path}/revisions`)).toEqual(revisions);
  });

  it('stores a separate log message for each revision', async () => {
    const node = await repository.node({ revision_log: [{ value: 'made' }] });
    const path = `/node/${node.nid[0].value}`;
    expect(node.revision_log).toEqual([{ value: 'made' }]);
    const log = [{ value: 'batch of May' }];
    expect((await patched(path, { type, title: [{ value: '1' }], revision_log: log })).revision_log).toEqual(log);
    expect((await patched(path, { type, title: [{ value: '2' }], revision_log: log })).revision_log).toEqual(log);
    expect((await patched(path, { type, title: [{ value: '3' }] })).revision_log).toEqual([]);
    const logs = ((await (await repository.get(`${path}/revisions`, 'admin')).json()) as EntityJson[]).map(
      (each) => each.revision_log,
    );
    expect(logs).toEqual([[], log, log, [{ value: 'made' }]]);
  });

  it('of a bundle without revisions changes the only revision', async () => {
    const made = await term({ vid: 'tags', name: [{ value: 'x' }] });
    const path = `/taxonomy/term/${made.tid[0].value}`;
    await nextSecond();
    const log = [{ value: 'why' }];
    const changed = await patched(path, { vid: 'tags', name: [{ value: 'y' }], revision_log_message: log });
    expect(changed.revision_id).toEqual(made.revision_id);
    expect(changed.revision_created).toEqual(made.revision_created);
    expect(changed.revision_log_message).toEqual(log);
    expect(changed.changed[0].value > made.changed[0].value).toBe(true);
  });
});

describe('a write from a loader', () => {
  const rows: [field: string, sent: JsonValue, kept: unknown][] = [
    ['status', { value: '0' }, [{ value: false }]],
    ['status', [{ value: '0' }], [{ value: false }]],
    ['status', [{ value: 'false' }], [{ value: false }]],
    ['status', [0], [{ value: false }]],
    ['status', [{ value: 'true' }], [{ value: true }]],
    ['promote', [{ value: '0' }], [{ value: false }]],
    ['sticky', ['1'], [{ value: true }]],
    ['title', ['bare'], [{ value: 'bare' }]],
    ['title', [5], [{ value: '5' }]],
    ['title', { value: 'x', foo: 1, lang: 'en' }, [{ value: 'x' }]],
    ['langcode', [{ value: 'und' }], [{ value: 'und' }]],
    [
      'created',
      [{ value: '2020-11-15T23:49:22+00:00' }],
      [{ value: '2020-11-15T23:49:22+00:00', format: 'Y-m-d\\TH:i:sP' }],
    ],
    ['created', [{ value: 1605484162 }], [{ value: '2020-11-15T23:49:22+00:00', format: 'Y-m-d\\TH:i:sP' }]],
    ['created', [{ value: '1605484162' }], [{ value: '2020-11-15T23:49:22+00:00', format: 'Y-m-d\\TH:i:sP' }]],
    [
      'created',
      [{ value: '2020-11-16T01:49:22+0200' }],
      [{ value: '2020-11-15T23:49:22+00:00', format: 'Y-m-d\\TH:i:sP' }],
    ],
    ['field_weight', [{ value: '2' }], [{ value: 2 }]],
    ['field_weight', { value: 2 }, [{ value: 2 }]],
    ['field_weight', ['2'], [{ value: 2 }]],
    ['field_identifier', ['a', 7, true], [{ value: 'a' }, { value: '7' }, { value: '1' }]],
    ['field_subject', [{ target_id: '', target_type: 'taxonomy_term' }], []],
    ['field_subject', [{ target_id: null }], []],
    ['field_linked_agent', [{ target_id: null, rel_type: 'relators:aut' }], []],
    ['field_linked_agent', [{ target_id: false, rel_type: 'relators:aut' }], []],
    ['field_linked_agent', [{ target_id: '', rel_type: '' }], []],
  ];

  it.each(rows)('may set %s to %j', async (field, sent, kept) => {
    expect((await repository.node({ [field]: sent }))[field]).toEqual(kept);
    const node = await repository.node();
    expect((await patched(`/node/${node.nid[0].value}`, { type, [field]: sent }))[field]).toEqual(kept);
  });

  it('may contain a reference in any supported form', async () => {
    const { uuid } = await read(`/taxonomy/term/${person}`);
    const target = {
      target_id: person,
      target_type: 'taxonomy_term',
      target_uuid: uuid[0].value,
      url: `/taxonomy/term/${person}`,
    };
    for (const sent of [
      [{ target_id: String(person), target_type: 'taxonomy_term' }],
      [{ target_id: person, target_type: 'node_type' }],
      [{ target_uuid: uuid[0].value }],
      [{ target_uuid: uuid[0].value.toUpperCase(), target_type: 'taxonomy_term' }],
      [{ target_id: 99999, target_uuid: uuid[0].value }],
      [{ target_id: person, target_uuid: '', url: '/nowhere', target_type: 'x' }],
      [person],
      { target_id: person },
    ])
      expect((await repository.node({ field_subjects_name: sent })).field_subjects_name).toEqual([target]);
  });

  it('keeps only typed relations with a target and a type', async () => {
    const agents = [
      { target_id: person },
      { target_id: person, rel_type: 'relators:aut' },
      { rel_type: 'relators:aut' },
    ];
    const node = await repository.node({ field_linked_agent: agents });
    expect(node.field_linked_agent).toHaveLength(1);
  });

  it('may create a term with empty and read-only members', async () => {
    const made = await term({
      vid: [{ target_id: 'person', target_type: 'taxonomy_vocabulary' }],
      name: [{ value: 'Smith, A' }],
      status: [{ value: '1' }],
      description: [{ value: '', format: null }],
      weight: [{ value: '2' }],
      parent: [{ target_type: 'taxonomy_term', target_id: null }],
      default_langcode: [{ value: true }],
      path: [{ alias: null, pid: null, langcode: 'en' }],
    });
    expect(made.weight).toEqual([{ value: 2 }]);
    expect(made.parent).toEqual([{ target_id: null }]);
  });

  it('may append items to those that the repository returned', async () => {
    const node = await repository.node({
      field_linked_agent: [{ target_id: person, rel_type: 'relators:aut' }],
      field_rights: [{ value: '<b>x</b>', format: 'basic_html' }],
      field_coordinates: [{ lat: '49.1', lng: '-123.2' }],
    });
    const path = `/node/${node.nid[0].value}`;
    const changed = await patched(path, {
      type,
      field_linked_agent: [...node.field_linked_agent, { target_id: String(person), rel_type: 'relators:pht' }],
      field_rights: [...node.field_rights, { value: 'y' }],
      field_coordinates: [...node.field_coordinates, { lat: '99.1', lng: '1' }],
    });
    expect(changed.field_linked_agent.slice(0, 1)).toEqual(node.field_linked_agent);
    expect(changed.field_rights.slice(0, 1)).toEqual(node.field_rights);
    expect(changed.field_coordinates.slice(0, 1)).toEqual(node.field_coordinates);
    for (const name of ['field_linked_agent', 'field_rights', 'field_coordinates'])
      expect(changed[name]).toHaveLength(2);
    expect(changed.field_coordinates[1].lat).toBe(99.1);
  });
});

describe('a media of every type', () => {
  const files: [type: string, name: string][] = [
    ['image', 'a.png'],
    ['audio', 'a.mp3'],
    ['video', 'a.mp4'],
    ['document', 'a.pdf'],
    ['file', 'a.zip'],
    ['extracted_text', 'a.txt'],
    ['fits_technical_metadata', 'a.xml'],
  ];

  async function filled(bundle: string, name: string): Promise<[path: string, media: EntityJson]> {
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const node = await repository.node();
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Location': `public://${bundle}/${name}` };
    const put = await repository.put(`/node/${node.nid[0].value}/media/${bundle}/${use}`, 'bytes', headers, 'admin');
    const path = new URL(put.headers.get('Location') ?? '').pathname;
    const empty = await read(path);
    const values: Record<string, unknown> = {
      field_original_name: ['original'],
      field_edited_text: [{ value: '<p>x</p>', format: 'basic_html' }],
      field_complete: [true],
      fits_ois_file_information_md5che: [{ value: 'd41d', format: 'plain_text' }],
      path: [{ alias: `/media-of/${bundle}` }],
    };
    const present = Object.entries(values).filter(([field]) => empty[field] !== undefined);
    const media = await patched(path, { bundle, ...Object.fromEntries(present) });
    for (const [field] of present) expect({ field, value: media[field] }).not.toEqual({ field, value: empty[field] });
    return [path, media];
  }

  it('accepts its own response as a PATCH and stays unchanged', async () => {
    const made = await Promise.all(files.map(([bundle, name]) => filled(bundle, name)));
    // A media type without revisions would show in `changed` alone that it was saved.
    await nextSecond();
    for (const [path, media] of made) {
      for (const address of [path, `${path}/edit`]) expect(await patched(address, media)).toEqual(media);
      expect(await read(path)).toEqual(media);
    }
  });
});

describe('a DELETE', () => {
  it('returns 204 without a body and removes the content permanently', async () => {
    const node = await repository.node({}, 'loader');
    const path = `/node/${node.nid[0].value}`;
    const response = await repository.delete(`${path}?_format=json`, 'loader');
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    for (const address of [
      path,
      `${path}/revisions`,
      `${path}/media`,
      `${path}/members`,
      `${path}/revisions/${node.vid[0].value}/view`,
    ])
      expect({ address, status: (await repository.get(address, 'admin')).status }).toEqual({ address, status: 404 });
    expect((await repository.delete(path, 'admin')).status).toBe(404);
    expect((await repository.patch(path, { type }, 'admin')).status).toBe(404);
    const next = await repository.node();
    expect(next.nid[0].value).toBeGreaterThan(node.nid[0].value);
  });
});

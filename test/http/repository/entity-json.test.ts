import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let full: EntityJson;
const terms: Record<string, EntityJson> = {};
let member: EntityJson;
let picture: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('loader', 'workbench_user');
  const vocabularies = [
    'country',
    'frequencies',
    'genre',
    'geo_location',
    'issuance_modes',
    'islandora_access',
    'islandora_display',
    'language',
  ];
  for (const vid of [
    ...vocabularies,
    'person',
    'physical_form',
    'resource_types',
    'subject',
    'tags',
    'temporal_subjects',
  ])
    terms[vid] = await made('/taxonomy/term', { vid, name: [{ value: `A ${vid}` }] });
  member = await repository.node();
  const upload = await repository.fetch('/file/upload/node/article/field_image?_format=json', {
    method: 'POST',
    as: 'admin',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="red.png"' },
    body: Bun.file(join(import.meta.dir, '../../fixtures/images/red.png')),
  });
  picture = (await upload.json()) as EntityJson;
  full = await repository.node(filled());
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function made(path: string, body: unknown): Promise<EntityJson> {
  const response = await repository.post(path, body, 'admin');
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

const tid = (vid: string): number => terms[vid]?.tid[0].value;

/** A term as a reference shows it. */
const shown = (vid: string) => ({
  target_id: tid(vid),
  target_type: 'taxonomy_term',
  target_uuid: terms[vid]?.uuid[0].value,
  url: `/taxonomy/term/${tid(vid)}`,
});

const TEXTS = [
  'field_alternative_title',
  'field_full_title',
  'field_description',
  'field_issue',
  'field_pid',
  'field_volume',
  'field_parent_publication_title',
];
const LISTS =
  'field_alt_title field_classification field_coordinates_text field_dewey_classification field_edition field_extent field_identifier field_isbn field_lcc_classification field_local_identifier field_oclc_number field_place_published field_publisher'.split(
    ' ',
  );
const DATES =
  'field_copyright_date field_date_captured field_date_modified field_date_valid field_edtf_date field_edtf_date_created field_edtf_date_issued'.split(
    ' ',
  );
const RICH = ['field_abstract', 'field_note', 'field_rights', 'field_table_of_contents'];
const REFERENCES: Record<string, string> = {
  field_access_terms: 'islandora_access',
  field_display_hints: 'islandora_display',
  field_frequency: 'frequencies',
  field_genre: 'genre',
  field_geographic_subject: 'geo_location',
  field_language: 'language',
  field_mode_of_issuance: 'issuance_modes',
  field_physical_form: 'physical_form',
  field_place_published_country: 'country',
  field_resource_type: 'resource_types',
  field_subject: 'subject',
  field_subjects_name: 'person',
  field_subject_general: 'geo_location',
  field_temporal_subject: 'temporal_subjects',
  field_viewer_override: 'islandora_display',
};

/** Every field of a repository item with a value, but the representative image. */
function filled() {
  const each = (names: readonly string[], value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
  return {
    ...each(TEXTS, [{ value: 'Größe 📚' }]),
    ...each(LISTS, [{ value: 'one' }, { value: 'two' }]),
    ...each(DATES, [{ value: '2001-05~' }, { value: '1999/2001' }]),
    ...each(RICH, [{ value: '<p>x <script>y</script></p>', format: 'basic_html' }]),
    ...Object.fromEntries(Object.entries(REFERENCES).map(([name, vid]) => [name, [{ target_id: tid(vid) }]])),
    field_coordinates: [{ lat: '49.1', lng: -123.2 }],
    field_linked_agent: [{ target_id: tid('person'), rel_type: 'relators:pht' }],
    field_member_of: [{ target_id: member.nid[0].value }],
    field_weight: [{ value: '7' }],
  };
}

const NODE_BASE =
  'nid uuid vid langcode type revision_timestamp revision_uid revision_log status uid title created changed promote sticky default_langcode revision_translation_affected path content_translation_source content_translation_outdated';
const TERM_BASE =
  'tid uuid revision_id langcode vid revision_created revision_user revision_log_message status name description weight parent changed default_langcode revision_translation_affected path content_translation_source content_translation_outdated content_translation_uid content_translation_created';
const OBJECT_FIELDS =
  'field_abstract field_access_terms field_alternative_title field_alt_title field_classification field_coordinates field_coordinates_text field_copyright_date field_date_captured field_date_modified field_date_valid field_description field_dewey_classification field_display_hints field_edition field_edtf_date field_edtf_date_created field_edtf_date_issued field_extent field_frequency field_full_title field_genre field_geographic_subject field_identifier field_isbn field_issue field_language field_lcc_classification field_linked_agent field_local_identifier field_member_of field_model field_mode_of_issuance field_note field_oclc_number field_parent_publication_title field_physical_form field_pid field_place_published field_place_published_country field_publisher field_representative_image field_resource_type field_rights field_subject field_subjects_name field_subject_general field_table_of_contents field_temporal_subject field_viewer_override field_volume field_weight';

describe('the members', () => {
  it.each([
    ['islandora_object', OBJECT_FIELDS],
    ['article', 'body comment field_image field_tags'],
    ['page', 'body'],
  ])('of a node of type %s have a fixed order', async (type, fields) => {
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    const node = await made('/node', {
      type,
      title: [{ value: 'x' }],
      ...(type === 'islandora_object' && { field_model: [{ target_id: model }] }),
    });
    expect(Object.keys(node).join(' ')).toBe(`${NODE_BASE} ${fields}`);
    const path = `/node/${node.nid[0].value}`;
    expect(await (await repository.get(path, 'admin')).json()).toEqual(node);
    const seen = (await (await repository.get(path)).json()) as EntityJson;
    expect(Object.keys(seen).join(' ')).toBe(`${NODE_BASE.replace(' revision_log', '')} ${fields}`);
  });

  it.each([
    ['islandora_models', 'field_external_uri'],
    ['islandora_media_use', 'field_external_uri'],
    ['islandora_access', 'field_access_level field_access_roles field_external_uri'],
    ['islandora_display', 'field_external_uri'],
    ['resource_types', 'field_authority_link'],
    ['resource_types_dcmi', 'field_authority_link field_code'],
    ['frequencies', 'field_authority_link field_code'],
    ['issuance_modes', 'field_authority_link field_code'],
    ['country', 'field_authority_link field_code'],
    ['language', 'field_authority_link field_code'],
    ['genre', 'field_alternate_name field_authority_link'],
    ['physical_form', 'field_alternate_name field_authority_link'],
    ['subject', 'field_alternate_name field_authority_link'],
    ['temporal_subjects', 'field_alternate_name field_authority_link'],
    ['geo_location', 'field_authority_link field_geo_alt_name field_geo_broader field_geo_geolocation'],
    ['person', 'field_alternate_name field_authority_link field_cat_date_begin field_cat_date_end field_relationships'],
    ['family', 'field_alternate_name field_authority_link field_cat_date_begin field_cat_date_end field_relationships'],
    [
      'corporate_body',
      'field_authority_link field_cat_date_begin field_cat_date_end field_corp_alt_name field_relationships field_type',
    ],
    ['tags', ''],
  ])('of a term of vocabulary %s have a fixed order', async (vid, fields) => {
    const term = await made('/taxonomy/term', { vid, name: [{ value: `A ${vid}` }] });
    expect(Object.keys(term).join(' ')).toBe(`${TERM_BASE} ${fields}`.trim());
    expect(term.vid).toEqual([{ target_id: vid, target_type: 'taxonomy_vocabulary', target_uuid: expect.any(String) }]);
    for (const name of fields.split(' ').filter(Boolean))
      expect({ name, value: term[name] }).toEqual({ name, value: [] });
    const path = `/taxonomy/term/${term.tid[0].value}`;
    const seen = (await (await repository.get(path)).json()) as EntityJson;
    expect(Object.keys(seen).join(' ')).toBe(`${TERM_BASE.replace(' revision_log_message', '')} ${fields}`.trim());
  });
});

describe('a new node', () => {
  it('has the default values', async () => {
    const before = Math.floor(Date.now() / 1000);
    const node = await made('/node', { type: 'page', title: [{ value: 'x' }] });
    const { uuid } = (await (await repository.get('/user/1', 'admin')).json()) as EntityJson;
    const admin = { target_id: 1, target_type: 'user', target_uuid: uuid[0].value, url: '/user/1' };
    const now = node.created[0].value;
    expect(Date.parse(now) / 1000).toBeGreaterThanOrEqual(before);
    const time = [
      { value: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/), format: 'Y-m-d\\TH:i:sP' },
    ];
    expect(node).toEqual({
      nid: [{ value: expect.any(Number) }],
      uuid: [{ value: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/) }],
      vid: [{ value: expect.any(Number) }],
      langcode: [{ value: 'en' }],
      type: [{ target_id: 'page', target_type: 'node_type', target_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
      revision_timestamp: time,
      revision_uid: [admin],
      revision_log: [],
      status: [{ value: true }],
      uid: [admin],
      title: [{ value: 'x' }],
      created: time,
      changed: [{ value: now, format: 'Y-m-d\\TH:i:sP' }],
      promote: [{ value: false }],
      sticky: [{ value: false }],
      default_langcode: [{ value: true }],
      revision_translation_affected: [{ value: true }],
      path: [{ alias: null, pid: null, langcode: 'en' }],
      content_translation_source: [{ value: 'und' }],
      content_translation_outdated: [{ value: false }],
      body: [],
    });
  });

  it('is promoted only if its type is promoted by default', async () => {
    for (const [type, promote] of [
      ['article', true],
      ['page', false],
    ] as const)
      expect((await made('/node', { type, title: [{ value: 'x' }] })).promote).toEqual([{ value: promote }]);
  });

  it('belongs to its creator and has an absolute Location', async () => {
    const response = await repository.post('/node?_format=json', { type: 'page', title: [{ value: 'x' }] }, 'loader');
    expect(response.status).toBe(201);
    const node = (await response.json()) as EntityJson;
    expect(response.headers.get('Location')).toBe(`${repository.url}/node/${node.nid[0].value}`);
    expect(node.uid[0].target_id).not.toBe(1);
    expect(node.uid).toEqual(node.revision_uid);
  });
});

describe('an item', () => {
  const processed = '<p>x </p>';

  it('of text has a value', () => {
    for (const name of TEXTS) expect({ name, value: full[name] }).toEqual({ name, value: [{ value: 'Größe 📚' }] });
    for (const name of LISTS)
      expect({ name, value: full[name] }).toEqual({ name, value: [{ value: 'one' }, { value: 'two' }] });
    for (const name of DATES)
      expect({ name, value: full[name] }).toEqual({ name, value: [{ value: '2001-05~' }, { value: '1999/2001' }] });
  });

  it('of formatted text has its processed HTML', async () => {
    const items = [{ value: '<p>x <script>y</script></p>', format: 'basic_html', processed }];
    for (const name of RICH) {
      expect({ name, value: full[name] }).toEqual({ name, value: items });
      expect(Object.keys(full[name][0])).toEqual(['value', 'format', 'processed']);
    }
    const page = await made('/node', {
      type: 'page',
      title: [{ value: 'x' }],
      body: [{ value: '<b>a</b>', summary: 's' }],
    });
    expect(Object.entries(page.body[0])).toEqual([
      ['value', '<b>a</b>'],
      ['format', null],
      ['processed', '<p>&lt;b&gt;a&lt;/b&gt;</p>'],
      ['summary', 's'],
    ]);
  });

  it('of a reference has type, UUID and root-relative address of its target', () => {
    for (const [name, vid] of Object.entries(REFERENCES)) {
      expect({ name, value: full[name] }).toEqual({ name, value: [shown(vid)] });
      expect(Object.keys(full[name][0])).toEqual(['target_id', 'target_type', 'target_uuid', 'url']);
    }
    const nid = member.nid[0].value;
    const target = { target_id: nid, target_type: 'node', target_uuid: member.uuid[0].value, url: `/node/${nid}` };
    expect(full.field_member_of).toEqual([target]);
  });

  it('of a typed relation has its type after the target', () => {
    const { target_id, ...rest } = shown('person');
    expect(JSON.stringify(full.field_linked_agent)).toBe(
      JSON.stringify([{ target_id, rel_type: 'relators:pht', ...rest }]),
    );
  });

  it('of a number has a JSON number, and of a point its computed values', () => {
    expect(full.field_weight).toEqual([{ value: 7 }]);
    const [lat, lng] = [(49.1 * Math.PI) / 180, (-123.2 * Math.PI) / 180];
    const [point] = full.field_coordinates;
    expect(Object.keys(point).slice(0, 6)).toEqual(['lat', 'lng', 'lat_sin', 'lat_cos', 'lng_rad', 'data']);
    expect(point).toMatchObject({ lat: 49.1, lng: -123.2, data: expect.anything() });
    expect(point.lat_sin).toBeCloseTo(Math.sin(lat), 10);
    expect(point.lat_cos).toBeCloseTo(Math.cos(lat), 10);
    expect(point.lng_rad).toBeCloseTo(lng, 10);
  });

  it('of an image has its texts, its size and the absolute address of its bytes', async () => {
    const fid = picture.fid[0].value;
    const body = {
      type: 'article',
      title: [{ value: 'x' }],
      field_image: [{ target_id: fid, alt: 'red', width: 9999 }],
      field_tags: [{ target_id: tid('tags') }],
    };
    const article = await made('/node', body);
    const url = `${repository.url}${picture.uri[0].url}`;
    const uuid = picture.uuid[0].value;
    const [image] = article.field_image;
    expect(image).toEqual({
      target_id: fid,
      alt: 'red',
      title: null,
      width: expect.any(Number),
      height: expect.any(Number),
      target_type: 'file',
      target_uuid: uuid,
      url,
    });
    expect(Object.keys(image).join()).toBe('target_id,alt,title,width,height,target_type,target_uuid,url');
    expect(image.width).toBeLessThan(9999);
    expect(article.comment).toEqual([
      { status: 2, cid: 0, last_comment_timestamp: 0, last_comment_name: null, last_comment_uid: 0, comment_count: 0 },
    ]);
    const path = `/node/${article.nid[0].value}`;
    const back = await repository.patch(path, article, 'admin');
    expect(back.status).toBe(200);
    expect(await back.json()).toEqual(article);
  });
});

describe('a new term', () => {
  it('is at the top of its vocabulary, without a description', () => {
    const term = terms.tags as EntityJson;
    expect(term.parent).toEqual([{ target_id: null }]);
    expect(term.weight).toEqual([{ value: 0 }]);
    expect(term.description).toEqual([{ value: null, format: null, processed: '' }]);
    expect(term.path).toEqual([{ alias: null, pid: null, langcode: 'en' }]);
    expect(term.content_translation_uid[0].target_id).toBe(1);
  });

  it('keeps links and authority links in the order of the API', async () => {
    const link = await made('/taxonomy/term', {
      vid: 'islandora_models',
      name: [{ value: 'x' }],
      field_external_uri: [{ uri: 'http://example.org/x', foo: 1 }],
    });
    expect(JSON.stringify(link.field_external_uri)).toBe('[{"uri":"http://example.org/x","title":null,"options":[]}]');
    const items = [{ source: 'lcsh', uri: 'http://example.org/y', title: 'Y' }];
    const subject = await made('/taxonomy/term', {
      vid: 'subject',
      name: [{ value: 'x' }],
      field_authority_link: items,
    });
    expect(JSON.stringify(subject.field_authority_link)).toBe(
      '[{"uri":"http://example.org/y","title":"Y","options":[],"source":"lcsh"}]',
    );
  });
});

describe('the body of a GET', () => {
  it('can be sent back as a PATCH and changes nothing', async () => {
    const rows: [path: string, body: EntityJson][] = [[`/node/${full.nid[0].value}`, full]];
    for (const term of Object.values(terms)) rows.push([`/taxonomy/term/${term.tid[0].value}`, term]);
    for (const vid of ['islandora_models', 'country', 'language']) {
      const list = (await (await repository.get(`/vocabulary/${vid}`, 'admin')).json()) as EntityJson[];
      for (const term of list.slice(0, 20)) rows.push([`/taxonomy/term/${term.tid[0].value}`, term]);
    }
    for (const [path, body] of rows) {
      const response = await repository.patch(`${path}?_format=json`, body, 'admin');
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      expect(await response.json()).toEqual(body);
    }
  });

  it('creates a copy when sent without its read-only members', async () => {
    const { nid: _n, uuid: _u, vid: _v, revision_timestamp: _r, changed: _c, revision_uid: _i, ...body } = full;
    const copy = await made('/node?_format=json', body);
    for (const name of OBJECT_FIELDS.split(' '))
      expect({ name, value: copy[name] }).toEqual({ name, value: full[name] });
  });
});

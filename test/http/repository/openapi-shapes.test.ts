import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { BUILT_IN } from '../../../src/field-types/registry.ts';
import { type ApiDescription, describedApi } from '../../support/described-api.ts';
import { createSample, PNG, type Sample } from '../../support/repository-routes.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** A field of every type that can be configured, and what is sent for it. */
const FIELDS: Readonly<Record<string, { settings?: string; sent: (of: Sample) => unknown }>> = {
  string: { sent: () => ['a "quoted" <b>text</b>', 5, true] },
  string_long: { sent: () => 'one line\nand another'.split('\n') },
  text: { sent: () => [{ value: '<em>x</em>', format: 'basic_html' }] },
  text_long: { sent: () => ['x', { value: 'y', format: null }] },
  text_with_summary: { sent: () => [{ summary: 'only' }, { value: 'x', format: 'plain_text' }] },
  list_string: { settings: 'allowed_values: { a: A, 1: One }', sent: () => ['a', 1] },
  boolean: { sent: () => ['1', false, 'true', 0] },
  integer: { sent: () => ['5', -7] },
  decimal: { sent: () => ['1.50', 2, '-.5'] },
  float: { sent: () => ['1e21', 0.1] },
  edtf: { sent: () => ['1985-04-12/..', '2004-06~'] },
  entity_reference: { settings: 'target_type: node', sent: ({ node }) => [{ target_id: String(node) }, node] },
  typed_relation: {
    settings: 'target_type: taxonomy_term, rel_types: { "relators:aut": Author }',
    sent: ({ term }) => [{ target_id: term, rel_type: 'relators:aut' }, { target_id: '' }],
  },
  file: { settings: 'file_extensions: [png]', sent: ({ file }) => [{ target_id: file, description: 'x' }, file] },
  image: {
    settings: 'file_extensions: [png]',
    sent: ({ file }) => [{ target_id: file, alt: 'x' }, { target_id: file }],
  },
  media_track: {
    settings: 'file_extensions: [vtt]',
    sent: () => [{ target_id: captions, label: 'x', kind: 'captions', srclang: 'en', default: '1' }],
  },
  link: { sent: () => ['http://a.org/', { uri: 'http://b.org/', title: 'B', options: { a: { b: [1] } } }] },
  authority_link: {
    settings: 'authority_sources: [viaf]',
    sent: () => [{ uri: 'http://viaf.org/1', source: 'viaf' }, 'http://viaf.org/2'],
  },
  geolocation: { sent: () => [{ lat: '59.9', lng: 10.7 }] },
  comment: { sent: () => [{ status: '1' }] },
  timestamp: { sent: () => ['0', '2001-02-03T04:05:06Z'] },
  language: { sent: () => ['en', 'und'] },
  uri: { sent: () => ['fedora://a/b.jpg'] },
  email: { sent: () => ['å@example.org'] },
  textfield_attr: { sent: () => [{ value: 't', attr0: 'alternative' }, 'bare'] },
  textarea_attr: { sent: () => [{ value: 'n', attr1: 5, format: 'basic_html' }] },
  related_item: { sent: () => [{ title: 'Series', number: 2 }] },
  part_detail: { sent: () => ({ type: 'volume', number: 3 }) },
  hierarchical_geographic: { sent: () => [{ country: 'Norway' }] },
  config_reference: { settings: 'target_type: user_role', sent: () => ['administrator', 'content_editor'] },
  entity_reference_revisions: {
    settings: 'target_type: node',
    sent: ({ node, revision }) => [{ target_id: node, target_revision_id: String(revision) }, { target_id: node }],
  },
};
/** The repository sets these itself. */
const OWN_TYPES = ['created', 'changed', 'uuid', 'path', 'access_rule'];

const MORE = {
  of_media: 'entity_reference, target_type: media',
  of_user: 'entity_reference, target_type: user',
  of_file: 'entity_reference, target_type: file',
  of_type: 'entity_reference, target_type: media_type',
};

const fieldLine = (name: string, settings: string) =>
  `      x_${name}: { label: ${name}, cardinality: unlimited, type: ${settings} }\n`;
const MODEL =
  `node_types:\n  record:\n    label: Record\n    fields:\n` +
  Object.entries(FIELDS)
    .map(([type, { settings }]) => fieldLine(type, settings === undefined ? type : `${type}, ${settings}`))
    .join('') +
  Object.entries(MORE)
    .map(([name, settings]) => fieldLine(name, settings))
    .join('') +
  // Names that are the same when they are written without underscores, and one that is taken.
  `  a_1: { label: First, fields: {} }\n  a1: { label: Second, fields: {} }\n  create: { label: Third, fields: {} }\n`;

const RECORD = [{ target_id: 'record' }];

let repository: TestRepository;
let api: ApiDescription;
let sample: Sample;
let captions: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('guest');
  sample = await createSample(repository);
  const file = await new SiteBuilder(repository).file('node/record/x_media_track', 'captions.vtt', 'WEBVTT\n');
  captions = file.fid[0].value;
  api = await describedApi(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function answered(response: Response, status: number): Promise<EntityJson> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as EntityJson;
}

const read = async (path: string, as?: string) => answered(await repository.get(path, as), 200);

describe('a field', () => {
  it('of every type is tried here', () => {
    expect([...Object.keys(FIELDS), ...OWN_TYPES].toSorted()).toEqual(Object.keys(BUILT_IN).toSorted());
  });

  it.each(Object.keys(FIELDS))('of type %s is described as it is answered, and may be sent like that', async (type) => {
    const loose = { type: 'record', title: ['x'], [`x_${type}`]: FIELDS[type]?.sent(sample) };
    const node = await answered(await repository.post('/node', loose, 'admin'), 201);
    expect(node[`x_${type}`].length).toBeGreaterThan(0);
    expect(api.shapeErrors('Node', node)).toEqual([]);
    expect(api.shapeErrors('NodeChange', node)).toEqual([]);
    const body = { type: RECORD, title: [{ value: 'x' }], [`x_${type}`]: node[`x_${type}`] };
    expect(api.shapeErrors('NodeCreate', body)).toEqual([]);
    const copy = await answered(await repository.post('/node', body, 'admin'), 201);
    expect(copy[`x_${type}`]).toEqual(node[`x_${type}`]);
    const unlike = { ...node, [`x_${type}`]: [{ ...node[`x_${type}`][0], strange: 1 }] };
    expect(api.shapeErrors('Node', unlike)).not.toEqual([]);
  });

  it('that refers to media, users, files or configuration is described', async () => {
    const sent = {
      x_of_media: [{ target_id: sample.media }],
      x_of_user: [{ target_id: 1 }],
      x_of_file: [{ target_id: sample.file }],
      x_of_type: [{ target_id: 'image' }, { target_id: 'file' }],
    };
    const body = { type: RECORD, title: [{ value: 'x' }], ...sent };
    expect(api.shapeErrors('NodeCreate', body)).toEqual([]);
    const node = await answered(await repository.post('/node', body, 'admin'), 201);
    expect(api.shapeErrors('Node', node)).toEqual([]);
  });
});

describe('an answer', () => {
  it('is described as strangers and editors see it, and as nothing else', async () => {
    const path = `/node/${sample.node}`;
    const [seen, edited] = [await read(path), await read(path, 'admin')];
    expect('revision_log' in seen).toBe(false);
    expect('revision_log' in edited).toBe(true);
    expect(api.shapeErrors('Node', seen)).toEqual([]);
    expect(api.shapeErrors('Node', edited)).toEqual([]);
    for (const member of Object.keys(seen)) {
      const { [member]: _left, ...without } = seen;
      expect(`${member} ${api.shapeErrors('Node', without).length > 0}`).toBe(`${member} true`);
    }
    expect(api.shapeErrors('Node', { ...seen, field_of_nobody: [] })).not.toEqual([]);
    expect(api.shapeErrors('Node', { ...seen, title: [] })).not.toEqual([]);
    expect(api.shapeErrors('Node', { ...seen, nid: [{ value: '1' }] })).not.toEqual([]);
  });

  it('of a media, a file, a term and a user is described', async () => {
    const tag = { vid: 'tags', name: ['Below'], parent: [sample.term], description: [{ value: 'x' }], weight: ['3'] };
    const below = await answered(await repository.post('/taxonomy/term', tag, 'admin'), 201);
    for (const [shape, path] of [
      ['Media', `/media/${sample.media}`],
      ['File', `/entity/file/${sample.file}`],
      ['TaxonomyTerm', `/taxonomy/term/${sample.term}`],
      ['TaxonomyTerm', `/taxonomy/term/${below.tid[0].value}`],
      ['User', '/user/1'],
      ['User', '/user/0'],
      ['User', '/user/2'],
    ] as const) {
      const entity = await read(path, 'admin');
      expect({ path, errors: api.shapeErrors(shape, entity) }).toEqual({ path, errors: [] });
      expect(api.shapeErrors(shape, { ...entity, strange: [] })).not.toEqual([]);
    }
    expect(api.shapeErrors('User', await read('/user/2', 'guest'))).toEqual([]);
  });

  it('is described when what it refers to is gone', async () => {
    const other = await createSample(repository);
    const references = { x_of_file: [other.file], x_of_media: [other.media] };
    const node = await answered(
      await repository.post('/node', { type: 'record', title: ['x'], ...references }, 'admin'),
      201,
    );
    await repository.delete(`/entity/file/${other.file}`, 'admin');
    const [left, media] = [await read(`/node/${node.nid[0].value}`), await read(`/media/${other.media}`, 'admin')];
    expect(left.x_of_file).toEqual([]);
    expect(media.field_media_image).toEqual([]);
    expect(media.thumbnail).toEqual([]);
    expect(api.shapeErrors('Node', left)).toEqual([]);
    expect(api.shapeErrors('Media', media)).toEqual([]);
  });

  it('is described for every default term, and for media of every kind', async () => {
    for (const name of api.document.paths['/vocabulary/{taxonomy_vocabulary}'] ? VOCABULARIES : []) {
      for (const term of (await read(`/vocabulary/${name}`, 'admin')) as unknown as EntityJson[])
        expect({ name: term.name, errors: api.shapeErrors('TaxonomyTerm', term) }).toEqual({
          name: term.name,
          errors: [],
        });
    }
    for (const [type, name] of Object.entries(UPLOADS)) {
      const headers = { 'Content-Type': 'application/octet-stream', 'Content-Location': `private://${type}/${name}` };
      const put = await repository.put(`/node/${sample.node}/media/${type}/${sample.use}`, PNG, headers, 'admin');
      const path = new URL(put.headers.get('location') ?? `${repository.url}/media/${sample.media}`).pathname;
      expect({ type, errors: api.shapeErrors('Media', await read(path, 'admin')) }).toEqual({ type, errors: [] });
    }
  });
});

const VOCABULARIES = ['islandora_models', 'islandora_media_use', 'islandora_display', 'resource_types'];
const UPLOADS = {
  image: 'a.png',
  audio: 'a.mp3',
  video: 'a.mp4',
  document: 'a.pdf',
  file: 'a.tif',
  extracted_text: 'a.txt',
};

describe('a request', () => {
  const bodies: [what: string, body: object][] = [
    ['everything bare', { type: 'record', title: { value: 'x' }, status: { value: '0' }, promote: { value: 1 } }],
    ['null for an empty list', { type: [{ target_id: 'record' }], title: ['x'], x_string: null, path: null }],
    [
      'empty items',
      { type: ['record'], title: ['x'], x_entity_reference: [{ target_id: '' }, null, { target_id: false }] },
    ],
    [
      'what is of no account',
      { type: { target_id: 'record', x: 1 }, title: [{ value: 'x', y: 2 }], default_langcode: [true] },
    ],
    ['a date of another form', { type: 'record', title: ['x'], created: [{ value: 0, format: 'U' }] }],
  ];
  it.each(bodies)('with %s is accepted, although the description has one form only', async (_what, body) => {
    expect(api.shapeErrors('NodeCreate', body)).not.toEqual([]);
    await answered(await repository.post('/node', body, 'admin'), 201);
  });

  const refused: [what: string, body: object][] = [
    ['without a type', { title: ['x'] }],
    ['of an unknown type', { type: 'recrod', title: ['x'] }],
    ['without a title', { type: 'record' }],
    ['with an unknown field', { type: 'record', title: ['x'], titel: [] }],
    ['with a bare value for a list', { type: 'record', title: 'x' }],
    ['with an unknown choice', { type: 'record', title: ['x'], x_list_string: ['b'] }],
    ['with an unknown role', { type: 'record', title: ['x'], x_typed_relation: [{ target_id: 1, rel_type: 'x' }] }],
    ['with a bare value where an object is needed', { type: 'record', title: ['x'], x_geolocation: ['59, 10'] }],
  ];
  it.each(refused)('%s is refused, and not described', async (_what, body) => {
    expect(api.shapeErrors('NodeCreate', body)).not.toEqual([]);
    const answer = await repository.post('/node', body, 'admin');
    expect(answer.status).toBe(422);
  });
});

describe('names of the model', () => {
  it('that become the same get different names, none of the description', () => {
    const { schemas } = api.document.components;
    expect(schemas.NodeA1?.description).toBe('First');
    expect(schemas.NodeA12?.description).toBe('Second');
    expect(schemas.NodeCreate2?.description).toBe('Third');
    expect(schemas.NodeCreate?.anyOf).toBeArray();
  });
});

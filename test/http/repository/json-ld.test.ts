import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import jsonld from 'jsonld';
import { readJson } from '../../support/binaries.ts';
import { countValues, fixture, type Resource, resourcesOf, statementsOf } from '../../support/linked-data.ts';
import { PNG } from '../../support/repository-routes.ts';
import { type As, createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** The site as its fixtures know it. */
const HOST = { Host: 'repo.example' };
const BASE = 'http://repo.example';
const RDF_TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const CREATED = [{ value: '2019-03-14T19:05:24+00:00' }];
const type = [{ target_id: 'islandora_object' }];

let repository: TestRepository;
let loader: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  loader = await repository.user('loader', 'workbench_user');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function put(node: number, uri: string, bytes: Uint8Array<ArrayBuffer> = PNG): Promise<number> {
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  const headers = { 'Content-Type': 'image/png', 'Content-Location': uri };
  const response = await repository.put(`/node/${node}/media/image/${use}`, bytes, headers, 'admin');
  expect(response.status).toBe(201);
  return Number(response.headers.get('location')?.split('/').at(-1));
}

async function change(path: string, body: object): Promise<void> {
  expect((await repository.patch(`${path}?_format=json`, body, 'admin')).status).toBe(200);
}

/** The graph at an address. When it changed depends on the run; fixtures have a time of their own. */
async function graphOf(path: string, as?: As): Promise<string> {
  const response = await repository.get(`${path}?_format=jsonld`, as, HOST);
  expect({ path, as, status: response.status }).toEqual({ path, as, status: 200 });
  expect(response.headers.get('Content-Type')).toBe('application/ld+json');
  const { changed } = (await (await repository.get(`${path}?_format=json`, as, HOST)).json()) as EntityJson;
  return (await response.text()).replaceAll(changed[0].value, '2026-01-02T03:04:05+00:00');
}

/** Returns the statements of a graph about an address. */
async function about(path: string, as: As, url: string): Promise<Resource | undefined> {
  return resourcesOf(await graphOf(path, as)).find((resource) => resource['@id'] === `${BASE}${url}`);
}

describe('the graph of a node with a value in every mapped field', () => {
  let facts: Record<string, number>;
  let path: string;
  let image: number;
  beforeAll(async () => {
    const names = {
      ...{ person: 'person', body: 'corporate_body', family: 'family', subject: 'subject', genre: 'genre' },
      ...{ place: 'geo_location', frequency: 'frequencies', language: 'language', country: 'country' },
      ...{ issuance: 'issuance_modes', form: 'physical_form', resource: 'resource_types' },
      ...{ period: 'temporal_subjects' },
    };
    facts = { collection: (await repository.node()).nid[0].value };
    for (const [name, vocabulary] of Object.entries(names))
      facts[name] = await repository.build.term(vocabulary, `One ${name}`);
    const to = (name: string) => [{ target_id: facts[name] as number }];
    const text = (value: string) => [{ value }];
    const html = (value: string) => [{ value, format: 'basic_html' }];
    const { nid } = await repository.node({
      created: CREATED,
      title: text('Moon and Half Dome'),
      field_abstract: html('<p>Black &amp; white</p>'),
      field_alt_title: text('Луна'),
      field_alternative_title: text('La Lune'),
      field_classification: text('Local 7'),
      field_coordinates: [{ lat: 37.74, lng: -119.53 }],
      field_coordinates_text: text("37° 44' N"),
      field_copyright_date: text('1961~'),
      field_date_captured: text('2020-05-06'),
      field_date_modified: text('2021-07'),
      field_date_valid: text('2022-12-01/2023'),
      field_description: text('One line\nand another'),
      field_dewey_classification: text('779.36'),
      field_edition: text('2nd'),
      field_edtf_date: text('1960'),
      field_edtf_date_created: text('1960-12-28?'),
      field_edtf_date_issued: text('1962/1963'),
      field_extent: text('1 sheet'),
      field_frequency: to('frequency'),
      field_full_title: text('Moon and Half Dome, Yosemite'),
      field_genre: to('genre'),
      field_geographic_subject: to('place'),
      field_identifier: text('AA-1'),
      field_isbn: text('978-3-16-148410-0'),
      field_language: to('language'),
      field_lcc_classification: text('TR654 .A3'),
      field_linked_agent: [{ target_id: facts.person as number, rel_type: 'relators:pht' }],
      field_local_identifier: text('local 1'),
      field_member_of: to('collection'),
      field_mode_of_issuance: to('issuance'),
      field_note: html('A note'),
      field_oclc_number: text('31384295'),
      field_physical_form: to('form'),
      field_pid: text('not mapped'),
      field_place_published: text('Yosemite Valley'),
      field_place_published_country: to('country'),
      field_publisher: text('Sierra Club'),
      field_resource_type: to('resource'),
      field_rights: html('https://creativecommons.org/licenses/by/4.0/'),
      field_subject: to('subject'),
      field_subject_general: [...to('subject'), ...to('body')],
      field_subjects_name: to('family'),
      field_table_of_contents: html('<p>1. Moon</p>'),
      field_temporal_subject: to('period'),
      field_weight: [{ value: 5 }],
    });
    facts.node = nid[0].value;
    path = `/node/${facts.node}`;
    image = await put(facts.node as number, 'public://every field.png');
    await change(path, { type, field_representative_image: [{ target_id: image }] });
  });

  it('covers every field with a predicate', async () => {
    const node = (await (await repository.get(`${path}?_format=json`)).json()) as EntityJson;
    const mapping = repository.running.services.model.rdf.mappings.node.get('islandora_object');
    for (const field of mapping?.fields.keys() ?? [])
      expect({ field, value: node[field] }).toEqual({ field, value: [expect.anything(), ...node[field].slice(1)] });
    expect(mapping?.fields.size).toBe(49);
  });

  it('has exactly the expected statements', async () => {
    const text = await graphOf(path, 'admin');
    const statements = await statementsOf(text);
    expect(statements).toEqual(await fixture('every-node-field.nq', facts));
    expect(statements).toHaveLength(countValues(text));
  });

  it('is expanded JSON-LD without an external context', async () => {
    const { '@graph': graph, ...rest } = JSON.parse(await graphOf(path, 'admin'));
    expect(rest).toEqual({});
    const options = { safe: true, documentLoader: () => Promise.reject(new Error('there is no context to load')) };
    const expanded: unknown = await jsonld.expand({ '@graph': graph }, options);
    expect(expanded).toEqual(graph.map((each: Resource) => ({ ...each, '@type': [each['@type']].flat() })));
  });

  it('is the same for anonymous callers, except for a hidden image', async () => {
    const all = await statementsOf(await graphOf(path, 'admin'));
    for (const as of ['reader', undefined]) expect(all).toEqual(await statementsOf(await graphOf(path, as)));
    await change(`/media/${image}`, { bundle: 'image', status: [false] });
    expect(await statementsOf(await graphOf(path, 'admin'))).toEqual(all);
    const statements = await statementsOf(await graphOf(path));
    expect(statements).toEqual(await statementsOf(await graphOf(path, 'reader')));
    expect(all.filter((each) => !statements.includes(each))).toEqual([
      expect.stringContaining('identifier.thumbnail> "http://repo.example/sites/default/files/every%20field.png"'),
    ]);
    expect(statements).toHaveLength(all.length - 1);
  });
});

describe('the graph of an article', () => {
  it('names its image by the address of the file', async () => {
    const node = (await repository.node()).nid[0].value as number;
    const media = await put(node, 'public://in an article.png');
    const { field_media_image: image } = (await (
      await repository.get(`/media/${media}?_format=json`, 'admin')
    ).json()) as EntityJson;
    const tag = await repository.build.term('tags', 'Moon');
    const article = {
      type: 'article',
      title: ['News'],
      body: [{ value: '<p>Text</p>', summary: 'Short', format: 'basic_html' }],
      field_image: [{ target_id: image[0].target_id, alt: 'Red' }],
      field_tags: [tag],
    };
    const made = (await (await repository.post('/node?_format=json', article, 'admin')).json()) as EntityJson;
    const text = await graphOf(`/node/${made.nid[0].value}`);
    await statementsOf(text);
    expect(resourcesOf(text)).toEqual([
      expect.objectContaining({
        '@type': ['http://schema.org/Article'],
        'http://schema.org/name': [{ '@value': 'News', '@language': 'en' }],
        'http://schema.org/text': [{ '@value': '<p>Text</p>', '@language': 'en' }],
        'http://schema.org/image': [{ '@id': `${BASE}/sites/default/files/in%20an%20article.png` }],
        'http://schema.org/about': [{ '@id': `${BASE}/taxonomy/term/${tag}` }],
      }),
      { '@id': `${BASE}/user/1`, '@type': ['http://schema.org/Person'] },
      { '@id': `${BASE}/sites/default/files/in%20an%20article.png`, '@type': `${BASE}/rest/type/file/file` },
      { '@id': `${BASE}/taxonomy/term/${tag}`, '@type': ['http://schema.org/Thing'] },
    ]);
  });
});

describe('the graph of a media', () => {
  let node: number;
  let media: number;
  beforeAll(async () => {
    node = (await repository.node()).nid[0].value;
    const bytes = await Bun.file(new URL('../../fixtures/images/red.png', import.meta.url)).bytes();
    media = await put(node, 'public://media test.png', bytes);
    const body = { bundle: 'image', created: CREATED, uid: [loader], field_original_name: ['Ä.png'] };
    await change(`/media/${media}`, body);
  });

  it.each(['admin', 'loader', 'reader', undefined])('has the expected statements for %s', async (as) => {
    const text = await graphOf(`/media/${media}`, as);
    const statements = await statementsOf(text);
    const expected = await fixture('media.nq', { media, node });
    expect(statements).toEqual(expected.map((each) => each.replace('/user/1>', `/user/${loader}>`)).toSorted());
    expect(statements).toHaveLength(countValues(text));
  });

  it('is also available at its second address', async () => {
    const response = await repository.get(`/media/${media}/edit?_format=jsonld`, 'admin', HOST);
    expect(response.headers.get('Content-Type')).toBe('application/ld+json');
    expect(await response.text()).toBe(
      await (await repository.get(`/media/${media}?_format=jsonld`, 'admin', HOST)).text(),
    );
  });

  it('is refused to anonymous callers if its node is hidden', async () => {
    const secret = (await repository.node({ status: [{ value: false }] })).nid[0].value as number;
    const response = await repository.get(`/media/${await put(secret, 'public://of a draft.png')}?_format=jsonld`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 401,
      body: { message: 'No authentication credentials provided.' },
    });
    expect(response.headers.get('WWW-Authenticate')).toBe('Basic realm="Repository"');
  });

  it('shows the owner only the address of a hidden node', async () => {
    const hidden = (await repository.node({ status: [{ value: false }] })).nid[0].value as number;
    const secret = await put(hidden, 'private://secret.png');
    await change(`/media/${secret}`, { bundle: 'image', status: [false], uid: [loader] });
    const address = `${BASE}/media/${secret}`;
    expect((await repository.get(`/media/${secret}?_format=jsonld`, 'reader')).status).toBe(403);
    const own = resourcesOf(await graphOf(`/media/${secret}`, 'loader'));
    expect(own[0]?.['@id']).toBe(`${BASE}/system/files/secret.png`);
    expect(own[0]?.['http://www.iana.org/assignments/relation/describedby']).toEqual([{ '@id': address }]);
    // Its node is named, but not what it is.
    expect(own[0]?.['http://pcdm.org/models#fileOf']).toEqual([{ '@id': `${BASE}/node/${hidden}` }]);
    expect(own.map((each) => each['@id'])).not.toContain(`${BASE}/node/${hidden}`);
  });
});

describe('the graph of a term', () => {
  it('has exactly the expected statements for every caller', async () => {
    const other = await repository.build.term('person', 'Virginia Best');
    const id = await repository.build.term('person', 'Ansel Adams', {
      description: [{ value: 'Photographer', format: 'plain_text' }],
      field_alternate_name: [{ value: 'A. A.' }],
      field_authority_link: [{ uri: 'http://id.loc.gov/authorities/names/n 1"x"', title: '', source: 'naf' }],
      field_cat_date_begin: [{ value: '1902-02-20~' }],
      field_cat_date_end: [{ value: '2004-02-31' }],
      field_relationships: [{ target_id: other, rel_type: 'schema:spouse' }],
    });
    for (const as of ['admin', undefined]) {
      const text = await graphOf(`/taxonomy/term/${id}`, as);
      const statements = await statementsOf(text);
      expect(statements).toEqual(await fixture('term.nq', { term: id, other }));
      expect(statements).toHaveLength(countValues(text));
    }
  });
});

describe('the graph of a file', () => {
  it('consists of address and type, with the address beside the graph', async () => {
    const node = (await repository.node()).nid[0].value as number;
    const media = await readJson(repository, `/media/${await put(node, 'public://of a file.png')}`);
    const text = await graphOf(`/entity/file/${media.field_media_image[0].target_id}`);
    const url = `${BASE}/sites/default/files/of%20a%20file.png`;
    expect(JSON.parse(text)).toEqual({
      '@graph': [{ '@id': url, '@type': `${BASE}/rest/type/file/file` }],
      uri: [{ value: url }],
    });
    expect(await statementsOf(text, 'with strays')).toEqual(await fixture('file.nq', {}));
  });
});

describe('hidden content', () => {
  it('is an address without a class, and adds no class to the node', async () => {
    const genre = await repository.build.term('genre', 'Secret', { status: [{ value: false }] });
    const model = await repository.build.term('islandora_models', 'Secret', {
      status: [{ value: false }],
      field_external_uri: [{ uri: 'https://models.example/secret' }],
    });
    const parent = (await repository.node({ status: [{ value: false }] })).nid[0].value as number;
    const { nid } = await repository.node({
      field_genre: [{ target_id: genre }],
      field_member_of: [{ target_id: parent }],
      field_model: [{ target_id: model }],
    });
    const path = `/node/${nid[0].value}`;
    const [seen, hidden] = await Promise.all([graphOf(path, 'admin'), graphOf(path)]);
    const all = await statementsOf(seen);
    const some = await statementsOf(hidden);
    expect(all.filter((each) => !some.includes(each))).toEqual(
      [
        `<${BASE}${path}> ${RDF_TYPE} <https://models.example/secret> .`,
        `<${BASE}/node/${parent}> ${RDF_TYPE} <http://pcdm.org/models#Object> .`,
        `<${BASE}/taxonomy/term/${genre}> ${RDF_TYPE} <http://schema.org/Thing> .`,
      ].toSorted(),
    );
    expect(some.filter((each) => !all.includes(each))).toEqual([]);
  });

  it('has its class only while it is published', async () => {
    const genre = await repository.build.term('genre', 'Now and then');
    const { nid } = await repository.node({ field_genre: [{ target_id: genre }] });
    const path = `/node/${nid[0].value}`;
    const seen = () => about(path, undefined, `/taxonomy/term/${genre}`);
    for (const status of [false, true, false]) {
      await seen();
      await change(`/taxonomy/term/${genre}`, { vid: 'genre', status: [status] });
      expect((await seen()) !== undefined).toBe(status);
    }
  });

  it.each([
    ['/node/{id}', 'nid'],
    ['/media/{id}', 'mid'],
  ] as const)('has no graph at %s', async (pattern, member) => {
    const video = { bundle: 'remote_video', name: ['x'], field_media_oembed_video: ['https://video.example/1'] };
    const made =
      member === 'nid'
        ? await repository.node({ status: [{ value: false }] })
        : await (await repository.post('/media?_format=json', { ...video, status: [false] }, 'admin')).json();
    const path = pattern.replace('{id}', String((made as EntityJson)[member][0].value));
    const statuses = [undefined, 'reader', 'admin'].map(
      async (as) => (await repository.get(`${path}?_format=jsonld`, as)).status,
    );
    const [anonymous, reader, admin] = await Promise.all(statuses);
    expect({ anonymous, reader, admin }).toEqual({ anonymous: 401, reader: 403, admin: 200 });
    expect((await repository.get(`${path}9999?_format=jsonld`)).status).toBe(404);
  });
});

describe('a request for a graph', () => {
  const paths = async () => {
    const node = (await repository.node()).nid[0].value as number;
    const media = await put(node, `public://${Bun.randomUUIDv7()}.png`);
    return [`/node/${node}`, `/media/${media}`, '/taxonomy/term/1', '/entity/file/1'];
  };

  it('returns the headers of GET for HEAD', async () => {
    for (const path of await paths()) {
      const get = await repository.get(`${path}?_format=jsonld`, 'admin');
      const head = await repository.fetch(`${path}?_format=jsonld`, { method: 'HEAD', as: 'admin' });
      expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
      for (const name of ['Content-Type', 'ETag', 'Last-Modified', 'Link', 'Vary', 'Cache-Control'])
        expect({ path, name, value: head.headers.get(name) }).toEqual({ path, name, value: get.headers.get(name) });
    }
  });

  it('returns 304 for its own ETag, but not for the ETag of the JSON', async () => {
    for (const path of await paths()) {
      const tagOf = async (format: string) =>
        (await repository.get(`${path}?_format=${format}`, 'admin')).headers.get('ETag') ?? '';
      const ask = (etag: string) => repository.get(`${path}?_format=jsonld`, 'admin', { 'If-None-Match': etag });
      const known = await ask(await tagOf('jsonld'));
      expect({ path, status: known.status, body: await known.text() }).toEqual({ path, status: 304, body: '' });
      expect((await ask(await tagOf('json'))).status).toBe(200);
    }
  });
});

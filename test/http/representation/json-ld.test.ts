import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import { query } from '../../../src/database/query-builder.ts';
import { files } from '../../../src/database/schema/files.ts';
import { statementOf } from '../../../src/database/statement.ts';
import type { FieldTypes } from '../../../src/field-types/field-type.ts';
import { builtInTypes } from '../../../src/field-types/registry.ts';
import { entityPath, filePath } from '../../../src/paths.ts';
import { type Content, type ParsedContent, parseDocument } from '../../../src/repository/content/content.ts';
import { contentJsonLd, fileJsonLd } from '../../../src/representation/json-ld.ts';
import {
  countValues,
  createReader,
  fixture,
  type Reader,
  resourcesOf,
  statementsOf,
} from '../../support/linked-data.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const BASE = 'http://repo.example';
const MODEL = 'http://purl.org/coar/resource_type/c_c513';
const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const CREATED = [{ value: '2019-03-14T19:05:24+00:00' }];

let repository: TestRepository;
let reader: Reader;
let source: { baseUrl: string; fieldTypes: FieldTypes; model: TestRepository['running']['services']['model'] };

beforeAll(async () => {
  repository = await createTestRepository();
  const { services } = repository.running;
  reader = createReader(services);
  source = { fieldTypes: builtInTypes, baseUrl: BASE, model: services.model };
});
afterAll(() => repository.stop());

async function putImage(node: number, uri: string): Promise<number> {
  const use = await repository.termId(ORIGINAL);
  const bytes = await Bun.file(new URL('../../fixtures/images/red.png', import.meta.url)).bytes();
  const headers = { 'Content-Type': 'image/png', 'Content-Location': uri };
  const response = await repository.put(`/node/${node}/media/image/${use}`, bytes, headers, 'admin');
  expect(response.status).toBe(201);
  return Number(response.headers.get('location')?.split('/').at(-1));
}

/** The time of the change depends on the run; fixtures have a constant one. */
function unchanged(content: Content): ParsedContent {
  const changed: string = JSON.parse(content.document).changed[0].value;
  return parseDocument({ ...content, document: content.document.replaceAll(changed, '2026-01-02T03:04:05+00:00') });
}

async function graphOf(type: 'node' | 'media' | 'taxonomy_term', id: number): Promise<string> {
  const content = unchanged(await reader.find(type, id));
  return contentJsonLd(content, source, await reader.around(content));
}

describe('the graph of a node', () => {
  it('contains every mapped field and no other', async () => {
    const collection = (await repository.node({ title: [{ value: 'Views' }] })).nid[0].value as number;
    const facts = {
      collection,
      model: await repository.termId(MODEL),
      agent: await repository.build.term('person', 'Ansel Adams'),
      body: await repository.build.term('corporate_body', 'Group f/64'),
      subject: await repository.build.term('subject', 'Mountains'),
      place: await repository.build.term('geo_location', 'Yosemite'),
      frequency: await repository.build.term('frequencies', 'Once'),
      genre: await repository.build.term('genre', 'Photographs'),
    };
    const node = (
      await repository.node({
        created: CREATED,
        title: [{ value: 'Moon "and" Half\\Dome' }],
        field_abstract: [{ value: '<p>Black &amp; white</p>', format: 'basic_html' }],
        field_alt_title: [{ value: 'Moon' }, { value: 'Half Dome' }],
        field_coordinates: [{ lat: 37.74, lng: -119.53 }],
        field_description: [{ value: 'First line\nsecond line\twith a tab' }],
        field_edtf_date: [{ value: '1960-12-28?/1961' }, { value: '196X' }],
        field_edtf_date_created: [{ value: '1960-24' }],
        field_edtf_date_issued: [{ value: '../2004' }],
        field_frequency: [{ target_id: facts.frequency }],
        field_genre: [{ target_id: facts.genre }],
        field_geographic_subject: [{ target_id: facts.place }],
        field_identifier: [{ value: 'AA-1' }],
        field_isbn: [{ value: '978-3-16-148410-0' }],
        field_linked_agent: [
          { target_id: facts.agent, rel_type: 'relators:pht' },
          { target_id: facts.agent, rel_type: 'relators:cre' },
          { target_id: facts.body, rel_type: 'relators:spn' },
        ],
        field_local_identifier: [{ value: 'local 1' }],
        field_member_of: [{ target_id: collection }],
        field_pid: [{ value: 'not mapped' }],
        field_publisher: [{ value: 'Sierra Club' }],
        field_subject: [{ target_id: facts.subject }],
        field_subject_general: [{ target_id: facts.subject }],
        field_weight: [{ value: 5 }],
      })
    ).nid[0].value as number;
    const image = await putImage(node, 'public://moon rise.png');
    await repository.patch(
      `/node/${node}?_format=json`,
      { type: [{ target_id: 'islandora_object' }], field_representative_image: [{ target_id: image }] },
      'admin',
    );
    const text = await graphOf('node', node);
    const statements = await statementsOf(text);
    expect(statements).toEqual(await fixture('node.nq', { ...facts, node }));
    expect(statements).toHaveLength(countValues(text));
  });

  it('begins with the node, and contains each target once, in field order', async () => {
    const subject = await repository.build.term('subject', 'Order');
    const genre = await repository.build.term('genre', 'Order');
    const { nid } = await repository.node({
      field_subject: [{ target_id: subject }],
      field_genre: [{ target_id: genre }],
      field_subject_general: [{ target_id: subject }],
    });
    const [first, ...others] = resourcesOf(await graphOf('node', nid[0].value));
    expect(first?.['@id']).toBe(`${BASE}/node/${nid[0].value}`);
    expect(others).toEqual([
      { '@id': `${BASE}/user/1`, '@type': ['http://schema.org/Person'] },
      { '@id': `${BASE}${entityPath.taxonomy_term(genre)}`, '@type': ['http://schema.org/Thing'] },
      { '@id': `${BASE}${entityPath.taxonomy_term(subject)}`, '@type': ['http://schema.org/Thing'] },
    ]);
    expect(first?.['http://purl.org/dc/terms/subject']).toEqual([
      { '@id': `${BASE}${entityPath.taxonomy_term(subject)}` },
    ]);
  });

  it('contains the node only once', async () => {
    const { nid } = await repository.node();
    const [{ value: id }] = nid;
    const body = { type: [{ target_id: 'islandora_object' }], field_member_of: [{ target_id: id }] };
    await repository.patch(`/node/${id}?_format=json`, body, 'admin');
    const resources = resourcesOf(await graphOf('node', id));
    expect(resources[0]?.['http://pcdm.org/models#memberOf']).toEqual([{ '@id': `${BASE}/node/${id}` }]);
    expect(resources.filter((each) => each['@id'] === `${BASE}/node/${id}`)).toHaveLength(1);
  });

  it('contains only the address of targets that the caller may not view', async () => {
    const genre = await repository.build.term('genre', 'Hidden');
    const { nid } = await repository.node({ field_genre: [{ target_id: genre }] });
    const content = await reader.find('node', nid[0].value);
    const around = await reader.around(content, ({ type, id }) => type === 'taxonomy_term' && id === genre);
    const [first, ...others] = resourcesOf(contentJsonLd(content, source, around));
    const id = `${BASE}${entityPath.taxonomy_term(genre)}`;
    expect(first?.['http://purl.org/dc/terms/type']).toEqual([{ '@id': id }]);
    expect(others.map((each) => each['@id'])).not.toContain(id);
  });

  it('omits the type of a model that the caller may not view', async () => {
    const { nid } = await repository.node();
    const content = await reader.find('node', nid[0].value);
    const around = await reader.around(content, () => true);
    const [first] = resourcesOf(contentJsonLd(content, source, around));
    expect(first?.['@type']).toEqual(['http://pcdm.org/models#Object']);
  });

  it('has the image of another node as thumbnail', async () => {
    const other = await repository.node();
    const image = await putImage(other.nid[0].value, 'public://elsewhere.png');
    const { nid } = await repository.node({ field_representative_image: [{ target_id: image }] });
    const [first] = resourcesOf(await graphOf('node', nid[0].value));
    const [thumbnail] = first?.['http://purl.org/dc/terms/identifier.thumbnail'] ?? [];
    expect(thumbnail?.['@value']).toBe(`${BASE}/sites/default/files/elsewhere.png`);
  });

  it('contains the types of an article, and the file address of its image', async () => {
    const item = await repository.node();
    const media = await putImage(item.nid[0].value, 'public://in an article.png');
    const { field_media_image: image } = (await (
      await repository.get(`/media/${media}?_format=json`, 'admin')
    ).json()) as EntityJson;
    const response = await repository.post(
      '/node?_format=json',
      {
        type: [{ target_id: 'article' }],
        title: [{ value: 'News' }],
        body: [{ value: 'Text', summary: 'Short', format: 'basic_html' }],
        field_image: [{ target_id: image[0].target_id, alt: 'Red' }],
      },
      'admin',
    );
    const article = (await response.json()) as EntityJson;
    const [first, ...others] = resourcesOf(await graphOf('node', article.nid[0].value));
    const file = `${BASE}/sites/default/files/in%20an%20article.png`;
    expect(first).toMatchObject({
      '@type': ['http://schema.org/Article'],
      'http://schema.org/text': [{ '@value': 'Text', '@language': 'en' }],
      'http://schema.org/image': [{ '@id': file }],
    });
    expect(others).toContainEqual({ '@id': file, '@type': `${BASE}/rest/type/file/file` });
  });
});

describe('the graph of a media', () => {
  it('describes its file', async () => {
    const node = (await repository.node()).nid[0].value as number;
    const media = await putImage(node, 'public://media test.png');
    const body = { bundle: [{ target_id: 'image' }], created: CREATED, field_original_name: [{ value: 'Ä.png' }] };
    expect((await repository.patch(`/media/${media}?_format=json`, body, 'admin')).status).toBe(200);
    const text = await graphOf('media', media);
    const statements = await statementsOf(text);
    expect(statements).toEqual(await fixture('media.nq', { media, node }));
    expect(statements).toHaveLength(countValues(text));
  });

  it('describes the media if the caller may not read the file', async () => {
    const node = (await repository.node()).nid[0].value as number;
    const media = await putImage(node, 'private://secret.png');
    const content = await reader.find('media', media);
    const around = { ...(await reader.around(content)), file: undefined };
    const text = contentJsonLd(content, source, around);
    const [first] = resourcesOf(text);
    expect(first?.['@id']).toBe(`${BASE}/media/${media}`);
    expect(Object.keys(first ?? {})).not.toContain('http://www.iana.org/assignments/relation/describedby');
    expect(text).not.toContain('/system/files/');
  });

  it('has a default type and no values without a mapping', async () => {
    const response = await repository.post(
      '/entity/media?_format=json',
      {
        bundle: [{ target_id: 'remote_video' }],
        name: [{ value: 'Film' }],
        field_media_oembed_video: [{ value: 'https://video.example/1' }],
      },
      'admin',
    );
    const { mid } = (await response.json()) as EntityJson;
    expect(resourcesOf(await graphOf('media', mid[0].value))).toEqual([
      { '@id': `${BASE}/media/${mid[0].value}`, '@type': `${BASE}/rest/type/media/remote_video` },
    ]);
  });
});

describe('the graph of a term', () => {
  it('contains names, dates with their first date, links, and roles', async () => {
    const other = await repository.build.term('person', 'Virginia Best');
    const id = await repository.build.term('person', 'Ansel Adams', {
      description: [{ value: 'Photographer', format: 'plain_text' }],
      field_alternate_name: [{ value: 'A. A.' }],
      field_authority_link: [{ uri: 'http://id.loc.gov/authorities/names/n 1"x"', title: '', source: 'naf' }],
      field_cat_date_begin: [{ value: '1902-02-20~' }],
      field_cat_date_end: [{ value: '2004-02-31' }],
      field_relationships: [{ target_id: other, rel_type: 'schema:spouse' }],
    });
    const text = await graphOf('taxonomy_term', id);
    const statements = await statementsOf(text);
    expect(statements).toEqual(await fixture('term.nq', { term: id, other }));
    expect(statements).toHaveLength(countValues(text));
  });

  it('links from a model to its URI', async () => {
    const id = await repository.termId(MODEL);
    const [first] = resourcesOf(await graphOf('taxonomy_term', id));
    expect(first).toEqual({
      '@id': `${BASE}/taxonomy/term/${id}`,
      '@type': ['http://schema.org/Thing'],
      'http://purl.org/dc/terms/title': [{ '@value': 'Image', '@language': 'en' }],
      'http://purl.org/dc/terms/description': [{ '@value': 'A picture', '@language': 'en' }],
      'http://schema.org/dateModified': [
        { '@value': '2026-01-02T03:04:05+00:00', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
      ],
      'http://www.w3.org/2002/07/owl#sameAs': [{ '@id': MODEL }],
    });
  });
});

describe('the graph of a file', () => {
  it('contains its address and type', async () => {
    const node = (await repository.node()).nid[0].value as number;
    await putImage(node, 'public://of a file.png');
    const { database } = repository.running.services;
    const found = query.select().from(files).where(eq(files.uri, 'public://of a file.png'));
    const row = await database.get(statementOf(found));
    if (row === undefined) throw new Error('the file does not exist');
    const text = fileJsonLd({ row }, BASE);
    const url = `${BASE}${filePath(row.uri)}`;
    expect(JSON.parse(text)).toEqual({
      '@graph': [{ '@id': url, '@type': `${BASE}/rest/type/file/file` }],
      uri: [{ value: url }],
    });
    expect(await statementsOf(text, 'with strays')).toEqual(await fixture('file.nq', {}));
  });
});

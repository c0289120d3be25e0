import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { deletedIn, identifier, metadata, nodesIn, oai } from '../../support/oai.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let ids: Record<'collection' | 'letter' | 'bare' | 'odd', number>;

const PCDM = 'http://pcdm.org/use#';
const ODD = 'Tab\there, VT\u000b, NUL-like \u0001, pair 😀, CR\r\nLF, ]]> & <b>"bold"</b>';

beforeAll(async () => {
  repository = await createTestRepository({ siteName: 'Harbour City Archives' });
  build = new SiteBuilder(repository);
  const term = (vid: string, name: string, uri?: string) =>
    build.term(vid, name, uri === undefined ? {} : { field_authority_link: [{ uri, source: 'other', title: '' }] });
  const person = await term('person', 'Boyle, Margaret', 'http://viaf.org/viaf/1');
  const company = await term('corporate_body', 'Harbour Commission');
  const english = await term('language', 'English', 'http://id.loc.gov/vocabulary/iso639-2/eng');
  const subject = await term('subject', 'Ferries', 'http://id.loc.gov/authorities/subjects/sh1');
  const place = await term('geo_location', 'Halifax');
  const genre = await term('genre', 'letters');
  const hidden = await build.term('subject', 'Secret subject', { status: [false] });
  const collection = await build.node('collection', 'Papers');
  const secret = await build.node('collection', 'Closed papers', { status: [false] });
  const type = await term('resource_types', 'Text', 'http://id.loc.gov/vocabulary/resourceTypes/txt');
  const letter = await build.node('document', 'A letter', {
    ...{ field_member_of: [collection, secret], field_subject: [subject, hidden], field_language: [english] },
    ...{ field_geographic_subject: [place], field_genre: [genre], field_resource_type: [type] },
    field_alt_title: ['Letter to the commission'],
    field_linked_agent: [
      { target_id: person, rel_type: 'relators:aut' },
      { target_id: person, rel_type: 'relators:scr' },
      { target_id: company, rel_type: 'relators:rcp' },
    ],
    field_edtf_date_issued: ['1929~/1931-02'],
    field_edtf_date_created: ['1928-05'],
    field_abstract: [{ value: '<p>About <em>ferries</em> &amp; docks.</p>', format: 'basic_html' }],
    field_note: [{ value: 'One sheet', format: 'plain_text' }],
    field_identifier: ['10.1234/abc.5'],
    field_local_identifier: ['HCA-7'],
    field_isbn: ['9780306406157'],
    field_extent: ['2 leaves'],
    field_coordinates: [{ lat: 44.6488, lng: -63.5752 }],
    field_publisher: ['Commission Press'],
    field_place_published: ['Halifax, N.S.'],
    field_lcc_classification: ['HE5783'],
    field_rights: [{ value: 'http://rightsstatements.org/vocab/NoC-US/1.0/', format: 'plain_text' }],
    field_volume: ['3'],
  });
  ids = { collection, letter, bare: await build.node('image', 'Bare'), odd: await build.node('image', 'Odd') };
  await build.change(`/node/${ids.odd}`, {
    type: 'islandora_object',
    field_description: [ODD],
    title: [ODD.slice(0, 60)],
  });
});
afterAll(() => repository.stop());

const texts = (value: unknown) => (Array.isArray(value) ? value : [value]).map((each) => each?.['#text'] ?? each);

describe('Dublin Core', () => {
  it('contains the values of the RDF mapping', async () => {
    const record = await metadata(repository, ids.letter);
    const url = `${repository.url}/node/${ids.letter}`;
    expect(texts(record['dc:identifier']).sort()).toEqual([url, '10.1234/abc.5', 'HCA-7', 'ISBN 9780306406157'].sort());
    expect(texts(record['dc:title'])).toEqual(['A letter', 'Letter to the commission']);
    expect(record['dc:creator']).toBe('Boyle, Margaret');
    expect(texts(record['dc:contributor'])).toEqual(['Boyle, Margaret', 'Harbour Commission']);
    expect(texts(record['dc:date']).sort()).toEqual(['1928-05', '1929~/1931-02']);
    expect(texts(record['dc:description'])).toEqual(['About ferries & docks.', 'One sheet']);
    expect(texts(record['dc:type']).sort()).toEqual(['Text', 'letters'].sort());
    expect(texts(record['dc:coverage']).sort()).toEqual(['44.6488, -63.5752', 'Halifax']);
    expect(record).toMatchObject({
      'dc:language': 'eng',
      'dc:format': '2 leaves',
      'dc:rights': 'http://rightsstatements.org/vocab/NoC-US/1.0/',
    });
  });

  it('omits terms and collections that anonymous callers may not view', async () => {
    const record = await metadata(repository, ids.letter);
    expect(texts(record['dc:subject']).sort()).toEqual(['Ferries', 'HE5783']);
    expect(record['dc:relation']).toBe('Papers');
    for (const as of ['admin', undefined]) {
      const parameters = { verb: 'GetRecord', identifier: identifier(ids.letter), metadataPrefix: 'mods' };
      expect((await oai(repository, parameters, as)).text).not.toMatch(/Secret|Closed/);
    }
  });

  it('contains a record for a node with only a title', async () => {
    const record = await metadata(repository, ids.bare);
    expect(record).toMatchObject({ 'dc:title': 'Bare', 'dc:identifier': `${repository.url}/node/${ids.bare}` });
  });

  it('contains markup as text, and omits characters that XML excludes', async () => {
    const record = await metadata(repository, ids.odd);
    const shown = 'Tab\there, VT, NUL-like , pair 😀, CR\r\nLF, ]]> & <b>"bold"</b>';
    expect(record['dc:description'].replace('&#13;', '\r')).toBe(shown);
  });
});

describe('MODS', () => {
  it('contains names with roles, subjects with authorities, dates in EDTF, and one originInfo', async () => {
    const record = await metadata(repository, ids.letter, 'mods');
    expect(record.name).toHaveLength(3);
    expect(record.name[0]).toMatchObject({
      '@type': 'personal',
      '@valueURI': 'http://viaf.org/viaf/1',
      namePart: 'Boyle, Margaret',
      role: {
        roleTerm: [
          { '@type': 'text', '#text': 'Author' },
          { '@type': 'code', '#text': 'aut' },
        ],
      },
    });
    expect(record.name[2]).toMatchObject({ '@type': 'corporate', namePart: 'Harbour Commission' });
    expect(record.originInfo).toMatchObject({
      dateIssued: { '@encoding': 'edtf', '#text': '1929~/1931-02' },
      dateCreated: { '#text': '1928-05' },
      publisher: 'Commission Press',
      place: { placeTerm: { '#text': 'Halifax, N.S.' } },
    });
    expect(record.subject).toContainEqual({
      '@valueURI': 'http://id.loc.gov/authorities/subjects/sh1',
      topic: 'Ferries',
    });
    expect(record.subject).toContainEqual({ geographic: 'Halifax' });
    expect(record.language.languageTerm).toEqual([
      { '@type': 'text', '#text': 'English' },
      { '@type': 'code', '@authority': 'iso639-2b', '#text': 'eng' },
    ]);
    expect(record.relatedItem).toMatchObject({ '@type': 'host', titleInfo: { title: 'Papers' } });
    expect(record.classification).toEqual({ '@authority': 'lcc', '#text': 'HE5783' });
    expect(record.titleInfo).toEqual([
      { title: 'A letter' },
      { '@type': 'alternative', title: 'Letter to the commission' },
    ]);
  });
});

describe('DataCite', () => {
  it('contains the DOI, creators and the year of publication', async () => {
    const record = await metadata(repository, ids.letter, 'datacite');
    expect(record).toMatchObject({
      identifier: { '@identifierType': 'DOI', '#text': '10.1234/abc.5' },
      creators: { creator: { creatorName: { '@nameType': 'Personal', '#text': 'Boyle, Margaret' } } },
      publisher: 'Commission Press',
      publicationYear: '1929',
      resourceType: { '@resourceTypeGeneral': 'Text', '#text': 'Text' },
      language: 'eng',
    });
  });

  it('uses its codes for unknown values', async () => {
    const record = await metadata(repository, ids.bare, 'datacite');
    expect(record).toMatchObject({
      identifier: { '@identifierType': 'URL', '#text': `${repository.url}/node/${ids.bare}` },
      creators: { creator: { creatorName: ':unkn' } },
      publisher: 'Harbour City Archives',
      publicationYear: String(new Date().getUTCFullYear()),
      resourceType: { '@resourceTypeGeneral': 'Other' },
    });
  });
});

describe('a record for harvesters', () => {
  const listed = () => oai(repository, { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' });

  it('does not exist for a node that was never published', async () => {
    const draft = await build.node('image', 'A draft', { status: [false] });
    expect(nodesIn(await listed())).not.toContain(draft);
    const get = { verb: 'GetRecord', identifier: identifier(draft), metadataPrefix: 'oai_dc' };
    expect((await oai(repository, get, 'admin')).error).toBe('idDoesNotExist');
    await repository.delete(`/node/${draft}?_format=json`, 'admin');
    expect((await oai(repository, get)).error).toBe('idDoesNotExist');
  });

  it('exists once a node is published, and is deleted once it is unpublished', async () => {
    const node = await build.node('image', 'Now and then', { status: [false] });
    const get = () => oai(repository, { verb: 'GetRecord', identifier: identifier(node), metadataPrefix: 'oai_dc' });
    const publish = (status: boolean) => build.change(`/node/${node}`, { type: 'islandora_object', status: [status] });
    await publish(true);
    expect(deletedIn(await get())).toEqual([]);
    await publish(false);
    const hidden = await get();
    expect(deletedIn(hidden)).toEqual([node]);
    expect(hidden.text).not.toContain('Now and then');
    await publish(true);
    expect((await metadata(repository, node))['dc:title']).toBe('Now and then');
  });

  it('remains as a deleted record of its set after a deletion', async () => {
    const node = await build.node('image', 'Short-lived', { field_member_of: [ids.collection] });
    await repository.delete(`/node/${node}?_format=json`, 'admin');
    const set = await oai(repository, { verb: 'ListRecords', metadataPrefix: 'mods', set: `node:${ids.collection}` });
    expect(deletedIn(set)).toContain(node);
    expect(nodesIn(set)).toContain(ids.letter);
  });

  it('changes with the name of a term', async () => {
    const place = await build.term('geo_location', 'Old name');
    const node = await build.node('image', 'Of a place', { field_geographic_subject: [place] });
    expect((await metadata(repository, node))['dc:coverage']).toBe('Old name');
    await build.change(`/taxonomy/term/${place}`, { vid: ['geo_location'], name: ['New name'] });
    expect((await metadata(repository, node))['dc:coverage']).toBe('New name');
  });

  it('changes with the types of its files, and not with other bytes or derivatives', async () => {
    const node = await build.node('document', 'A scan');
    const get = { verb: 'GetRecord', metadataPrefix: 'oai_dc', identifier: identifier(node) };
    const { write } = repository.running.services.database;
    /** Returns true if an action gives the record another datestamp. */
    const isNewer = async (action: () => Promise<unknown>) => {
      await write([`UPDATE node_record SET harvest_stamp = 5 WHERE nid = ${node}`]);
      await action();
      return (await oai(repository, get)).verb.record[0].header[0].datestamp !== '1970-01-01T00:00:05Z';
    };
    const put = (media: number, type: string, bytes: string) => async () =>
      expect((await repository.put(`/media/${media}/source`, bytes, { 'Content-Type': type }, 'admin')).status).toBe(
        204,
      );
    let media = 0;
    const add = async (use?: string) => {
      const made = await build.media(node, { name: 'a.pdf', bytes: '%PDF-1.4', ...(use && { use }) });
      media = made.mid[0].value;
    };
    expect(await isNewer(() => add())).toBe(true);
    expect(await isNewer(() => add('service'))).toBe(false);
    expect(await isNewer(() => add(`${PCDM}IntermediateFile`))).toBe(true);
    expect(await isNewer(put(media, 'application/pdf', '%PDF-1.5'))).toBe(false);
    expect(await isNewer(put(media, 'image/tiff', 'II*'))).toBe(true);
    const hide = () => build.change(`/media/${media}`, { bundle: 'file', status: [false] });
    expect(await isNewer(hide)).toBe(true);
    expect(await isNewer(() => repository.delete(`/media/${media}?_format=json`, 'admin'))).toBe(false);
  });

  it('exists for the configured node types only', async () => {
    const { nid } = await build.make('/node', { type: 'page', title: ['About us'] });
    expect(nodesIn(await listed())).not.toContain(nid[0].value);
  });

  it('is valid in every format', async () => {
    for (const metadataPrefix of ['oai_dc', 'mods', 'datacite']) {
      const all = await oai(repository, { verb: 'ListRecords', metadataPrefix });
      expect(nodesIn(all)).toContain(ids.letter);
    }
  });
});

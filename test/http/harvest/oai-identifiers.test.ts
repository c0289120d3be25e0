import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { metadata } from '../../support/oai.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const PCDM = 'http://pcdm.org/use#';

let repository: TestRepository;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const links = (...uris: string[]) => ({ field_authority_link: uris.map((uri) => ({ uri, source: 'other' })) });
const list = (value: unknown) => (value === undefined ? [] : [value].flat());
const textsOf = (value: unknown) => list(value).map((each) => (each as { '#text'?: string })?.['#text'] ?? each);

describe('an agent in DataCite', () => {
  it('has its ORCID, and its affiliation with the ROR', async () => {
    const university = await build.term('corporate_body', 'Harbour University', links('https://ror.org/02mhbdp94'));
    const hidden = await build.term('corporate_body', 'Secret office', { status: [false] });
    const person = await build.term('person', 'Boyle, Margaret', {
      ...links('http://viaf.org/viaf/1', 'https://orcid.org/0000-0002-1825-0097'),
      field_relationships: [
        { target_id: hidden, rel_type: 'schema:worksFor' },
        { target_id: university, rel_type: 'schema:worksFor' },
      ],
    });
    const node = await build.node('document', 'A paper', {
      field_linked_agent: [
        { target_id: person, rel_type: 'relators:aut' },
        { target_id: university, rel_type: 'relators:spn' },
      ],
    });
    const { creators, contributors } = await metadata(repository, node, 'datacite');
    expect(creators.creator).toEqual({
      creatorName: { '@nameType': 'Personal', '#text': 'Boyle, Margaret' },
      nameIdentifier: {
        ...{ '@nameIdentifierScheme': 'ORCID', '@schemeURI': 'https://orcid.org' },
        '#text': 'https://orcid.org/0000-0002-1825-0097',
      },
      affiliation: {
        ...{ '@affiliationIdentifier': 'https://ror.org/02mhbdp94', '@affiliationIdentifierScheme': 'ROR' },
        ...{ '@schemeURI': 'https://ror.org', '#text': 'Harbour University' },
      },
    });
    expect(contributors.contributor).toMatchObject({
      contributorName: { '@nameType': 'Organizational' },
      nameIdentifier: { '@nameIdentifierScheme': 'ROR', '#text': 'https://ror.org/02mhbdp94' },
    });
  });

  it('has no identifier of an unknown scheme', async () => {
    const person = await build.term('person', 'Doe, Jane', links('https://example.org/jane'));
    const node = await build.node('image', 'A view', {
      field_linked_agent: [{ target_id: person, rel_type: 'relators:pht' }],
    });
    const { creators } = await metadata(repository, node, 'datacite');
    expect(Object.keys(creators.creator)).toEqual(['creatorName']);
  });
});

describe('the identifier in DataCite', () => {
  const identifiersOf = async (fields: object) => {
    const node = await build.node('image', 'Identified', fields as never);
    const { identifier, alternateIdentifiers } = await metadata(repository, node, 'datacite');
    const url = `${repository.url}/node/${node}`;
    const own = (text: unknown) => (text === url ? 'URL' : text);
    return [identifier['#text'], ...textsOf(alternateIdentifiers?.alternateIdentifier)].map(own);
  };

  it('is there once', async () => {
    expect(await identifiersOf({})).toEqual(['URL']);
    const twice = { field_pid: ['https://doi.org/10.1234/abc.5'], field_identifier: ['doi:10.1234/abc.5', 'HCA-7'] };
    expect((await identifiersOf(twice)).sort()).toEqual(['10.1234/abc.5', 'HCA-7', 'URL']);
    const other = { field_identifier: ['10.1234/first', '10.1234/second'] };
    expect((await identifiersOf(other)).sort()).toEqual(['10.1234/first', '10.1234/second', 'URL']);
  });
});

describe('a language', () => {
  it.each([
    ['http://id.loc.gov/vocabulary/iso639-2/fre', 'fre'],
    ['http://id.loc.gov/vocabulary/iso639-1/fr', 'fr'],
    ['http://id.loc.gov/vocabulary/languages/mic', 'mic'],
    ['http://lexvo.org/id/iso639-3/mic', 'mic'],
    ['https://example.org/languages/none', undefined],
  ])('with the address %s is %s in Dublin Core and DataCite', async (uri, code) => {
    const term = await build.term('language', `Language ${uri}`, links(uri));
    const node = await build.node('image', 'Spoken', { field_language: [term] });
    expect((await metadata(repository, node))['dc:language']).toBe(code ?? `Language ${uri}`);
    expect((await metadata(repository, node, 'datacite')).language).toBe(code);
  });
});

describe('the files of a record', () => {
  it('are named by their media types, without derivatives and hidden ones', async () => {
    const node = await build.node('document', 'A scan', { field_extent: ['2 leaves'] });
    await build.media(node, { name: 'a.pdf', bytes: '%PDF-1.4' });
    await build.media(node, { name: 'a.tif', use: `${PCDM}PreservationMasterFile`, bytes: 'II' });
    await build.media(node, { name: 'b.txt', use: 'text', bytes: 'words' });
    const hidden = await build.media(node, { name: 'c.zip', use: `${PCDM}IntermediateFile`, bytes: 'PK' });
    await build.change(`/media/${hidden.mid[0].value}`, { bundle: 'file', status: [false] });
    expect(list((await metadata(repository, node))['dc:format'])).toEqual([
      '2 leaves',
      'application/pdf',
      'image/tiff',
    ]);
    const { formats, sizes } = await metadata(repository, node, 'datacite');
    expect([list(formats.format), sizes.size]).toEqual([['application/pdf', 'image/tiff'], '2 leaves']);
    const forAdmin = await (await repository.get(`/node/${node}?_format=oai_dc`, 'admin')).text();
    expect(forAdmin).toContain('<dc:format>application/zip</dc:format>');
    const draft = await build.node('document', 'A draft', { status: [false] });
    await build.media(draft, { name: 'd.pdf', bytes: '%PDF-1.4' });
    expect((await repository.get(`/node/${draft}?_format=oai_dc`)).status).toBe(401);
  });
});

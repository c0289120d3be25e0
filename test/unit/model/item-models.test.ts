import { describe, expect, it } from 'bun:test';
import { loadTestModel } from '../../support/content-model.ts';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const POSTCARDS = 'https://example.org/models/postcard-album';
const { models, vocabularies } = await loadTestModel();

describe('the models of the default configuration', () => {
  it('are those of the default terms', () => {
    const terms = vocabularies.get('islandora_models')?.terms ?? [];
    expect(models.all.map(({ uri }) => uri).sort()).toEqual(terms.map(({ uri }) => uri ?? '').sort());
  });

  it('count a newspaper as a collection', () => {
    expect(models.urisOf('collection')).toEqual([
      'http://purl.org/dc/dcmitype/Collection',
      'https://schema.org/Newspaper',
    ]);
    expect(models.of('https://schema.org/Newspaper').members).toEqual({
      title: 'Issues',
      empty: 'This newspaper has no issues yet.',
    });
  });

  it('have the structures of books, issues, compound objects and pages', () => {
    expect(models.urisOf('paged')).toEqual(['https://schema.org/Book', 'https://schema.org/PublicationIssue']);
    expect(models.urisOf('compound')).toEqual(['http://vocab.getty.edu/aat/300242735']);
    expect(models.urisOf('page')).toEqual(['http://id.loc.gov/ontologies/bibframe/part']);
    expect(models.hasStructure(['https://example.org/other', 'https://schema.org/Book'], 'paged')).toBeTrue();
    expect(models.hasStructure(['https://schema.org/Book'], 'page')).toBeFalse();
  });

  it.each([
    ['image', 'jpg', 'http://purl.org/coar/resource_type/c_c513'],
    ['audio', 'mp3', 'http://purl.org/coar/resource_type/c_18cc'],
    ['video', 'mp4', 'http://purl.org/coar/resource_type/c_12ce'],
    ['document', 'tif', 'https://schema.org/DigitalDocument'],
    ['extracted_text', 'txt', 'https://schema.org/DigitalDocument'],
    ['file', 'tif', 'http://purl.org/coar/resource_type/c_c513'],
    ['file', 'zip', 'http://purl.org/coar/resource_type/c_1843'],
    ['a_type_of_the_site', 'jp2', 'http://purl.org/coar/resource_type/c_c513'],
    ['a_type_of_the_site', 'bin', 'http://purl.org/coar/resource_type/c_1843'],
  ])('have one for %s media with the extension %s', (type, extension, uri) => {
    expect(models.uriForFile(type, extension)).toBe(uri);
  });
});

describe('the models of a site', () => {
  it('extend the default ones', () => {
    const own = parseUserModel(
      `models: { postcards: { uri: ${POSTCARDS}, structure: paged, members: Postcards }, newspaper: { members: Numbers } }`,
    ).models;
    expect(own.of(POSTCARDS)).toMatchObject({ structure: 'paged', members: { title: 'Postcards' }, icon: undefined });
    expect(own.of('https://schema.org/Newspaper')).toMatchObject({
      structure: 'collection',
      members: { title: 'Numbers', empty: 'This newspaper has no issues yet.' },
    });
    expect(own.urisOf('paged')).toHaveLength(3);
  });

  it('leave out those that are removed', () => {
    const own = parseUserModel('models: { newspaper: null }').models;
    expect(own.of('https://schema.org/Newspaper')).toMatchObject({ structure: 'item', members: { title: 'Parts' } });
  });

  it('change the fingerprint of the content model', () => {
    expect(parseUserModel('models: { newspaper: null }').fingerprint).not.toBe(parseUserModel('').fingerprint);
  });

  it.each([
    ['structure: shelf', /one of item, collection, paged/],
    ['citation: opera', /one of map, globe/],
    ['icon: "<script>"', /a path as in the attribute d of SVG/],
    ['media_types: [imagine]', /no media type "imagine"; did you mean image/],
    ['colour: red', /unknown key/],
  ])('have no %s', (members, message) => {
    expect(problemsOf(`models: { mine: { uri: "https://example.org/m", ${members} } }`).join('\n')).toMatch(message);
  });

  it('have a URI of their own', () => {
    expect(problemsOf('models: { mine: { uri: "https://schema.org/Book" } }').join('\n')).toContain(
      'models.paged_content already has the URI https://schema.org/Book',
    );
    expect(problemsOf('models: { mine: { structure: paged } }').join('\n')).toContain('models.mine.uri');
    expect(problemsOf('models: { mine: { uri: book } }').join('\n')).toContain('an absolute address');
  });
});

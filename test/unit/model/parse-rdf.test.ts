import { describe, expect, it } from 'bun:test';
import type { ContentModel, EntityType, RdfMapping } from '../../../src/model/content-model.ts';
import { loadTestModel } from '../../support/content-model.ts';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const defaults = await loadTestModel();

function mappingOf(model: ContentModel, type: EntityType, bundle: string): RdfMapping {
  const mapping = model.rdf.mappings[type].get(bundle);
  if (mapping === undefined) throw new Error(`${type} ${bundle} has no mapping`);
  return mapping;
}

const fieldsOf = (model: ContentModel, type: EntityType, bundle: string) =>
  Object.fromEntries(mappingOf(model, type, bundle).fields);

describe('the default RDF mapping', () => {
  it('covers every bundle except those without a mapping', () => {
    const mapped = (type: EntityType) => [...defaults.rdf.mappings[type].keys()];
    const without = (bundles: ReadonlyMap<string, unknown>, type: EntityType) =>
      [...bundles.keys()].filter((name) => !mapped(type).includes(name));
    expect(without(defaults.nodeTypes, 'node')).toEqual([]);
    expect(without(defaults.mediaTypes, 'media')).toEqual(['fits_technical_metadata', 'remote_video']);
    expect(without(defaults.vocabularies, 'taxonomy_term')).toEqual([
      ...['resource_types_dcmi', 'frequencies', 'issuance_modes'],
    ]);
    expect(mapped('user')).toEqual(['user']);
    expect(mapped('file')).toEqual([]);
  });

  it('expands its prefixes', () => {
    const { types, fields } = mappingOf(defaults, 'node', 'islandora_object');
    expect(types).toEqual(['http://pcdm.org/models#Object']);
    expect(fields.get('title')).toEqual({ predicates: ['http://purl.org/dc/terms/title'], callback: undefined });
    expect(fields.get('field_edtf_date')).toEqual({ predicates: ['http://purl.org/dc/terms/date'], callback: 'edtf' });
    expect(fields.get('field_weight')?.predicates).toEqual(['http://purl.org/co/index']);
    expect(fields.size).toBe(49);
    expect(mappingOf(defaults, 'taxonomy_term', 'geo_location').types).toEqual([
      ...['http://purl.org/dc/terms/Location', 'http://schema.org/Place'],
    ]);
  });

  it('keeps names with an undeclared prefix unchanged', () => {
    const fields = fieldsOf(defaults, 'node', 'islandora_object');
    expect(fields.field_isbn?.predicates).toEqual(['dbpedia:isbn']);
    expect(fields.field_oclc_number?.predicates).toEqual(['dbpedia:oclc']);
  });

  it('contains only absolute IRIs', () => {
    for (const mappings of Object.values(defaults.rdf.mappings)) {
      for (const { types, fields } of mappings.values()) {
        const iris = [...types, ...[...fields.values()].flatMap(({ predicates }) => predicates)];
        expect(iris.filter((iri) => !iri.startsWith('dbpedia:') && !URL.canParse(iri))).toEqual([]);
        expect(iris.filter((iri) => !/^(https?:\/\/|dbpedia:)/.test(iri))).toEqual([]);
      }
    }
  });

  it('gives each bundle its own mapping', () => {
    const model = parseUserModel('rdf: { bundles: { media.video: { fields: { name: null } } } }');
    expect(mappingOf(model, 'media', 'video').fields.has('name')).toBe(false);
    expect(mappingOf(model, 'media', 'audio').fields.has('name')).toBe(true);
  });
});

describe("the RDF mapping of a user's file", () => {
  it('changes single fields, and removes them with null', () => {
    const model = parseUserModel(`
rdf:
  bundles:
    node.islandora_object:
      fields:
        title: [schema:name, dcterms:title]
        field_edtf_date: dcterms:date
        field_note: null
`);
    const before = fieldsOf(defaults, 'node', 'islandora_object');
    const { field_note: _note, ...rest } = before;
    expect(fieldsOf(model, 'node', 'islandora_object')).toEqual({
      ...rest,
      title: { predicates: ['http://schema.org/name', 'http://purl.org/dc/terms/title'], callback: undefined },
      field_edtf_date: { predicates: ['http://purl.org/dc/terms/date'], callback: undefined },
    });
    expect(model.fingerprint).not.toBe(defaults.fingerprint);
  });

  it('adds a mapping with its own prefix to a new bundle', () => {
    const model = parseUserModel(`
node_types: { thesis: { label: Thesis, fields: { field_degree: { label: Degree, type: string } } } }
rdf:
  prefixes: { bibo: "http://purl.org/ontology/bibo/" }
  bundles:
    node.thesis:
      types: [bibo:Thesis, "https://schema.org/Thesis"]
      fields: { field_degree: { predicates: bibo:degree }, created: { predicates: [], callback: iso8601 } }
`);
    expect(mappingOf(model, 'node', 'thesis').types).toEqual([
      ...['http://purl.org/ontology/bibo/Thesis', 'https://schema.org/Thesis'],
    ]);
    expect(fieldsOf(model, 'node', 'thesis')).toEqual({
      field_degree: { predicates: ['http://purl.org/ontology/bibo/degree'], callback: undefined },
      created: { predicates: [], callback: 'iso8601' },
    });
  });

  it('replaces types and namespaces as a whole', () => {
    const model = parseUserModel(`
rdf:
  prefixes: { schema: "https://schema.org/" }
  bundles: { node.page: { types: [schema:AboutPage] } }
`);
    expect(mappingOf(model, 'node', 'page').types).toEqual(['https://schema.org/AboutPage']);
    expect(fieldsOf(model, 'node', 'page').title?.predicates).toEqual(['https://schema.org/name']);
  });

  it('removes the mapping of a bundle with null', () => {
    const model = parseUserModel('rdf: { bundles: { node.page: null } }');
    expect(model.rdf.mappings.node.has('page')).toBe(false);
  });

  it('needs no change when bundles or fields are removed', () => {
    const model = parseUserModel('node_types: { article: null, page: { fields: { body: null } } }');
    expect(model.rdf.mappings.node.has('article')).toBe(false);
    expect(mappingOf(model, 'node', 'page').fields.has('body')).toBe(false);
  });

  it('may be empty', () => {
    expect(parseUserModel('rdf:\n  # nothing yet\n').fingerprint).toBe(defaults.fingerprint);
  });
});

const PAGE = 'my.yaml:4: rdf.bundles."node.page"';
const inPage = (text: string) => `rdf:\n  bundles:\n    node.page:\n      ${text}`;

const MISTAKES: [name: string, text: string, messages: string[]][] = [
  ['an unknown key', 'rdf:\n  prefix: {}', ['my.yaml:2: unknown key rdf.prefix; did you mean prefixes?']],
  ['no map', 'rdf: [a]', ['my.yaml:1: rdf must be a map with prefixes and bundles, found a list']],
  [
    'an unknown bundle',
    'rdf:\n  bundles:\n    node.islandora_objct: { types: [pcdm:Object] }',
    [
      'my.yaml:3: rdf.bundles."node.islandora_objct": there is no bundle "node.islandora_objct"; did you mean node.islandora_object?',
    ],
  ],
  [
    'nothing to remove',
    'rdf:\n  bundles:\n    node.pages: null',
    ['my.yaml:3: rdf.bundles.node.pages: there is nothing to remove; did you mean node.page?'],
  ],
  [
    'a bundle without types',
    'rdf:\n  bundles:\n    media.remote_video: { fields: { name: schema:name } }',
    [
      'my.yaml:3: rdf.bundles."media.remote_video".types is missing; it is a list of at least one class, such as [pcdm:Object]',
    ],
  ],
  [
    'no types',
    inPage('types: []'),
    [`${PAGE}.types must be a list of at least one class, such as [pcdm:Object], found an empty list`],
  ],
  [
    'a type that is not an IRI',
    inPage('types: [schema:Thing, Thing]'),
    [`${PAGE}.types.1 must be a class, such as pcdm:Object, found "Thing"`],
  ],
  [
    'an unknown field',
    inPage('fields: { titel: dcterms:title }'),
    [`${PAGE}.fields.titel: there is no field "titel"; did you mean title?`],
  ],
  [
    'a field of another bundle',
    inPage('fields: { field_tags: dcterms:title }'),
    [expect.stringContaining(`${PAGE}.fields.field_tags: there is no field "field_tags"; `)],
  ],
  [
    'an unknown callback',
    inPage('fields: { title: { predicates: dcterms:title, callback: edft } }'),
    [`${PAGE}.fields.title.callback: there is no callback "edft"; did you mean edtf?`],
  ],
  [
    'a field without predicates',
    inPage('fields: { title: { callback: edtf } }'),
    [`${PAGE}.fields.title.predicates is missing; it is a predicate, such as dcterms:title, or a list of them`],
  ],
  [
    'a field of the wrong type',
    inPage('fields: { title: 5 }'),
    [`${PAGE}.fields.title must be a predicate, a list of them, or a map with predicates, found 5`],
  ],
  [
    'predicates that are no IRIs',
    inPage('fields: { title: [schema:name, name], body: "schema:na me", uid: { predicates: __proto__ } }'),
    [
      `${PAGE}.fields.uid.predicates must be a predicate, such as dcterms:title, found "__proto__"`,
      `${PAGE}.fields.title.1 must be a predicate, such as dcterms:title, found "name"`,
      `${PAGE}.fields.body must be a predicate, such as dcterms:title, found "schema:na me"`,
    ],
  ],
  [
    'a prefix without an address',
    'rdf:\n  prefixes:\n    schema: schema.org\n    a b: "http://a.example/"',
    [
      'my.yaml:3: rdf.prefixes.schema must be an absolute address, such as http://purl.org/dc/terms/, found "schema.org"',
      'my.yaml:4: rdf.prefixes."a b": a prefix is letters, digits, _ and -, and begins with a letter',
    ],
  ],
];

describe('an invalid RDF mapping', () => {
  it.each(MISTAKES)('is refused: %s', (_name, text, messages) => {
    expect([...problemsOf(text)].toSorted()).toEqual(messages.toSorted());
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { Parser } from 'n3';
import { builtInTypes } from '../../../src/field-types/registry.ts';
import type { ContentModel, Item } from '../../../src/model/content-model.ts';
import type { ParsedContent } from '../../../src/repository/content/content.ts';
import type { Surroundings } from '../../../src/repository/content/read/surroundings.ts';
import { contentJsonLd } from '../../../src/representation/json-ld.ts';
import {
  countValues,
  createReader,
  type Reader,
  type Resource,
  resourcesOf,
  statementsOf,
  withMembers,
} from '../../support/linked-data.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { parseUserModel } from '../../unit/model/parse-user-model.ts';

const BASE = 'http://repo.example';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const ALONE: Surroundings = { targets: [], media: [], hasMoreMedia: false, file: undefined };

let repository: TestRepository;
let model: ContentModel;
let reader: Reader;
let node: ParsedContent;
let term: ParsedContent;

beforeAll(async () => {
  repository = await createTestRepository();
  model = repository.running.services.model;
  reader = createReader(repository.running.services);
  node = await reader.find('node', (await repository.node()).nid[0].value);
  term = await reader.find('taxonomy_term', await repository.termId('http://pcdm.org/use#OriginalFile'));
});
afterAll(() => repository.stop());

/** Returns the graph of the node with other values, as text. */
function textWith(members: Record<string, Item[]>): string {
  return contentJsonLd(withMembers(node, members), { baseUrl: BASE, model, fieldTypes: builtInTypes }, ALONE);
}

function subjectWith(members: Record<string, Item[]>): Resource {
  return resourcesOf(textWith(members))[0] as Resource;
}

const STRANGE_TEXTS: [name: string, text: string][] = [
  ['quotes and backslashes', 'a "quoted" \\ and \\" one'],
  ['line ends and tabs', 'one\r\ntwo\tthree\u2028four'],
  ['control characters', 'a\u0001b\u001fc\u007fd\u0085e'],
  ['text from right to left', '\u202eשלום \u200f{"@id":"x"}\u202c'],
  ['characters beyond the basic plane', '𝔄😀'],
  ['what looks like JSON-LD', '{"@value":"x","@type":"@id"}'],
  ['what looks like a statement', '"@en .\n<http://evil.example/> <http://evil.example/> "x'],
];

describe('text in a graph', () => {
  it.each(STRANGE_TEXTS)('is unchanged: %s', async (_name, value) => {
    const text = textWith({ title: [{ value }], field_identifier: [{ value }] });
    const statements = await statementsOf(text);
    expect(statements).toHaveLength(countValues(text));
    const quads = new Parser({ format: 'N-Quads' }).parse(statements.join('\n'));
    const of = (predicate: string) => quads.filter((quad) => quad.predicate.value.endsWith(predicate));
    expect(of('terms/title').map((quad) => quad.object.value)).toEqual([value]);
    expect(of('terms/identifier').map((quad) => quad.object.value)).toContain(value);
  });

  it('is valid JSON even with half a surrogate pair', () => {
    const text = textWith({ title: [{ value: 'a\ud800b' }] });
    expect(text.isWellFormed()).toBe(true);
    expect(resourcesOf(text)[0]?.['http://purl.org/dc/terms/title'][0]['@value']).toBe('a\ud800b');
  });

  it('is in the language of the entity', async () => {
    const members = { langcode: [{ value: 'zxx' }], title: [{ value: 'Titel' }] };
    expect(subjectWith(members)['http://purl.org/dc/terms/title']).toEqual([{ '@value': 'Titel', '@language': 'zxx' }]);
    expect(await statementsOf(textWith(members))).toContain(
      `<${BASE}/node/${node.head.id}> <http://purl.org/dc/terms/title> "Titel"@zxx .`,
    );
  });

  it('is the stored value, not its displayed form', () => {
    const note = { value: '<b>x</b>', format: 'basic_html', processed: '<strong>x</strong>' };
    expect(subjectWith({ field_note: [note] })['http://www.w3.org/2004/02/skos/core#note']).toEqual([
      { '@value': '<b>x</b>', '@language': 'en' },
    ]);
  });
});

describe('an address in a graph', () => {
  const sameAs = 'http://www.w3.org/2002/07/owl#sameAs';
  const graphOf = (uri: unknown) =>
    contentJsonLd(
      withMembers(term, { field_external_uri: [{ uri }] }),
      { baseUrl: BASE, model, fieldTypes: builtInTypes },
      ALONE,
    );

  it.each([
    ['http://a.example/ä?q=1#x', 'http://a.example/ä?q=1#x'],
    ['http://a.example/a%20b', 'http://a.example/a%20b'],
    ['http://a.example/a b<c>"d"{e}|f\\g^h`i', 'http://a.example/a%20b%3Cc%3E%22d%22%7Be%7D%7Cf%5Cg%5Eh%60i'],
    [
      'http://a.example/> <http://evil.example/p> "x" .\n',
      'http://a.example/%3E%20%3Chttp://evil.example/p%3E%20%22x%22%20.%0A',
    ],
    ['mailto:a@example.org', 'mailto:a@example.org'],
    ['internal:/node/1', 'internal:/node/1'],
  ])('is a valid IRI: %j', async (uri, iri) => {
    const text = graphOf(uri);
    expect(resourcesOf(text)[0]?.[sameAs]).toEqual([{ '@id': iri }]);
    const statements = await statementsOf(text);
    expect(statements).toHaveLength(countValues(text));
    expect(statements).toContain(`<${BASE}/taxonomy/term/${term.head.id}> <${sameAs}> <${iri}> .`);
  });

  it.each([[''], [null], [undefined], [5]])('is omitted without a value: %j', (uri) => {
    expect(Object.keys(resourcesOf(graphOf(uri))[0] as Resource)).not.toContain(sameAs);
  });

  it('is escaped in the type of a node', async () => {
    const { kind, head, bundle } = term;
    const target = {
      ...{ type: kind.type as 'taxonomy_term', id: head.id, label: '', bundle: bundle.name, ownerId: 1, status: true },
      accessSet: 0,
      ...{ externalUri: 'http://a.example/a type', authorityUri: undefined },
    };
    const around = { ...ALONE, targets: [{ field: 'field_model', target }] };
    const text = contentJsonLd(node, { baseUrl: BASE, model, fieldTypes: builtInTypes }, around);
    expect(resourcesOf(text)[0]?.['@type']).toEqual(['http://pcdm.org/models#Object', 'http://a.example/a%20type']);
    expect(await statementsOf(text)).toHaveLength(countValues(text));
  });
});

describe('a value in a graph', () => {
  it('is omitted for an empty field', () => {
    const subject = subjectWith({ field_weight: [], field_publisher: [{ value: '' }, { value: null }] });
    expect(Object.keys(subject)).not.toContain('http://purl.org/co/index');
    expect(Object.keys(subject)).not.toContain('http://purl.org/dc/elements/1.1/publisher');
  });

  it('is merged with those of the same predicate, in field order', () => {
    const subject = subjectWith({
      field_local_identifier: [{ value: 'b' }],
      field_identifier: [{ value: 'a1' }, { value: 'a2' }],
    });
    const values = subject['http://purl.org/dc/terms/identifier'].map((each: Resource) => each['@value']);
    expect(values).toEqual([`${BASE}/node/${node.head.id}`, 'a1', 'a2', 'b']);
  });

  it('has a datatype if it is a number or boolean', () => {
    const own = `
node_types:
  islandora_object:
    fields:
      field_size: { label: Size, type: integer, size: big }
      field_share: { label: Share, type: decimal }
      field_angle: { label: Angle, type: float }
      field_is_open: { label: Open, type: boolean }
      field_web: { label: Web, type: uri }
      field_seen: { label: Seen, type: timestamp }
      field_home: { label: Home, type: link, link_type: external }
rdf:
  prefixes: { x: "http://x.example/" }
  bundles:
    node.islandora_object:
      fields:
        field_size: x:size
        field_share: x:share
        field_angle: x:angle
        field_is_open: x:open
        field_web: x:web
        field_seen: { predicates: [x:seen, x:noticed], callback: iso8601 }
        field_home: x:home
        langcode: x:language
        path: x:path
        type: x:type
`;
    const owned = parseUserModel(own);
    const bundle = owned.nodeTypes.get('islandora_object');
    if (bundle === undefined) throw new Error('the bundle is gone');
    const content = withMembers(
      { ...node, bundle },
      {
        field_size: [{ value: 5 }, { value: 5_368_709_120 }],
        field_share: [{ value: '0.50' }],
        field_angle: [{ value: -1.5 }],
        field_is_open: [{ value: false }],
        field_web: [{ value: 'public://a' }],
        field_seen: [{ value: '2019-03-14T19:05:24+00:00' }],
        field_home: [{ uri: 'https://a.example/' }],
        path: [{ alias: '/a', pid: 1 }],
      },
    );
    const [subject] = resourcesOf(
      contentJsonLd(content, { baseUrl: BASE, model: owned, fieldTypes: builtInTypes }, ALONE),
    );
    expect(subject).toMatchObject({
      'http://x.example/size': [
        { '@value': '5', '@type': `${XSD}int` },
        { '@value': '5368709120', '@type': `${XSD}long` },
      ],
      'http://x.example/share': [{ '@value': '0.50', '@type': `${XSD}decimal` }],
      'http://x.example/angle': [{ '@value': '-1.5', '@type': `${XSD}float` }],
      'http://x.example/open': [{ '@value': 'false', '@type': `${XSD}boolean` }],
      'http://x.example/web': [{ '@value': 'public://a', '@type': `${XSD}anyURI` }],
      'http://x.example/seen': [{ '@value': '2019-03-14T19:05:24+00:00', '@type': `${XSD}dateTime` }],
      'http://x.example/noticed': [{ '@value': '2019-03-14T19:05:24+00:00', '@type': `${XSD}dateTime` }],
      'http://x.example/home': [{ '@id': 'https://a.example/' }],
      'http://x.example/language': [{ '@value': 'en', '@type': `${XSD}language` }],
      'http://x.example/path': [{ '@value': '/a', '@type': `${XSD}anyURI` }],
    });
    expect(Object.keys(subject as Resource)).not.toContain('http://x.example/type');
  });

  it('has no predicate of its own if the role is not an IRI', async () => {
    const relation = (rel_type: string) => ({ target_id: 5, rel_type, target_type: 'taxonomy_term' });
    const roles = ['author', '__proto__', '@type', '', 'relators:', 'local:pet', 'relators:a b', 'relators:aut'];
    const text = textWith({ field_linked_agent: roles.map(relation) });
    const subject = resourcesOf(text)[0] as Resource;
    const target = [{ '@id': `${BASE}/taxonomy/term/5` }];
    expect(subject['http://purl.org/dc/terms/contributor']).toEqual(target);
    const said = Object.keys(subject).filter((key) => JSON.stringify(subject[key]) === JSON.stringify(target));
    expect(said).toEqual([
      'http://purl.org/dc/terms/contributor',
      'http://id.loc.gov/vocabulary/relators/',
      'local:pet',
      'http://id.loc.gov/vocabulary/relators/a%20b',
      'http://id.loc.gov/vocabulary/relators/aut',
    ]);
    expect(await statementsOf(text)).toHaveLength(countValues(text));
  });

  it('omits deleted entities and empty references', () => {
    const subject = subjectWith({
      field_member_of: [{ target_id: 7 }, { target_id: null }, { target_id: 8, target_type: 'constructor' }],
    });
    expect(Object.keys(subject)).not.toContain('http://pcdm.org/models#memberOf');
  });
});

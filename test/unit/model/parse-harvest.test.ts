import { describe, expect, it } from 'bun:test';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const OWN = 'element: r, namespace: "urn:r", schema: "urn:r.xsd"';
const own = (members: string) => `harvest: { formats: { own: { ${OWN}, ${members} } } }`;
const formatsOf = (text: string) => parseUserModel(text).harvest.formats;

describe('the harvest formats', () => {
  it('are Dublin Core, MODS and DataCite by default', () => {
    expect([...formatsOf('').keys()]).toEqual(['oai_dc', 'mods', 'datacite']);
    expect([...parseUserModel('').harvest.nodeTypes]).toEqual(['islandora_object']);
  });

  it('can be added, changed entry by entry, and removed', () => {
    const text = `harvest:
      formats:
        mods: null
        oai_dc: { elements: { field_note: [], dcterms:abstract: null, "http://example.org/p": dc:source } }
        own: { ${OWN}, elements: { dcterms:title: a/b } }`;
    const formats = formatsOf(text);
    expect([...formats.keys()]).toEqual(['oai_dc', 'datacite', 'own']);
    const dublinCore = formats.get('oai_dc');
    expect(dublinCore?.byField.get('field_note')).toEqual([]);
    expect(dublinCore?.byPredicate.has('http://purl.org/dc/terms/abstract')).toBe(false);
    expect(dublinCore?.byPredicate.get('http://example.org/p')).toMatchObject([{ name: 'dc:source' }]);
    expect(dublinCore?.byPredicate.has('http://purl.org/dc/terms/title')).toBe(true);
    expect(formats.get('own')?.byPredicate.get('http://purl.org/dc/terms/title')).toMatchObject([
      { name: 'a', text: [], children: [{ name: 'b', text: [{ fact: 'value' }] }] },
    ]);
  });

  it('have templates with attributes, text, placeholders and tables', () => {
    const text = `harvest:
      tables: { mine: { a: b } }
      formats: { own: { ${OWN}, elements: { dcterms:title: { t: { "@u": "x {uri|mine}", "#": "[{value}]", c: "{url}" } } } } }`;
    expect(formatsOf(text).get('own')?.byPredicate.get('http://purl.org/dc/terms/title')).toEqual([
      {
        name: 't',
        attributes: [{ name: 'u', text: ['x ', { fact: 'uri', table: new Map([['a', 'b']]) }] }],
        text: ['[', { fact: 'value', table: undefined }, ']'],
        children: [{ name: 'c', attributes: [], text: [{ fact: 'url', table: undefined }], children: [] }],
      },
    ]);
  });

  it('affect the fingerprint of the model', () => {
    expect(parseUserModel(own('elements: {}')).fingerprint).not.toBe(parseUserModel('').fingerprint);
  });

  it('skip fields that the user removes from the default model', () => {
    const text = 'node_types: { islandora_object: { fields: { field_pid: null, field_volume: null } } }';
    expect(formatsOf(text).get('mods')?.byField.has('field_pid')).toBe(false);
  });
});

describe('an invalid format', () => {
  const cases: [text: string, message: string][] = [
    ['harvest: { formats: { oai_dc: null } }', 'harvest.formats.oai_dc cannot be removed: OAI-PMH requires it'],
    ['harvest: { formats: { "a b": null } }', 'there is nothing to remove'],
    [
      `harvest: { formats: { "a b": { ${OWN}, elements: {} } } }`,
      "a metadataPrefix has only letters, digits and -_.!~*'()",
    ],
    [own('elements: { field_titel: t }'), 'harvest.formats.own.elements.field_titel: there is no field "field_titel"'],
    [own('elements: { dcterms:title: "a//b" }'), 'must be a path of elements such as titleInfo/title, found "a//b"'],
    [
      own('elements: { dcterms:title: 5 }'),
      'must be a path such as titleInfo/title, a map of elements, or a list of them',
    ],
    [own('elements: { dcterms:title: { t: { "@u": [1] } } }'), 'must be text'],
    [own('elements: { dcterms:title: { "1t": x } }'), '"1t" is no name of an element'],
    [own('elements: { dcterms:title: { t: "{valeu}" } }'), 'there is no placeholder "valeu"; did you mean value?'],
    [own('elements: { dcterms:title: { t: "{uri|mine}" } }'), 'there is no table "mine"'],
    [own('elements: { dcterms:title: dc:title }'), 'there is no namespace "dc"; there are none'],
    [own('elements: {}, namespaces: { "1": "urn:x" }'), '"1" is no prefix of a namespace'],
    [own('elements: {}, single: [a b]'), 'must be the name of an element'],
    [own('elements: {}, defaults: { a: [b] }'), 'must be text, or a map of "@attributes", "#" and elements'],
    ['harvest: { formats: { own: { element: x } } }', 'harvest.formats.own.namespace is missing'],
    ['harvest: { node_types: [thesis] }', 'harvest.node_types.0: there is no node type "thesis"'],
    ['harvest: { tables: { t: { a: [b] } } }', 'harvest.tables.t.a must be text'],
    ['harvest: { format: {} }', 'did you mean formats?'],
  ];
  for (const [text, message] of cases)
    it(`is reported: ${message}`, () => {
      expect(problemsOf(text).join('\n')).toContain(message);
    });
});

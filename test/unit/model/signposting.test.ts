import { describe, expect, it } from 'bun:test';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const { signposting: defaults, nodeTypes, mediaTypes } = parseUserModel('');
const ABOUT = { address: 'https://schema.org/AboutPage' };
const ITEM = 'signposting."node.islandora_object"';

function itemRules(text: string) {
  return parseUserModel(text).signposting.node.get('islandora_object');
}

describe('the rules of the default bundles', () => {
  it('cover every node type and media type', () => {
    expect([...defaults.node.keys()]).toEqual([...nodeTypes.keys()]);
    expect([...defaults.media.keys()].toSorted()).toEqual([...mediaTypes.keys()].toSorted());
    expect(defaults.taxonomy_term.size).toBe(0);
    for (const rules of [...defaults.node.values(), ...defaults.media.values()]) expect(rules.type[0]).toEqual(ABOUT);
  });

  it('use the fields of an item', () => {
    const rules = defaults.node.get('islandora_object');
    expect(rules).toMatchObject({
      citeAs: ['field_pid', 'field_identifier'],
      author: [{ field: 'field_linked_agent', isReference: true }],
      type: [ABOUT, { field: 'field_model' }, { field: 'field_resource_type' }],
      license: [{ field: 'field_rights', isReference: false }],
      collection: [{ field: 'field_member_of', isReference: true }],
      item: 'all',
    });
    const [author] = rules?.author ?? [];
    const relations = author && 'relations' in author ? author.relations : undefined;
    expect(relations?.has('relators:aut')).toBe(true);
    expect(relations?.has('relators:edt')).toBe(false);
  });
});

describe("a user's file about links", () => {
  it('replaces one relation and keeps the others', () => {
    const rules = itemRules(
      `signposting: { node.islandora_object: { license: ["https://a.example/l"], item: ["http://pcdm.org/use#OriginalFile"] } }`,
    );
    expect(rules?.license).toEqual([{ address: 'https://a.example/l' }]);
    expect(rules?.item).toEqual(['http://pcdm.org/use#OriginalFile']);
    expect(rules?.collection).toEqual(defaults.node.get('islandora_object')?.collection ?? []);
  });

  it('adds a bundle', () => {
    const { signposting, fingerprint } = parseUserModel(`
node_types: { thesis: { label: Thesis, fields: { field_by: { label: By, type: link } } } }
signposting: { node.thesis: { author: [field_by, { field: field_by }], item: none, cite-as: [field_by] } }
`);
    expect(signposting.node.get('thesis')).toEqual({
      citeAs: ['field_by'],
      author: [
        { field: 'field_by', isReference: false, relations: undefined },
        { field: 'field_by', isReference: false, relations: undefined },
      ],
      ...{ type: [], license: [], collection: [], item: [] },
    });
    expect(fingerprint).not.toBe(parseUserModel('').fingerprint);
  });

  it('adds rules for terms', () => {
    const { signposting } = parseUserModel(
      'signposting: { taxonomy_term.person: { type: ["https://schema.org/Person"] } }',
    );
    expect(signposting.taxonomy_term.get('person')?.type).toEqual([{ address: 'https://schema.org/Person' }]);
  });

  it('removes a bundle or a relation with null', () => {
    const { signposting } = parseUserModel(
      'signposting: { node.page: null, media.image: { item: null, type: null, collection: [] } }',
    );
    expect(signposting.node.has('page')).toBe(false);
    expect(signposting.media.get('image')).toMatchObject({ type: [], item: [], collection: [] });
  });

  it('drops built-in rules of removed bundles, fields and relation types', () => {
    const model = parseUserModel(`
node_types: { article: null, islandora_object: { fields: { field_pid: null, field_rights: { label: R, type: boolean } } } }
lists: { relators: { "relators:aut": null } }
`);
    expect(model.signposting.node.has('article')).toBe(false);
    const rules = model.signposting.node.get('islandora_object');
    expect(rules).toMatchObject({ citeAs: ['field_identifier'], license: [] });
    const [author] = rules?.author ?? [];
    expect(author && 'relations' in author && author.relations?.has('relators:aut')).toBe(false);
    expect(author && 'relations' in author && author.relations?.has('relators:cre')).toBe(true);
  });
});

const ADDRESSES =
  'string, string_long, text, text_long, text_with_summary, list_string, link, authority_link, uri, textfield_attr, textarea_attr';

const INVALID_RULES: [name: string, rules: string, messages: string[]][] = [
  ['an unknown relation', 'licence: []', [`unknown key ${ITEM}.licence; did you mean license?`]],
  [
    'an unknown relation to remove',
    'licence: null',
    ['signposting.node.islandora_object.licence: there is nothing to remove; did you mean license?'],
  ],
  ['no map', 'all', ['signposting."node.islandora_object" must be a map of relations to fields, found "all"']],
  [
    'no list',
    'author: field_linked_agent',
    [`${ITEM}.author must be a list of fields and addresses, found "field_linked_agent"`],
  ],
  [
    'an unknown field',
    'license: [field_right]',
    [`${ITEM}.license.0: there is no configured field "field_right"; did you mean field_rights?`],
  ],
  [
    'an unknown field to cite',
    'cite-as: [field_pid, field_idenntifier]',
    [`${ITEM}.cite-as.1: there is no configured field "field_idenntifier"; did you mean field_identifier?`],
  ],
  ['a field that is not a name', 'cite-as: [1]', [`${ITEM}.cite-as.0 must be the name of a field, found 1`]],
  [
    'an empty entry',
    'type: [null, 5]',
    [
      `${ITEM}.type.0 must be the name of a field, an address, or a map with field, found nothing`,
      `${ITEM}.type.1 must be the name of a field, an address, or a map with field, found 5`,
    ],
  ],
  [
    'a map without a field',
    'author: [{ relations: ["relators:aut"] }]',
    [`${ITEM}.author.0.field is missing; it is the name of a field`],
  ],
  [
    'a map with an unknown key',
    'author: [{ field: field_linked_agent, relation: x }]',
    [`unknown key ${ITEM}.author.0.relation; did you mean relations?`],
  ],
  [
    'a field of a type without addresses',
    'author: [field_weight]',
    [
      `${ITEM}.author.0: field_weight is integer, which cannot be the target of a link; it must be ${ADDRESSES}, or a reference to node, media, taxonomy_term`,
    ],
  ],
  [
    'a reference to cite',
    'cite-as: [field_genre]',
    [
      `${ITEM}.cite-as.0: field_genre is entity_reference to taxonomy_term, which cannot be the target of a link; it must be ${ADDRESSES}`,
    ],
  ],
  [
    'an unknown relation type',
    'author: [{ field: field_linked_agent, relations: ["relators:aut", "relators:auth"] }]',
    [`${ITEM}.author.0.relations.1: there is no relation type "relators:auth"; did you mean relators:aut?`],
  ],
  [
    'no relation types',
    'author: [{ field: field_linked_agent, relations: [] }]',
    [`${ITEM}.author.0.relations must be a list of relation types, such as [relators:aut], found an empty list`],
  ],
  [
    'relation types of a field that has none',
    'author: [{ field: field_genre, relations: ["relators:aut"] }]',
    [`${ITEM}.author.0.relations means nothing here: field_genre is entity_reference; it is for typed_relation`],
  ],
  ['an invalid address', 'type: ["https://"]', [`${ITEM}.type.0 must be an absolute address, found "https://"`]],
  [
    'an unknown word for files',
    'item: some',
    [`${ITEM}.item must be all, none, or a list of the URIs of media uses, found "some"`],
  ],
  [
    'a media use that is not a URI',
    'item: [OriginalFile]',
    [`${ITEM}.item.0 must be a URI, such as http://pcdm.org/use#OriginalFile, found "OriginalFile"`],
  ],
];

describe('an invalid rule', () => {
  it.each(INVALID_RULES)('is reported: %s', (_name, rules, messages) => {
    const text = `signposting:\n  node.islandora_object: ${/^\w+$/.test(rules) ? rules : `{ ${rules} }`}`;
    expect(problemsOf(text)).toEqual(messages.map((message) => `my.yaml:2: ${message}`));
  });

  it('is reported: an unknown bundle', () => {
    expect(problemsOf('signposting: { node.artcle: {} }')).toEqual([
      'my.yaml:1: signposting."node.artcle": there is no bundle "node.artcle"; did you mean node.article?',
    ]);
  });

  it('is reported: files of a term', () => {
    expect(problemsOf('signposting: { taxonomy_term.person: { item: all } }')).toEqual([
      'my.yaml:1: signposting."taxonomy_term.person".item means nothing here: only nodes and media have files',
    ]);
  });

  it('is reported: a reference to entities without a page', () => {
    const field = 'field_who: { label: W, type: entity_reference, target_type: user }';
    const text = `node_types: { page: { fields: { ${field} } } }\nsignposting: { node.page: { author: [field_who] } }`;
    expect(problemsOf(text)).toEqual([
      `my.yaml:2: signposting."node.page".author.0: field_who is entity_reference to user, which cannot be the target of a link; it must be ${ADDRESSES}, or a reference to node, media, taxonomy_term`,
    ]);
  });
});

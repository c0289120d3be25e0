import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { DEFAULT_MODEL_TEXTS, defaultModelFiles } from '../../../src/model/load-model.ts';
import { parseModel } from '../../../src/model/parse-model.ts';
import { isOwnPath } from '../../../src/server/load-model.ts';
import { SURROUNDINGS } from '../../support/content-model.ts';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const view = (members: string) => `views: { mine: { ${members} } }`;
const NODES = 'path: /mine, entity_type: node';
const viewOf = (members: string) => parseUserModel(view(members)).views.get('mine');

describe('a configured list', () => {
  it('does not exist by default', () => {
    expect(parseUserModel('').views.size).toBe(0);
  });

  it('needs only a path and an entity type, and accepts all other settings', () => {
    expect(viewOf(NODES)).toEqual({
      name: 'mine',
      path: '/mine',
      entityType: 'node',
      bundles: undefined,
      exposed: [],
      fixed: [],
      order: [],
      pageSize: undefined,
      fields: undefined,
      permission: undefined,
      authentication: undefined,
    });
    const members = `${NODES}, bundles: [islandora_object],
      filters: { q: { field: title, operator: contains }, of: { field: field_member_of, required: true },
        role: { field: field_linked_agent.rel_type } },
      fixed: [{ field: field_model, value: "http://example.org/m" }, { field: promote, value: true }, { field: nid, value: "5" }],
      order: [created desc, title asc, field_weight], page_size: 20, fields: [nid, field_linked_agent.rel_type],
      permission: access content, authentication: [basic_auth]`;
    const { exposed, fixed, order, fields, ...rest } = viewOf(members) ?? {};
    expect(exposed).toMatchObject([
      { parameter: 'q', operator: 'contains', isRequired: false, field: { name: 'title', kind: 'text' } },
      { parameter: 'of', operator: 'equals', isRequired: true, field: { kind: 'id', targetType: 'node' } },
      { parameter: 'role', field: { name: 'field_linked_agent', property: 'rel_type', kind: 'text' } },
    ]);
    expect(fixed).toMatchObject([
      { field: { kind: 'id', targetType: 'taxonomy_term' }, value: 'http://example.org/m' },
      { field: { kind: 'boolean' }, value: true },
      { field: { kind: 'number' }, value: 5 },
    ]);
    expect(order?.map(({ field, isDescending }) => [field.text, isDescending])).toEqual([
      ['created', true],
      ['title', false],
      ['field_weight', false],
    ]);
    expect(fields?.map(({ text }) => text)).toEqual(['nid', 'field_linked_agent.rel_type']);
    expect(rest).toMatchObject({ pageSize: 20, permission: 'access content', authentication: ['basic_auth'] });
  });

  it('changes the fingerprint of the model', () => {
    expect(parseUserModel(view(NODES)).fingerprint).not.toBe(parseUserModel('').fingerprint);
  });

  it('is valid in each example of the model file', () => {
    const [, examples = ''] =
      /\n#\n((?:#(?: {3}.*)?\n)+?)#\n# {3}path /.exec(DEFAULT_MODEL_TEXTS['views.yaml'] ?? '') ?? [];
    const { views } = parseUserModel(examples.replaceAll(/^# {0,3}/gm, ''));
    expect([...views.keys()]).toEqual(['of_collection', 'node_exists', 'find_people']);
  });
});

describe('an invalid list', () => {
  const AT = 'my.yaml:1: views.mine';
  it.each<[string, string, string]>([
    [
      'no path',
      'entity_type: node',
      `${AT}.path is missing; it is a path of letters, digits and -_.~, such as /find/by_identifier`,
    ],
    [
      'a relative path',
      'path: mine, entity_type: node',
      `${AT}.path must be a path of letters, digits and -_.~, such as /find/by_identifier, found "mine"`,
    ],
    [
      'a pattern',
      'path: "/x/:id", entity_type: node',
      `${AT}.path must be a path of letters, digits and -_.~, such as /find/by_identifier, found "/x/:id"`,
    ],
    [
      'a path that no client can request',
      'path: /x/.., entity_type: node',
      `${AT}.path must be a path of letters, digits and -_.~, such as /find/by_identifier, found "/x/.."`,
    ],
    ['no kind', 'path: /x', `${AT}.entity_type is missing; it is one of node, media, taxonomy_term`],
    [
      'an entity type without lists',
      'path: /x, entity_type: user',
      `${AT}.entity_type must be one of node, media, taxonomy_term, found "user"`,
    ],
    [
      'an unknown member',
      `${NODES}, pagesize: 5`,
      'my.yaml:1: unknown key views.mine.pagesize; did you mean page_size?',
    ],
    [
      'an unknown bundle',
      `${NODES}, bundles: [islandora_objct]`,
      `${AT}.bundles.0: there is no bundle "islandora_objct"; did you mean islandora_object?`,
    ],
    ['an unknown field', `${NODES}, order: [titel]`, `${AT}.order.0: there is no field "titel"; did you mean title?`],
    [
      'a field of another bundle',
      `${NODES}, bundles: [page], fields: [field_tags]`,
      `${AT}.fields.0: there is no field "field_tags"; there are:`,
    ],
    [
      'an unknown property',
      `${NODES}, filters: { a: { field: field_linked_agent.role } }`,
      `${AT}.filters.a.field: an item of field_linked_agent has no role; it has target_id, rel_type`,
    ],
    [
      'a property of a property',
      `${NODES}, fields: [title.value.x]`,
      `${AT}.fields.0: an item of title has no value.x; it has value`,
    ],
    [
      'an unknown operator',
      `${NODES}, filters: { a: { field: title, operator: like } }`,
      `${AT}.filters.a.operator must be one of equals, contains, starts, found "like"`,
    ],
    [
      'an operator that does not fit',
      `${NODES}, filters: { a: { field: field_member_of, operator: starts } }`,
      `${AT}.filters.a.operator: starts is for text, and field_member_of is the id of another entity; leave it out`,
    ],
    [
      'a reserved parameter',
      `${NODES}, filters: { page: { field: title } }`,
      `${AT}.filters.page: the parameter page is reserved; choose another name`,
    ],
    [
      'an invalid parameter',
      `${NODES}, filters: { "a b": { field: title } }`,
      'my.yaml:1: views.mine.filters."a b": a parameter is at most 64 letters, digits and -_., and begins with a letter',
    ],
    [
      'a filter without field',
      `${NODES}, filters: { a: {} }`,
      `${AT}.filters.a.field is missing; it is the name of a field, such as title or field_identifier`,
    ],
    [
      'a value that does not fit',
      `${NODES}, fixed: [{ field: promote, value: 1 }]`,
      `${AT}.fixed.0.value must be true or false: it is compared with promote, found 1`,
    ],
    [
      'an invalid id',
      `${NODES}, fixed: [{ field: field_model, value: Image }]`,
      `${AT}.fixed.0.value must be the id or the URI of a term: it is compared with field_model, found "Image"`,
    ],
    [
      'no value',
      `${NODES}, fixed: [{ field: title }]`,
      `${AT}.fixed.0.value is missing; it is text, a number, or true or false`,
    ],
    [
      'an invalid direction',
      `${NODES}, order: [title down]`,
      `${AT}.order.0 must be the name of a field, with asc or desc if you like, such as created desc, found "title down"`,
    ],
    ['no entries', `${NODES}, page_size: 0`, `${AT}.page_size must be a whole number from 1 to 1000, found 0`],
    [
      'an unknown permission',
      `${NODES}, permission: acess content`,
      `${AT}.permission: there is no permission "acess content"; did you mean "access content"?`,
    ],
    [
      'an unknown authentication type',
      `${NODES}, authentication: [basic]`,
      `${AT}.authentication.0 must be one of basic_auth, jwt_auth, cookie, found "basic"`,
    ],
  ])('is reported: %s', (_name, members, message) => {
    const [problem, ...others] = problemsOf(view(members));
    expect(problem).toStartWith(message);
    expect(others).toEqual([]);
  });

  it('is reported: a duplicate path, and an invalid name', () => {
    expect(problemsOf('views:\n  a: { path: /x, entity_type: node }\n  b: { path: /x, entity_type: media }')).toEqual([
      'my.yaml:3: views.b.path: views.a already has the path /x',
    ]);
    expect(problemsOf('views: { Mine: { path: /x, entity_type: node } }')).toEqual([
      'my.yaml:1: views.Mine: a machine name is at most 32 lower-case letters, digits and _, and begins with a letter',
    ]);
  });

  it('is reported: a path of the program', () => {
    const user = parseYamlText('my.yaml', view('path: /node/all, entity_type: node'), () => undefined);
    expect(() => parseModel(defaultModelFiles(), user, { ...SURROUNDINGS, isOwnPath })).toThrow(
      'my.yaml:1: views.mine.path: /node/all is an address of the repository itself',
    );
  });
});

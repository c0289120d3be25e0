import { describe, expect, it } from 'bun:test';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const PARTS = 'label: Parts, type: entity_reference_revisions, target_type: paragraph';
const model = (field: string, more = '') =>
  `paragraph_types: { note: { label: Note, fields: { field_text: { label: Text, type: string } } } }\nnode_types: { page: { fields: { field_parts: { ${field} } } } }\n${more}`;
const AT = 'my.yaml:2: node_types.page.fields.field_parts';

describe('paragraph types', () => {
  it('are none by default', () => {
    expect(parseUserModel('').paragraphTypes.size).toBe(0);
  });

  it('are ordinary bundles that revision references can target', () => {
    const { paragraphTypes, nodeTypes } = parseUserModel(model(`${PARTS}, target_bundles: [note]`));
    expect(paragraphTypes.get('note')).toMatchObject({ entityType: 'paragraph', label: 'Note', newRevision: false });
    expect(paragraphTypes.get('note')?.fields.map(({ name }) => name)).toEqual(['field_text']);
    expect(nodeTypes.get('page')?.fieldNamed.get('field_parts')).toMatchObject({
      targetType: 'paragraph',
      targetBundles: ['note'],
    });
  });

  it('have their own permissions', () => {
    const roles = (permission: string) =>
      model(PARTS, `roles: { writer: { label: W, permissions: ["${permission}"] } }`);
    for (const verb of ['create', 'update', 'delete'])
      expect(problemsOf(roles(`${verb} paragraph content note`))).toEqual([]);
    expect(problemsOf(roles('bypass paragraphs type content access'))).toEqual([]);
    expect(problemsOf(roles('create paragraph content nota'))).toEqual([
      'my.yaml:3: roles.writer.permissions.0: there is no permission "create paragraph content nota"; did you mean "create paragraph content note"?',
    ]);
  });

  it.each<[what: string, text: string, message: string]>([
    [
      'an unknown type',
      model(`${PARTS}, target_bundles: [nots]`),
      `${AT}.target_bundles.0: there is no paragraph type "nots"; did you mean note?`,
    ],
    [
      'a reference that is not to a revision',
      model('label: Parts, type: entity_reference, target_type: paragraph'),
      `${AT}.target_type: there is no target type "paragraph"; there are: node, media, taxonomy_term, file, user, node_type, media_type, taxonomy_vocabulary, paragraphs_type, user_role`,
    ],
    [
      'a default',
      model(`${PARTS}, default_value: [{ target_id: 1 }]`),
      `${AT}.default_value: a paragraph belongs to one entity and cannot be a default; leave this out`,
    ],
    [
      'a setting of another kind of bundle',
      'paragraph_types: { note: { label: Note, promote: true } }',
      'my.yaml:1: unknown key paragraph_types.note.promote; known here: label, new_revision, fields',
    ],
    [
      'a field that every paragraph has',
      'paragraph_types: { note: { label: Note, fields: { status: { label: S, type: boolean } } } }',
      'my.yaml:1: paragraph_types.note.fields.status: every paragraph has a field status already; choose another name',
    ],
    [
      'a type that does not know its name',
      'paragraph_types: { note: {} }',
      'my.yaml:1: paragraph_types.note.label is missing; it is text for people to read',
    ],
    [
      'a paragraph of a user',
      `user_fields: { field_parts: { ${PARTS} } }`,
      'my.yaml:1: user_fields.field_parts.target_type: there is no target type "paragraph"; there are: node, media, taxonomy_term, file, user',
    ],
    [
      'a field that is not the same in two types',
      'paragraph_types:\n  a: { label: A, fields: { field_x: { label: X, type: string } } }\n  b: { label: B, fields: { field_x: { label: X, type: integer } } }',
      'my.yaml:3: paragraph_types.b.fields.field_x.type must be the same in every bundle: string in a, found integer',
    ],
  ])('are refused with %s', (_what, text, message) => {
    expect(problemsOf(text)).toEqual([message]);
  });

  it('are reported as unknown if a field targets missing ones', () => {
    expect(problemsOf(`node_types: { page: { fields: { field_parts: { ${PARTS}, target_bundles: [a] } } } }`)).toEqual([
      'my.yaml:1: node_types.page.fields.field_parts.target_bundles.0: there is no paragraph type "a"; there are none',
    ]);
  });
});

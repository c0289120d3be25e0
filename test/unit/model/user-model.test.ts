import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { permissionOf } from '../../../src/model/permissions.ts';
import { loadTestModel } from '../../support/content-model.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { parseUserModel } from './parse-user-model.ts';

const defaults = parseUserModel('{}');
const folder = await emptyFolder();

const THESIS = `
node_types:
  thesis:
    label: Thesis
    fields:
      field_degree: { label: Degree, type: list_string, allowed_values: { ma: Master, phd: Doctor } }
`;

describe("a user's model file", () => {
  it('may be empty', () => {
    expect(parseUserModel('').fingerprint).toBe(defaults.fingerprint);
    expect(parseUserModel('roles:\n  # nothing yet\nnode_types:\n').fingerprint).toBe(defaults.fingerprint);
  });

  it('adds a node type beside the default ones', () => {
    const model = parseUserModel(THESIS);
    expect([...model.nodeTypes.keys()]).toEqual(['islandora_object', 'article', 'page', 'thesis']);
    expect(model.nodeTypes.get('thesis')).toMatchObject({ label: 'Thesis', newRevision: true, promote: false });
    expect(model.nodeTypes.get('thesis')?.fieldNamed.get('field_degree')?.allowedValues).toEqual({
      ma: 'Master',
      phd: 'Doctor',
    });
    expect(model.fingerprint).not.toBe(defaults.fingerprint);
  });

  it("adds a field to a default bundle, and changes only that bundle's layout", () => {
    const model = parseUserModel(
      'node_types: { islandora_object: { fields: { field_doi: { label: DOI, type: string } } } }',
    );
    const before = defaults.nodeTypes.get('islandora_object');
    const after = model.nodeTypes.get('islandora_object');
    expect(after?.fields).toHaveLength(53);
    expect(after?.label).toBe('Repository Item');
    expect(after?.layout).not.toBe(before?.layout);
    expect(model.nodeTypes.get('article')?.layout).toBe(defaults.nodeTypes.get('article')?.layout);
  });

  it('keeps the layout when only a label changes', () => {
    const model = parseUserModel('node_types: { islandora_object: { fields: { field_rights: { label: Licence } } } }');
    const rights = model.nodeTypes.get('islandora_object')?.fieldNamed.get('field_rights');
    expect(rights).toMatchObject({ label: 'Licence', type: 'text_long', cardinality: -1, translatable: true });
    expect(model.nodeTypes.get('islandora_object')?.layout).toBe(defaults.nodeTypes.get('islandora_object')?.layout);
  });

  it('replaces a whole field if the entry has a type', () => {
    const model = parseUserModel(
      'node_types: { islandora_object: { fields: { field_rights: { label: Rights, type: string } } } }',
    );
    const rights = model.nodeTypes.get('islandora_object')?.fieldNamed.get('field_rights');
    expect(rights).toMatchObject({ type: 'string', cardinality: 1, translatable: false, maxLength: 255 });
  });

  it('removes fields, settings and bundles with null', () => {
    const model = parseUserModel(`
node_types:
  article: null
  islandora_object: { fields: { field_isbn: null, field_frequency: null, field_member_of: { target_bundles: null } } }
vocabularies: { frequencies: null }
`);
    expect([...model.nodeTypes.keys()]).toEqual(['islandora_object', 'page']);
    const item = model.nodeTypes.get('islandora_object');
    expect(item?.fieldNamed.has('field_isbn')).toBe(false);
    expect(item?.fieldNamed.get('field_member_of')).toMatchObject({ targetType: 'node', targetBundles: undefined });
    expect(model.vocabularies.has('frequencies')).toBe(false);
    expect(model.roles.get('content_editor')?.permissions.has(permissionOf('create NAME content', 'article'))).toBe(
      false,
    );
    expect(model.roles.get('content_editor')?.permissions.has(permissionOf('create NAME content', 'page'))).toBe(true);
  });

  it('changes role members one by one, and permissions as a whole', () => {
    const model = parseUserModel(`
roles:
  anonymous: { permissions: [access content, view media] }
  workbench_user: null
  curator: { label: Curator, permissions: [edit any islandora_object content, use text format full_html] }
`);
    expect([...(model.roles.get('anonymous')?.permissions ?? [])]).toEqual(['access content', 'view media']);
    expect(model.roles.get('anonymous')?.label).toBe('Anonymous user');
    expect(model.roles.has('workbench_user')).toBe(false);
    expect(model.roles.get('curator')?.permissions.size).toBe(2);
  });

  it('changes REST access method by method', () => {
    const { rest } = parseUserModel(
      'rest: { entity.user: { GET: { json: [cookie] } }, entity.node: { DELETE: null } }',
    );
    expect(rest.get('entity.user')).toEqual({ GET: { json: ['cookie'] } });
    expect(Object.keys(rest.get('entity.node') ?? {})).toEqual(['GET', 'POST', 'PATCH']);
  });

  it('extends lists and the fields that use them', () => {
    const model = parseUserModel('lists: { relators: { "relators:abr": null, "local:pet": Pet } }');
    const types = model.nodeTypes.get('islandora_object')?.fieldNamed.get('field_linked_agent')?.relationTypes ?? {};
    expect(types['local:pet']).toBe('Pet');
    expect(Object.hasOwn(types, 'relators:abr')).toBe(false);
    expect(Object.keys(types)).toHaveLength(308);
  });

  it('replaces the terms of a vocabulary', () => {
    const model = parseUserModel(`
terms:
  genre: { source: lcgft, terms: [{ name: Diaries, uri: "http://id.loc.gov/authorities/genreForms/gf2014026085" }] }
  country: null
`);
    expect(model.vocabularies.get('genre')?.terms).toMatchObject([{ name: 'Diaries', source: 'lcgft' }]);
    expect(model.vocabularies.get('country')?.terms).toEqual([]);
  });

  it('changes languages and text formats', () => {
    const model = parseUserModel(`
languages: [de, pt-BR, und]
default_language: de
text_formats: { full_html: null, wiki: { label: Wiki, allowed_html: { a: [href] }, convert_urls: true } }
`);
    expect(model.languages).toEqual(['de', 'pt-BR', 'und']);
    expect([...model.textFormats.keys()]).toEqual(['basic_html', 'restricted_html', 'plain_text', 'wiki']);
    expect(model.textFormats.get('wiki')).toMatchObject({ allowedHtml: { a: ['href'] }, convertsUrls: true });
  });

  it('is read from disk, with variables from the environment', async () => {
    const file = join(folder, 'mine.yaml');
    await Bun.write(file, 'node_types: { page: { label: "${PATH}" } }');
    const model = await loadTestModel(file);
    expect(model.nodeTypes.get('page')?.label).toBe(process.env.PATH ?? '');
    await expect(loadTestModel(join(folder, 'none.yaml'))).rejects.toThrow('none.yaml: no such file');
  });
});

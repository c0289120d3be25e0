import { describe, expect, it } from 'bun:test';
import { FORM_BASE_FIELDS } from '../../../src/model/base-field-names.ts';
import type { Bundle } from '../../../src/model/content-model.ts';
import { formLabel, readerLabel } from '../../../src/model/field-groups.ts';
import { DEFAULT_MODEL_TEXTS } from '../../../src/model/load-model.ts';
import { loadTestModel } from '../../support/content-model.ts';
import { parseUserModel, problemsOf } from './parse-user-model.ts';

const item = (text: string) => parseUserModel(text).nodeTypes.get('islandora_object') as Bundle;
const form = (settings: string) => `node_types: { islandora_object: { form: { ${settings} } } }`;
const AT = 'my.yaml:1: node_types.islandora_object';
const groupsOf = ({ form: { groups } }: Bundle) =>
  Object.fromEntries(groups.map(({ name, fields, more }) => [name, [...fields, ...more]]));

const model = await loadTestModel();

describe('the default form of an item', () => {
  const bundle = model.nodeTypes.get('islandora_object') as Bundle;

  it('has every field in one group', () => {
    const grouped = bundle.form.groups.flatMap(({ fields, more }) => [...fields, ...more]);
    const all = [...FORM_BASE_FIELDS.node, ...bundle.fieldNamed.keys()];
    expect(grouped.toSorted()).toEqual(all.toSorted());
  });

  it('shows the ten most used fields, and those of publication', () => {
    const shown = bundle.form.groups.flatMap(({ name, fields }) => (name === 'publication' ? [] : fields));
    expect(shown).toHaveLength(10);
  });

  it('has a different label for each field', () => {
    const labels = bundle.fields.map((field) => formLabel(bundle, field));
    expect(new Set(labels).size).toBe(labels.length);
    expect(readerLabel(bundle, { name: 'field_subject', label: 'Subject (Topical)' })).toBe('Topics');
  });

  it('shows every field on the page that is not hidden there', () => {
    const grouped = new Set(bundle.display.groups.flatMap(({ fields }) => fields));
    const missing = bundle.fields.filter(({ name, shownAs }) => shownAs !== 'none' && !grouped.has(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

describe('the default forms', () => {
  const bundles = [...model.nodeTypes.values(), ...model.mediaTypes.values(), ...model.vocabularies.values()];

  it('have a sentence with an example for each field', () => {
    const missing = bundles.flatMap((bundle) =>
      [...FORM_BASE_FIELDS[bundle.entityType], ...bundle.fieldNamed.keys()]
        .filter((name) => !/[.:;] ?\S/.test(bundle.form.help.get(name) ?? ''))
        .map((name) => `${bundle.name}.${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('name only fields that exist', () => {
    const known = new Set(
      bundles.flatMap(({ entityType, fieldNamed }) => [...FORM_BASE_FIELDS[entityType], ...fieldNamed.keys()]),
    );
    const text = DEFAULT_MODEL_TEXTS['model.yaml'] ?? '';
    const named = [...text.replaceAll(/^ *#.*$/gm, '').matchAll(/\bfield_[a-z_]+/g)].map(([name]) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the form and the display of a site', () => {
  it('are merged over the default ones, name by name', () => {
    const bundle = item(
      form(`groups: { rights: { label: Rights and access }, names: null, archive: { label: Archive, fields: [field_shelf, field_identifier] } },
        order: [archive], labels: { field_subject: Keywords }, help: { title: A name. }, not_offered: { collection: [field_extent] }`).replace(
        'form:',
        'fields: { field_shelf: { label: Shelf, type: string } }, display: { labels: { field_subject: Themes } }, form:',
      ),
    );
    const groups = groupsOf(bundle);
    expect(Object.keys(groups).slice(0, 3)).toEqual(['archive', 'title_and_kind', 'dates']);
    expect(groups.archive).toEqual(['field_shelf', 'field_identifier']);
    expect(groups.identifiers).not.toContain('field_identifier');
    expect(groups.rights).toEqual(['field_rights', 'access_rule', 'field_access_terms']);
    expect(bundle.form.groups.find(({ name }) => name === 'rights')?.label).toBe('Rights and access');
    const subject = { name: 'field_subject', label: 'Subject (Topical)' };
    expect([formLabel(bundle, subject), readerLabel(bundle, subject)]).toEqual(['Keywords', 'Themes']);
    expect(bundle.form.help.get('title')).toBe('A name.');
    expect(bundle.form.help.get('field_extent')).toContain('Example');
    expect(bundle.form.notOffered.get('collection')).toEqual(['field_extent']);
    expect(bundle.form.notOffered.get('page')).toContain('field_isbn');
  });

  it('lose the fields that the site removes', () => {
    const groups = groupsOf(item('node_types: { islandora_object: { fields: { field_isbn: null } } }'));
    expect(groups.identifiers).not.toContain('field_isbn');
  });

  it.each([
    [
      'a group that names a field twice',
      form('groups: { rights: { fields: [field_rights, field_rights] } }'),
      `${AT}.form.groups.rights.fields.1: the field field_rights is already in node_types.islandora_object.form.groups.rights.fields`,
    ],
    [
      'two groups with the same field',
      form('groups: { a: { label: A, fields: [title] }, b: { label: B, more: [title] } }'),
      `${AT}.form.groups.b.more.0: the field title is already in node_types.islandora_object.form.groups.a.fields`,
    ],
    [
      'a group with an unknown field',
      form('groups: { rights: { fields: [field_right] } }'),
      `${AT}.form.groups.rights.fields.0: there is no field "field_right"; did you mean field_rights?`,
    ],
    [
      'a group without a label',
      form('groups: { a: { fields: [title] } }'),
      `${AT}.form.groups.a.label is missing; it is text for people to read`,
    ],
    [
      'an unknown group in the order',
      form('order: [right]'),
      `${AT}.form.order.0: there is no group "right"; did you mean rights?`,
    ],
    [
      'the help of an unknown field',
      form('help: { field_titel: A name. }'),
      `${AT}.form.help.field_titel: there is no field "field_titel"`,
    ],
    ['an empty label', form('labels: { title: "" }'), `${AT}.form.labels.title must be text, found ""`],
    [
      'an unknown structure',
      form('not_offered: { pages: [field_isbn] }'),
      `${AT}.form.not_offered.pages: there is no structure "pages"; did you mean paged?`,
    ],
    [
      'an unknown setting',
      form('group: {}'),
      'my.yaml:1: unknown key node_types.islandora_object.form.group; did you mean groups?',
    ],
    [
      'a base field that pages do not show',
      form('').replace('form: {', 'display: { groups: { a: { label: A, fields: [status] } }'),
      `${AT}.display.groups.a.fields.0: there is no field "status"`,
    ],
  ])('reject %s, with its line', (_case, text, message) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(message);
  });
});

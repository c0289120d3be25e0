import { describe, expect, it } from 'bun:test';
import { type ConfigEntityType, configJson } from '../../../../src/api/config/config-json.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { builtInTypes } from '../../../../src/field-types/registry.ts';
import { bundlesOf } from '../../../../src/model/bundles-of.ts';
import type { Bundle, ContentModel } from '../../../../src/model/content-model.ts';
import { parseUserModel } from '../../model/parse-user-model.ts';

const DEFAULTS = parseUserModel('{}');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The members that the loader reads, and others. */
interface Config {
  uuid: string;
  dependencies: { config: string[]; module: string[] };
  settings: JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: each type has members of its own
  [member: string]: any;
}

/** As it is after its way over the wire. */
function found(model: ContentModel, type: ConfigEntityType, id: string): Config {
  const json = configJson({ model, fieldTypes: builtInTypes }, type, id);
  if (json === undefined) throw new Error(`no ${type} ${id}`);
  return JSON.parse(JSON.stringify(json));
}

const bundlesIn = (model: ContentModel): Bundle[] =>
  ['node', 'media', 'taxonomy_term', 'user'].flatMap((type) => [...(bundlesOf(model, type)?.values() ?? [])]);
const fieldsIn = (model: ContentModel) =>
  bundlesIn(model).flatMap((bundle) => bundle.fields.map((field) => ({ bundle, field })));

describe('the form of a bundle', () => {
  const forms = bundlesIn(DEFAULTS).filter(({ fields }) => fields.length > 0);

  it.each(forms.map((bundle) => [`${bundle.entityType}.${bundle.name}`, bundle] as const))(
    'of %s names every field',
    (name, bundle) => {
      const { dependencies, content, hidden, ...form } = found(DEFAULTS, 'entity_form_display', `${name}.default`);
      const prefix = `field.field.${name}.`;
      const named = dependencies.config.filter((each) => each.startsWith(prefix));
      expect(named).toEqual(bundle.fields.map((field) => `${prefix}${field.name}`).toSorted());
      expect(dependencies.config).toEqual(dependencies.config.toSorted());
      expect(form).toMatchObject({ status: true, targetEntityType: bundle.entityType, bundle: bundle.name });
      const placed = [...Object.keys(content), ...Object.keys(hidden)];
      expect(placed).toEqual(expect.arrayContaining(bundle.fields.map((field) => field.name)));
      expect(new Set(placed).size).toBe(placed.length);
    },
  );

  it('lists the fields of a form in order, each with its widget', () => {
    const { content } = found(DEFAULTS, 'entity_form_display', 'node.islandora_object.default');
    const parts = Object.values(content) as { weight: number }[];
    expect(parts.map(({ weight }) => weight)).toEqual(parts.map((_part, index) => index));
    expect(Object.keys(content)[0]).toBe('title');
    expect(content.field_linked_agent).toEqual({
      type: 'typed_relation_default',
      weight: expect.any(Number),
      region: 'content',
      settings: {},
      third_party_settings: {},
    });
    expect(content.field_abstract.type).toBe('text_textarea');
    expect(content.field_weight.type).toBe('number');
    expect(content.status.type).toBe('boolean_checkbox');
  });

  it('hides media fields read from the file, but not editable text', () => {
    const image = found(DEFAULTS, 'entity_form_display', 'media.image.default');
    expect(Object.keys(image.hidden).toSorted()).toEqual([
      'field_file_size',
      'field_height',
      'field_mime_type',
      'field_width',
    ]);
    const text = found(DEFAULTS, 'entity_form_display', 'media.extracted_text.default');
    expect(text.hidden).toEqual({});
    expect(text.content.field_edited_text.type).toBe('text_textarea');
    const video = found(DEFAULTS, 'entity_form_display', 'media.remote_video.default');
    expect(video.content.field_media_oembed_video.type).toBe('oembed_textfield');
  });

  it('does not exist for another mode, an unknown bundle, or a vocabulary without fields', () => {
    for (const id of [
      'node.islandora_object.teaser',
      'node.islandora_object',
      'node.islandora_object.default.x',
      'node.nothing.default',
      'file.file.default',
      'taxonomy_term.tags.default',
      '',
      'node..default',
    ])
      expect({
        id,
        config: configJson({ model: DEFAULTS, fieldTypes: builtInTypes }, 'entity_form_display', id),
      }).toEqual({ id, config: undefined });
    expect(found(DEFAULTS, 'taxonomy_vocabulary', 'tags')).toMatchObject({ vid: 'tags', name: 'Tags' });
  });

  it('exists for a node type without fields', () => {
    const model = parseUserModel('node_types:\n  bare: { label: Bare }\n');
    expect(found(model, 'entity_form_display', 'node.bare.default').dependencies.config).toEqual(['node.type.bare']);
  });
});

describe('every field of the default model', () => {
  const all = fieldsIn(DEFAULTS).map(
    ({ bundle, field }) => [`${bundle.entityType}.${bundle.name}.${field.name}`, bundle, field] as const,
  );

  it('has the names of the model and exact types', () => {
    for (const [id, bundle, field] of all) {
      const config = found(DEFAULTS, 'field_config', id);
      expect(config).toMatchObject({
        id,
        uuid: expect.stringMatching(UUID),
        field_name: field.name,
        entity_type: bundle.entityType,
        bundle: bundle.name,
        label: field.label,
        required: field.required,
        translatable: field.translatable,
        field_type: field.type,
        default_value: [...field.defaultValue],
      });
      expect(config.dependencies.config).toContain(`field.storage.${bundle.entityType}.${field.name}`);
      const storage = found(DEFAULTS, 'field_storage_config', `${bundle.entityType}.${field.name}`);
      expect(storage).toMatchObject({ type: field.type, cardinality: field.cardinality, field_name: field.name });
      if (field.maxLength !== undefined)
        expect(storage.settings.max_length as number).toBeGreaterThanOrEqual(field.maxLength);
      expect(storage.settings.target_type).toBe(field.targetType as string);
    }
  });

  it('has a unique UUID', () => {
    const uuids = all.map(([id]) => found(DEFAULTS, 'field_config', id).uuid);
    expect(new Set(uuids).size).toBe(all.length);
  });

  it('names exactly the vocabularies of its references', () => {
    for (const [id, , field] of all) {
      const { dependencies } = found(DEFAULTS, 'field_config', id);
      const named = dependencies.config.filter((each) => each.startsWith('taxonomy.vocabulary.'));
      const every = field.targetType === 'taxonomy_term' ? [...DEFAULTS.vocabularies.keys()] : [];
      const meant = field.targetType === 'taxonomy_term' ? (field.targetBundles ?? every) : [];
      expect({ id, named }).toEqual({ id, named: meant.map((name) => `taxonomy.vocabulary.${name}`).toSorted() });
    }
  });
});

describe('a field of the default model', () => {
  const field = (id: string) => found(DEFAULTS, 'field_config', id);
  const storage = (id: string) => found(DEFAULTS, 'field_storage_config', id);

  it('has the settings of a reference', () => {
    expect(field('node.islandora_object.field_subject').settings).toEqual({
      handler: 'default:taxonomy_term',
      handler_settings: { target_bundles: { subject: 'subject' }, auto_create: true, auto_create_bundle: 'subject' },
    });
    expect(field('node.islandora_object.field_member_of').dependencies.config).toContain('node.type.islandora_object');
    const ofAny = field('media.image.field_media_of').settings;
    expect(ofAny).toMatchObject({ handler: 'default:node', handler_settings: { target_bundles: null } });
    expect(storage('media.field_media_of').settings).toEqual({ target_type: 'node' });
  });

  it('has types of relations and authorities as objects', () => {
    const { rel_types: relations, handler } = field('node.islandora_object.field_linked_agent').settings;
    expect(handler).toBe('default:taxonomy_term');
    expect(relations).toMatchObject({ 'relators:aut': 'Author', 'relators:att': 'Attributed name' });
    expect(field('taxonomy_term.genre.field_authority_link').settings).toMatchObject({
      link_type: 16,
      authority_sources: { lcgft: expect.any(String), other: 'Other' },
    });
    expect(field('taxonomy_term.genre.field_authority_link').dependencies.config).toEqual([
      'field.storage.taxonomy_term.field_authority_link',
    ]);
  });

  it('has allowed values as an object keyed by value', () => {
    expect(storage('taxonomy_term.field_type').settings.allowed_values).toMatchObject({
      'schema:NGO': 'Non-Governmental Organization',
    });
  });

  it('lists file extensions in one string, and names the upload scheme', () => {
    expect(field('media.image.field_media_image')).toMatchObject({
      required: true,
      settings: {
        handler: 'default:file',
        handler_settings: {},
        file_extensions: 'png gif jpg jpeg webp avif',
        max_filesize: '',
      },
    });
    expect(field('media.audio.field_track').settings.file_extensions).toBe('vtt');
    expect(storage('media.field_media_image').settings).toEqual({ target_type: 'file', uri_scheme: 'fedora' });
  });

  it('has its length limits, and no limit if the model sets none', () => {
    expect(storage('node.field_identifier').settings).toEqual({ max_length: 255 });
    expect(storage('node.field_publisher').settings).toEqual({ max_length: 500 });
    expect(storage('node.field_edtf_date').settings).toEqual({ max_length: 128 });
    expect(storage('node.field_note').settings).toEqual({});
    expect(storage('node.field_note').cardinality).toBe(-1);
    expect(field('node.islandora_object.field_weight').settings).toEqual({ min: 1, max: null, prefix: '', suffix: '' });
  });

  it('does not exist under another name, bundle or entity type', () => {
    for (const id of [
      'node.islandora_object.nothing',
      'node.page.field_model',
      'node.nothing.body',
      'nothing.page.body',
      'node.page.body.x',
      'node.page',
      'node.islandora_object.title',
      'node.islandora_object.',
      '__proto__.constructor.x',
    ])
      expect({ id, config: configJson({ model: DEFAULTS, fieldTypes: builtInTypes }, 'field_config', id) }).toEqual({
        id,
        config: undefined,
      });
    for (const id of ['node.nothing', 'nothing.body', 'node', 'node.title', 'media.field_model', 'node.body.x', ''])
      expect({
        id,
        config: configJson({ model: DEFAULTS, fieldTypes: builtInTypes }, 'field_storage_config', id),
      }).toEqual({ id, config: undefined });
  });
});

describe('bundles', () => {
  it('have their labels and say whether changes create revisions', () => {
    expect(found(DEFAULTS, 'node_type', 'islandora_object')).toMatchObject({
      uuid: DEFAULTS.nodeTypes.get('islandora_object')?.uuid as string,
      type: 'islandora_object',
      name: 'Repository Item',
      new_revision: true,
      display_submitted: false,
    });
    expect(found(DEFAULTS, 'media_type', 'image')).toMatchObject({
      id: 'image',
      source: 'image',
      source_configuration: { source_field: 'field_media_image' },
      field_map: { name: 'name', mimetype: 'field_mime_type' },
    });
    expect(found(DEFAULTS, 'media_type', 'extracted_text').new_revision).toBe(false);
    expect(found(DEFAULTS, 'media_type', 'remote_video').source).toBe('oembed:video');
    for (const type of ['node_type', 'media_type', 'taxonomy_vocabulary'] as const)
      expect(configJson({ model: DEFAULTS, fieldTypes: builtInTypes }, type, 'nothing')).toBeUndefined();
  });
});

describe('a custom content model', () => {
  const SETTINGS: Record<string, string> = {
    target_type: 'taxonomy_term',
    rel_types: '{ "relators:aut": Author }',
    authority_sources: '[viaf]',
    allowed_values: '{ 1: One, a: A }',
    file_extensions: '[txt, md]',
  };
  const TYPES = [...builtInTypes.keys()].filter((type) => builtInTypes.get(type)?.isConfigurable);
  const settingOf = (type: string, name: string) =>
    name === 'target_type' && type === 'config_reference' ? 'user_role' : SETTINGS[name];
  const fields = TYPES.map((type) => {
    const settings = (builtInTypes.get(type)?.neededSettings ?? []).map(
      (name) => `, ${name}: ${settingOf(type, name)}`,
    );
    return `      own_${type}: { label: ${type}, type: ${type}${settings.join('')} }\n`;
  });
  const MODEL = parseUserModel(`node_types:\n  record:\n    label: Record\n    fields:\n${fields.join('')}`);

  it.each(TYPES)('has a field of type %s as form, field and storage', (type) => {
    const config = found(MODEL, 'field_config', `node.record.own_${type}`);
    expect(config).toMatchObject({ field_type: type, label: type, required: false });
    const storage = found(MODEL, 'field_storage_config', `node.own_${type}`);
    expect(storage).toMatchObject({ type, cardinality: 1, locked: false });
    const form = found(MODEL, 'entity_form_display', 'node.record.default');
    expect(form.dependencies.config).toContain(`field.field.node.record.own_${type}`);
    expect(form.content[`own_${type}`].type).toMatch(/^[a-z_]+$/);
    for (const map of ['rel_types', 'authority_sources', 'allowed_values']) {
      for (const value of [config.settings[map], storage.settings[map]])
        if (value !== undefined)
          expect({ map, isArray: Array.isArray(value), type: typeof value }).toEqual({
            map,
            isArray: false,
            type: 'object',
          });
    }
  });

  it('has lists, numbers and booleans as they were configured', () => {
    const model = parseUserModel(`
node_types:
  record:
    label: Record
    new_revision: false
    fields:
      field_list: { label: List, type: list_string, allowed_values: { b: Bee, a: Ay } }
      field_price: { label: Price, type: decimal, min: 0.5, max: 9, unsigned: true, required: true }
      field_flag: { label: Flag, type: boolean, default_value: [{ value: true }] }
      field_any: { label: Any, type: entity_reference, target_type: user }
      field_big: { label: Big, type: integer, size: big, cardinality: 3 }
      field_bytes: { label: Bytes, type: file, file_extensions: [txt], max_file_bytes: 1000, uri_scheme: private }
`);
    const field = (name: string) => found(model, 'field_config', `node.record.${name}`);
    const storage = (name: string) => found(model, 'field_storage_config', `node.${name}`);
    expect(storage('field_list').settings).toEqual({ allowed_values: { b: 'Bee', a: 'Ay' } });
    expect(field('field_price')).toMatchObject({
      required: true,
      settings: { min: 0.5, max: 9, prefix: '', suffix: '' },
    });
    expect(field('field_flag').default_value).toEqual([{ value: true }]);
    expect(field('field_any').settings).toEqual({ handler: 'default:user', handler_settings: {} });
    expect(storage('field_big')).toMatchObject({ cardinality: 3, settings: { size: 'big', unsigned: false } });
    expect(field('field_bytes').settings.max_filesize).toBe('1000');
    expect(storage('field_bytes').settings.uri_scheme).toBe('private');
    expect(found(model, 'node_type', 'record').new_revision).toBe(false);
  });

  it('promises clients the widest limit where bundles differ', () => {
    const model = parseUserModel(`
node_types:
  one:
    label: One
    fields:
      field_word: { label: Word, type: string, max_length: 20 }
      field_kind: { label: Kind, type: list_string, allowed_values: { a: A } }
      field_bytes: { label: Bytes, type: file, file_extensions: [txt], uri_scheme: private }
      field_when: { label: When, type: edtf, max_length: 9 }
  two:
    label: Two
    fields:
      field_word: { label: Word, type: string, max_length: 700, translatable: true }
      field_kind: { label: Kind, type: list_string, allowed_values: { b: B } }
      field_bytes: { label: Bytes, type: file, file_extensions: [txt], uri_scheme: public }
      field_when: { label: When, type: edtf }
`);
    const storage = (name: string) => found(model, 'field_storage_config', `node.${name}`);
    expect(storage('field_word')).toMatchObject({ translatable: true, settings: { max_length: 700 } });
    expect(storage('field_kind').settings.allowed_values).toEqual({ a: 'A', b: 'B' });
    expect(storage('field_bytes').settings).toEqual({ target_type: 'file' });
    expect(storage('field_when').settings).toEqual({});
  });
});

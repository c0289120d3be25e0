import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import type { FieldDefinition } from '../../../src/model/content-model.ts';
import { DEFAULT_MODEL_TEXTS, defaultModelFiles } from '../../../src/model/load-model.ts';
import { permissionOf } from '../../../src/model/permissions.ts';
import { loadTestModel } from '../../support/content-model.ts';

const model = await loadTestModel();
const MAX_SHARE = 0.5;

function fieldOf(bundles: ReadonlyMap<string, { fieldNamed: ReadonlyMap<string, FieldDefinition> }>, path: string) {
  const [bundle = '', field = ''] = path.split('.');
  const definition = bundles.get(bundle)?.fieldNamed.get(field);
  if (definition === undefined) throw new Error(`no field ${path}`);
  return definition;
}

describe('the default content model', () => {
  it('has the documented bundles and fields', () => {
    const counts = (bundles: ReadonlyMap<string, { fields: readonly FieldDefinition[] }>) =>
      Object.fromEntries(Array.from(bundles, ([name, bundle]) => [name, bundle.fields.length]));
    expect(counts(model.nodeTypes)).toEqual({ islandora_object: 52, article: 4, page: 1 });
    expect(counts(model.mediaTypes)).toEqual({
      ...{ image: 9, audio: 8, video: 8, document: 7, file: 9, extracted_text: 6 },
      // The documented one has only the address. Two more fields attach it to a node.
      ...{ fits_technical_metadata: 8, remote_video: 4 },
    });
    expect(counts(model.vocabularies)).toEqual({
      ...{ islandora_models: 1, islandora_media_use: 1, islandora_display: 1, resource_types: 1 },
      // Two more fields say what a term closes, and to whom.
      islandora_access: 3,
      ...{ resource_types_dcmi: 2, frequencies: 2, issuance_modes: 2, country: 2, language: 2, genre: 2 },
      ...{ physical_form: 2, subject: 2, temporal_subjects: 2, geo_location: 4, person: 5, family: 5 },
      ...{ corporate_body: 6, tags: 0 },
    });
    expect(model.userBundle.fields.map((field) => field.name)).toEqual(['user_picture']);
  });

  it('orders fields by upper case, with the underscore after the letters', () => {
    const names = model.nodeTypes.get('islandora_object')?.fields.map((field) => field.name) ?? [];
    expect(names.slice(0, 4)).toEqual([
      ...['field_abstract', 'field_access_terms', 'field_alternative_title', 'field_alt_title'],
    ]);
    const subject = names.indexOf('field_subject');
    expect(names.slice(subject, subject + 3)).toEqual([
      'field_subject',
      'field_subjects_name',
      'field_subject_general',
    ]);
    const date = names.indexOf('field_edtf_date');
    expect(names.slice(date, date + 3)).toEqual([
      'field_edtf_date',
      'field_edtf_date_created',
      'field_edtf_date_issued',
    ]);
    expect(model.nodeTypes.get('article')?.fields.map((field) => field.name)).toEqual([
      ...['body', 'comment', 'field_image', 'field_tags'],
    ]);
  });

  it('requires only the model of an item', () => {
    const fields = model.nodeTypes.get('islandora_object')?.fields ?? [];
    expect(fields.filter((field) => field.required).map((field) => field.name)).toEqual(['field_model']);
  });

  it('has the limits and targets of fields', () => {
    expect(fieldOf(model.nodeTypes, 'islandora_object.field_subject_general')).toMatchObject({
      type: 'entity_reference',
      cardinality: -1,
      targetType: 'taxonomy_term',
      targetBundles: ['corporate_body', 'family', 'geo_location', 'person', 'subject'],
      autoCreate: true,
      autoCreateBundle: 'subject',
    });
    expect(fieldOf(model.nodeTypes, 'islandora_object.field_weight')).toMatchObject({ size: 'normal', min: 1 });
    expect(fieldOf(model.nodeTypes, 'islandora_object.field_publisher')).toMatchObject({ maxLength: 500 });
    expect(fieldOf(model.nodeTypes, 'islandora_object.field_identifier')).toMatchObject({ maxLength: 255 });
    expect(fieldOf(model.nodeTypes, 'islandora_object.field_description').maxLength).toBeUndefined();
    expect(fieldOf(model.mediaTypes, 'image.field_file_size')).toMatchObject({ size: 'big', unsigned: true });
    expect(fieldOf(model.mediaTypes, 'fits_technical_metadata.field_media_use').targetBundles).toBeUndefined();
    expect(fieldOf(model.mediaTypes, 'extracted_text.field_mime_type').defaultValue).toEqual([{ value: 'text/plain' }]);
    expect(fieldOf(model.mediaTypes, 'audio.field_track')).toMatchObject({
      type: 'media_track',
      targetType: 'file',
      fileExtensions: ['vtt'],
      uriScheme: 'fedora',
      fileDirectory: '[date:custom:Y]-[date:custom:m]',
    });
  });

  it('resolves the value lists of fields', () => {
    const relators = Object.entries(
      fieldOf(model.nodeTypes, 'islandora_object.field_linked_agent').relationTypes ?? {},
    );
    expect(relators).toHaveLength(308);
    expect(relators.slice(0, 2)).toEqual([
      ['relators:att', 'Attributed name'],
      ['relators:abr', 'Abridger'],
    ]);
    expect(fieldOf(model.vocabularies, 'genre.field_authority_link').authoritySources).toEqual({
      aat: 'Art & Architecture Thesaurus',
      gnd: 'Gemeinsame Normdatei',
      lcgft: 'Library of Congress Genre/Form Terms',
      tgm: 'Thesaurus for Graphic Materials',
      mgt: 'MARC Genre/Terms Scheme',
      other: 'Other',
    });
    expect(fieldOf(model.vocabularies, 'corporate_body.field_type').allowedValues).toMatchObject({
      'schema:NGO': 'Non-Governmental Organization',
    });
    expect(fieldOf(model.vocabularies, 'family.field_relationships').relationTypes).toMatchObject({
      'schema:memberOf': 'Member of',
    });
  });

  it('has a text for every label and every value of a list', () => {
    const emptyLabels: string[] = [];
    const visit = (value: unknown, path: string) => {
      if (typeof value === 'object' && value !== null)
        for (const [key, member] of Object.entries(value)) visit(member, `${path}.${key}`);
      else if (/^lists\.|\.labels?(?:\.|$)/.test(path) && String(value ?? '').trim() === '') emptyLabels.push(path);
    };
    for (const { value } of defaultModelFiles())
      for (const [key, member] of Object.entries(value as object)) visit(member, key);
    expect(emptyLabels).toEqual([]);
  });

  it('has source fields and auto-filled fields of media', () => {
    const image = model.mediaTypes.get('image');
    expect(image?.sourceField.name).toBe('field_media_image');
    expect([...(image?.autoFilled ?? [])]).toEqual([
      ['name', 'name'],
      ['mimetype', 'field_mime_type'],
      ['filesize', 'field_file_size'],
      ['width', 'field_width'],
      ['height', 'field_height'],
    ]);
    expect([...(model.mediaTypes.get('extracted_text')?.autoFilled ?? [])]).toEqual([['content', 'field_edited_text']]);
    expect(model.mediaTypes.get('remote_video')).toMatchObject({ source: 'remote_video', newRevision: true });
  });

  it('has the initial terms of vocabularies', () => {
    const terms = (name: string) => model.vocabularies.get(name)?.terms ?? [];
    expect(terms('islandora_models')).toHaveLength(11);
    expect(terms('islandora_media_use').map((term) => term.uri)).toContain('http://pcdm.org/use#OriginalFile');
    expect(terms('resource_types')).toHaveLength(33);
    expect(terms('resource_types')[1]).toEqual({
      name: 'Periodical',
      uri: 'http://id.loc.gov/vocabulary/resourceTypes/per',
      description: undefined,
      parent: 'Text',
      code: undefined,
      source: 'resourceTypes',
    });
    expect(terms('tags')).toEqual([]);
    expect(terms('language')).toHaveLength(487);
    expect(terms('language').find((term) => term.name === 'German')).toMatchObject({
      code: 'ger',
      uri: 'http://id.loc.gov/vocabulary/iso639-2/ger',
      source: 'iso639-2',
    });
    expect(terms('country').length).toBeGreaterThan(240);
    expect(terms('country').find((term) => term.name === 'Germany')).toMatchObject({
      code: 'de',
      uri: 'https://www.iso.org/obp/ui/#iso:code:3166:DE',
    });
    expect(new Set(terms('country').map((term) => term.name)).size).toBe(terms('country').length);
  });

  it('lets anonymous callers view published media', () => {
    expect(model.roles.get('anonymous')?.permissions.has('access content')).toBe(true);
    expect(model.roles.get('anonymous')?.permissions.has('view media')).toBe(true);
    expect(model.roles.get('authenticated')?.permissions.has('view media')).toBe(true);
    expect(model.roles.get('administrator')?.isAdmin).toBe(true);
    const loader = model.roles.get('workbench_user')?.permissions;
    expect(loader?.has(permissionOf('create NAME content', 'islandora_object'))).toBe(true);
    expect(loader?.has(permissionOf('create terms in NAME', 'islandora_models'))).toBe(false);
    expect(loader?.has(permissionOf('edit terms in NAME', 'islandora_models'))).toBe(true);
  });

  it('has the authentication types of resources', () => {
    const all = ['basic_auth', 'jwt_auth', 'cookie'] as const;
    expect(model.rest.get('entity.node')).toEqual({
      GET: { json: all, jsonld: all },
      POST: { json: all },
      PATCH: { json: all },
      DELETE: { json: all },
    });
    expect(model.rest.get('entity.user')).toEqual({ GET: { json: ['basic_auth'] } });
    expect(model.rest.get('file.upload')).toEqual({ POST: { json: ['basic_auth'] } });
    expect(model.rest.get('media.source')).toEqual({ PUT: { json: all } });
    expect(model.rest.get('views.term_from_term_name')).toEqual({ GET: { json: ['basic_auth', 'jwt_auth'] } });
  });

  it('gives bundles and roles the same UUID in every process', () => {
    expect(model.nodeTypes.get('islandora_object')?.uuid).toBe('5b0fe4fb-f920-5a3f-a9e8-fd4e84927d05');
    const uuids = [model.nodeTypes, model.mediaTypes, model.vocabularies, model.roles].flatMap((entries) =>
      [...entries.values()].map((entry) => entry.uuid),
    );
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  it('is the same with both YAML parsers', () => {
    const values = defaultModelFiles().map((file) => file.value);
    const careful = Object.entries(DEFAULT_MODEL_TEXTS).map(([name, text]) =>
      parseYamlText(name, text, () => undefined),
    );
    expect(values).toEqual(careful.map((file) => file.value));
  });

  it('loads in under half the time of the parser with positions', async () => {
    const time = async (work: () => unknown) => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    const readCarefully = () =>
      Object.entries(DEFAULT_MODEL_TEXTS).map(([name, text]) => parseYamlText(name, text, () => undefined));
    // Other processes may disturb a round, but hardly every one.
    const ratios: number[] = [];
    for (let round = 0; round < 3; round++)
      ratios.push((await time(() => loadTestModel())) / (await time(readCarefully)));
    expect(Math.min(...ratios)).toBeLessThan(MAX_SHARE);
  });
});

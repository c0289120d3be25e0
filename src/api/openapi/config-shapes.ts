import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { closed, oneOf, text, UUID_PATTERN } from '../../field-types/schemas.ts';
import { ENTITY_TYPES } from '../../model/content-model.ts';
import type { Components } from './components.ts';

const flag = t.Boolean();
const texts = t.Array(text);
const entityType = oneOf(ENTITY_TYPES);
const anything = t.Object({}, { additionalProperties: true });
const noMembers = closed({});
/** Names of any kind, each with this. */
const mapOf = (value: TSchema, description: string) =>
  t.Object({}, { additionalProperties: value, minProperties: 1, description });
const labels = (description: string) => t.Optional(mapOf(text, description));

/** What all of them begin with. */
const common: TProperties = {
  uuid: t.String({ pattern: UUID_PATTERN }),
  langcode: text,
  status: t.Literal(true),
  dependencies: closed({
    config: { ...texts, description: 'What of the configuration it refers to, as taxonomy.vocabulary.person.' },
    module: texts,
  }),
};

const formDisplay = closed({
  ...common,
  id: text,
  targetEntityType: entityType,
  bundle: text,
  mode: t.Literal('default'),
  content: t.Object(
    {},
    {
      additionalProperties: closed({
        type: text,
        weight: t.Integer(),
        region: t.Literal('content'),
        settings: noMembers,
        third_party_settings: noMembers,
      }),
      description: 'What the form shows, by the name of the field.',
    },
  ),
  hidden: t.Object({}, { additionalProperties: t.Literal(true), description: 'Fields that are filled from the file.' }),
});

const fieldConfig = (fieldType: TSchema) =>
  closed({
    ...common,
    id: text,
    field_name: text,
    entity_type: entityType,
    bundle: text,
    label: text,
    description: text,
    required: flag,
    translatable: flag,
    default_value: t.Array(anything),
    default_value_callback: text,
    settings: t.Object(
      {
        handler: t.Optional(text),
        handler_settings: t.Optional(anything),
        rel_types: labels('Types of relations with their labels.'),
        authority_sources: labels('Authorities with their labels.'),
        file_extensions: t.Optional(t.String({ description: 'With spaces between them.' })),
      },
      { additionalProperties: true, description: 'Others belong to the type of the field.' },
    ),
    field_type: fieldType,
  });

const fieldStorage = (fieldType: TSchema) =>
  closed({
    ...common,
    id: text,
    field_name: text,
    entity_type: entityType,
    type: fieldType,
    settings: t.Object(
      {
        max_length: t.Optional(t.Integer({ minimum: 1 })),
        target_type: t.Optional(text),
        allowed_values: labels('Values with their labels.'),
      },
      { additionalProperties: true, description: 'Others belong to the type of the field.' },
    ),
    module: text,
    locked: flag,
    cardinality: t.Integer({ description: '-1 for any number.' }),
    translatable: flag,
    indexes: noMembers,
    persist_with_no_fields: flag,
    custom_storage: flag,
  });

const nodeType = closed({
  ...common,
  name: text,
  type: text,
  description: text,
  help: text,
  new_revision: flag,
  preview_mode: t.Integer(),
  display_submitted: flag,
});

const mediaType = closed({
  ...common,
  id: text,
  label: text,
  description: text,
  source: text,
  queue_thumbnail_downloads: flag,
  new_revision: flag,
  source_configuration: closed({ source_field: text }),
  field_map: t.Object(
    {},
    { additionalProperties: text, description: 'What the source tells of itself, and where it goes.' },
  ),
});

const vocabulary = closed({
  ...common,
  name: text,
  vid: text,
  description: text,
  weight: t.Integer(),
  new_revision: flag,
});

/** Adds the shapes of the content model as clients look it up. */
export function addConfigShapes(components: Components): void {
  components.add('FormDisplay', formDisplay);
  const fieldType = oneOf([...components.fieldTypes.keys()]);
  components.add('FieldConfig', fieldConfig(fieldType));
  components.add('FieldStorage', fieldStorage(fieldType));
  components.add('NodeType', nodeType);
  components.add('MediaType', mediaType);
  components.add('Vocabulary', vocabulary);
}

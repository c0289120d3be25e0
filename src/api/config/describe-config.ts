import { type TObject, type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { closed, oneOf, text, UUID_PATTERN } from '../../field-types/schemas.ts';
import { ENTITY_TYPES } from '../../model/content-model.ts';
import { type Components, namedSchema } from '../../web/openapi/components.ts';
import { type Description, describe, JSON_TYPE, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';

/** The parameters and the description of a route of the content model. */
export interface ConfigRoute {
  readonly params: TObject;
  readonly detail: ReturnType<typeof describe>;
}

const flag = t.Boolean();
const texts = t.Array(text);
const entityType = oneOf(ENTITY_TYPES);
const anything = t.Object({}, { additionalProperties: true });
const noMembers = closed({});
/** Returns the schema of a map from names to values. */
const mapOf = (value: TSchema, description: string) =>
  t.Object({}, { additionalProperties: value, minProperties: 1, description });
const labels = (description: string) => t.Optional(mapOf(text, description));

/** The first members of every configuration entity. */
const common: TProperties = {
  uuid: t.String({ pattern: UUID_PATTERN }),
  langcode: text,
  status: t.Literal(true),
  dependencies: closed({
    config: { ...texts, description: 'The configuration that it refers to, such as taxonomy.vocabulary.person.' },
    module: texts,
  }),
};

const fieldTypeOf = ({ api }: Components) => oneOf([...api.services.fields.types.keys()]);

const formDisplay = namedSchema(
  'FormDisplay',
  closed({
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
        description: 'The elements of the form, by field.',
      },
    ),
    hidden: t.Object(
      {},
      { additionalProperties: t.Literal(true), description: 'Fields that the repository fills from the file.' },
    ),
  }),
);

const fieldConfig = namedSchema('FieldConfig', (components) =>
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
        rel_types: labels('Relation types with their labels.'),
        authority_sources: labels('Authorities with their labels.'),
        file_extensions: t.Optional(t.String({ description: 'Separated by spaces.' })),
      },
      { additionalProperties: true, description: 'Other members depend on the type of the field.' },
    ),
    field_type: fieldTypeOf(components),
  }),
);

const fieldStorage = namedSchema('FieldStorage', (components) =>
  closed({
    ...common,
    id: text,
    field_name: text,
    entity_type: entityType,
    type: fieldTypeOf(components),
    settings: t.Object(
      {
        max_length: t.Optional(t.Integer({ minimum: 1 })),
        target_type: t.Optional(text),
        allowed_values: labels('Values with their labels.'),
      },
      { additionalProperties: true, description: 'Other members depend on the type of the field.' },
    ),
    module: text,
    locked: flag,
    cardinality: t.Integer({ description: '-1 for any number.' }),
    translatable: flag,
    indexes: noMembers,
    persist_with_no_fields: flag,
    custom_storage: flag,
  }),
);

const nodeType = namedSchema(
  'NodeType',
  closed({
    ...common,
    name: text,
    type: text,
    description: text,
    help: text,
    new_revision: flag,
    preview_mode: t.Integer(),
    display_submitted: flag,
  }),
);

const mediaType = namedSchema(
  'MediaType',
  closed({
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
      { additionalProperties: text, description: 'Attributes of the source, and the fields that store them.' },
    ),
  }),
);

const vocabulary = namedSchema(
  'Vocabulary',
  closed({
    ...common,
    name: text,
    vid: text,
    description: text,
    weight: t.Integer(),
    new_revision: flag,
  }),
);

interface RouteWords extends Pick<Description, 'operationId' | 'summary' | 'description'> {
  readonly schema: TSchema;
  readonly params: TProperties;
}

function route({ schema, params, ...words }: RouteWords): ConfigRoute {
  return {
    params: t.Object(params),
    detail: describe({
      ...words,
      tag: 'model',
      headers: READ_CONDITIONS,
      isForAnyone: false,
      responses: versioned('The entry of the content model.', { [JSON_TYPE]: schema }),
      failures: [403, 404, 412],
    }),
  };
}

const named = (description: string): TSchema => t.String({ description });
const entityTypeName = named('node, media, taxonomy_term or user.');
const bundle = named('A bundle of the entity type, such as islandora_object.');
const field = named('The name of the field, such as field_model.');
const WITHOUT_FIELDS = 'A vocabulary without configured fields has none.';

export const readFormDisplay = route({
  operationId: 'getFormDisplay',
  summary: 'Read the fields of a bundle',
  schema: formDisplay,
  params: { entity_form_display: named('Entity type, bundle and "default", such as node.islandora_object.default.') },
  description: WITHOUT_FIELDS,
});

export const readFieldConfig = route({
  operationId: 'getFieldConfig',
  summary: 'Read the settings of a field in a bundle',
  schema: fieldConfig,
  params: { field_config: named('Entity type, bundle and field, such as node.islandora_object.field_model.') },
});

export const readFieldStorage = route({
  operationId: 'getFieldStorage',
  summary: 'Read the settings of a field in all bundles',
  schema: fieldStorage,
  params: { field_storage_config: named('Entity type and field, such as node.field_model.') },
});

export const readNodeType = route({
  operationId: 'getNodeType',
  summary: 'Read a node type',
  schema: nodeType,
  params: { node_type: named('Its name, such as islandora_object.') },
});

export const readMediaType = route({
  operationId: 'getMediaType',
  summary: 'Read a media type',
  schema: mediaType,
  params: { media_type: named('Its name, such as image.') },
});

export const readVocabulary = route({
  operationId: 'getTaxonomyVocabulary',
  summary: 'Read a vocabulary, without its terms',
  schema: vocabulary,
  params: { taxonomy_vocabulary: named('Its name, such as tags.') },
});

export const readFormDisplayOfBundle = route({
  operationId: 'getFormDisplayForWorkbench',
  summary: 'Read the fields of a bundle at another address',
  schema: formDisplay,
  params: { entity_type: entityTypeName, bundle },
  description: WITHOUT_FIELDS,
});

export const readFieldConfigOfBundle = route({
  operationId: 'getFieldConfigForWorkbench',
  summary: 'Read the settings of a field in a bundle at another address',
  schema: fieldConfig,
  params: { entity_type: entityTypeName, bundle, field_name: field },
});

export const readFieldStorageOfType = route({
  operationId: 'getFieldStorageForWorkbench',
  summary: 'Read the settings of a field in all bundles at another address',
  schema: fieldStorage,
  params: { entity_type: entityTypeName, field_name: field },
});

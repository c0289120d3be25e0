import { type TObject, type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { jsonOf, READ_CONDITIONS, versioned } from '../openapi/answers.ts';
import type { NamedShape } from '../openapi/components.ts';
import { type Description, type Detail, describe } from '../openapi/describe.ts';

/** What a route of a part of the content model declares. */
export interface Part {
  readonly params: TObject;
  readonly detail: Detail;
}

interface PartWords extends Pick<Description, 'operationId' | 'summary' | 'description'> {
  readonly name: NamedShape;
  readonly params: TProperties;
}

function part({ name, params, ...words }: PartWords): Part {
  return {
    params: t.Object(params),
    detail: describe({
      ...words,
      tag: 'model',
      headers: READ_CONDITIONS,
      isForAnyone: false,
      responses: versioned('As the content model has it.', jsonOf(name)),
      failures: [403, 404, 412],
    }),
  };
}

const named = (description: string): TSchema => t.String({ description });
const entityType = named('node, media, taxonomy_term or user.');
const bundle = named('A bundle of it, as islandora_object.');
const field = named('The name of the field, as field_model.');
const WITHOUT_FIELDS = 'There is none for a vocabulary without fields of its own.';

export const readFormDisplay = part({
  operationId: 'getFormDisplay',
  summary: 'Read which fields a bundle has',
  name: 'FormDisplay',
  params: { entity_form_display: named('Entity type, bundle and "default", as node.islandora_object.default.') },
  description: WITHOUT_FIELDS,
});

export const readFieldConfig = part({
  operationId: 'getFieldConfig',
  summary: 'Read what a field of a bundle takes',
  name: 'FieldConfig',
  params: { field_config: named('Entity type, bundle and field, as node.islandora_object.field_model.') },
});

export const readFieldStorage = part({
  operationId: 'getFieldStorage',
  summary: 'Read what a field is in every bundle',
  name: 'FieldStorage',
  params: { field_storage_config: named('Entity type and field, as node.field_model.') },
});

export const readNodeType = part({
  operationId: 'getNodeType',
  summary: 'Read a node type',
  name: 'NodeType',
  params: { node_type: named('Its name, as islandora_object.') },
});

export const readMediaType = part({
  operationId: 'getMediaType',
  summary: 'Read a media type',
  name: 'MediaType',
  params: { media_type: named('Its name, as image.') },
});

export const readVocabulary = part({
  operationId: 'getTaxonomyVocabulary',
  summary: 'Read a vocabulary, without its terms',
  name: 'Vocabulary',
  params: { taxonomy_vocabulary: named('Its name, as tags.') },
});

export const readFormDisplayOfBundle = part({
  operationId: 'getFormDisplayForWorkbench',
  summary: 'Read which fields a bundle has: the same at another address',
  name: 'FormDisplay',
  params: { entity_type: entityType, bundle },
  description: WITHOUT_FIELDS,
});

export const readFieldConfigOfBundle = part({
  operationId: 'getFieldConfigForWorkbench',
  summary: 'Read what a field of a bundle takes: the same at another address',
  name: 'FieldConfig',
  params: { entity_type: entityType, bundle, field_name: field },
});

export const readFieldStorageOfType = part({
  operationId: 'getFieldStorageForWorkbench',
  summary: 'Read what a field is in every bundle: the same at another address',
  name: 'FieldStorage',
  params: { entity_type: entityType, field_name: field },
});

import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { jsonOf, READ_CONDITIONS, versioned } from './answers.ts';
import type { NamedShape } from './components.ts';

/** The content model, part by part. */

interface Part {
  readonly operationId: string;
  readonly summary: string;
  readonly name: NamedShape;
  readonly params: TProperties;
  readonly description?: string;
}

function readPart({ operationId, summary, name, params, description }: Part): RouteDescription {
  return {
    operationId,
    tag: 'model',
    summary,
    ...(description !== undefined && { description }),
    params: t.Object(params),
    headers: READ_CONDITIONS,
    isForAnyone: false,
    responses: versioned('As the content model has it.', jsonOf(name)),
    failures: [403, 404, 412],
  };
}

const named = (description: string): TSchema => t.String({ description });
const entityType = named('node, media, taxonomy_term or user.');
const bundle = named('A bundle of it, as islandora_object.');
const field = named('The name of the field, as field_model.');
const WITHOUT_FIELDS = 'There is none for a vocabulary without fields of its own.';

export const readFormDisplay = readPart({
  operationId: 'getFormDisplay',
  summary: 'Read which fields a bundle has',
  name: 'FormDisplay',
  params: { entity_form_display: named('Entity type, bundle and "default", as node.islandora_object.default.') },
  description: WITHOUT_FIELDS,
});

export const readFieldConfig = readPart({
  operationId: 'getFieldConfig',
  summary: 'Read what a field of a bundle takes',
  name: 'FieldConfig',
  params: { field_config: named('Entity type, bundle and field, as node.islandora_object.field_model.') },
});

export const readFieldStorage = readPart({
  operationId: 'getFieldStorage',
  summary: 'Read what a field is in every bundle',
  name: 'FieldStorage',
  params: { field_storage_config: named('Entity type and field, as node.field_model.') },
});

export const readNodeType = readPart({
  operationId: 'getNodeType',
  summary: 'Read a node type',
  name: 'NodeType',
  params: { node_type: named('Its name, as islandora_object.') },
});

export const readMediaType = readPart({
  operationId: 'getMediaType',
  summary: 'Read a media type',
  name: 'MediaType',
  params: { media_type: named('Its name, as image.') },
});

export const readVocabulary = readPart({
  operationId: 'getTaxonomyVocabulary',
  summary: 'Read a vocabulary, without its terms',
  name: 'Vocabulary',
  params: { taxonomy_vocabulary: named('Its name, as tags.') },
});

export const readFormDisplayOfBundle = readPart({
  operationId: 'getFormDisplayForWorkbench',
  summary: 'Read which fields a bundle has: the same at another address',
  name: 'FormDisplay',
  params: { entity_type: entityType, bundle },
  description: WITHOUT_FIELDS,
});

export const readFieldConfigOfBundle = readPart({
  operationId: 'getFieldConfigForWorkbench',
  summary: 'Read what a field of a bundle takes: the same at another address',
  name: 'FieldConfig',
  params: { entity_type: entityType, bundle, field_name: field },
});

export const readFieldStorageOfType = readPart({
  operationId: 'getFieldStorageForWorkbench',
  summary: 'Read what a field is in every bundle: the same at another address',
  name: 'FieldStorage',
  params: { entity_type: entityType, field_name: field },
});

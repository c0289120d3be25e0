import type { JsonObject } from '../../base/json.ts';
import { bundlesOf } from '../../model/bundles-of.ts';
import type { FieldConfigType } from '../../model/config-uuid.ts';
import type { Bundle, ContentModel, MediaType, NodeType, Vocabulary } from '../../model/content-model.ts';
import { type ConfigSource, dependencies } from './config-dependencies.ts';
import { fieldConfigJson, fieldStorageJson } from './config-field.ts';
import { formDisplayJson } from './config-form.ts';

/** The configuration entities of Islandora that clients read. */
export type ConfigEntityType = FieldConfigType | 'node_type' | 'media_type' | 'taxonomy_vocabulary';

/**
 * Returns an entry of the content model as a configuration entity of Islandora, by its id there
 * (`node.islandora_object.field_model`). Undefined if the model has no such entry (spec: loader-api, 3).
 */
export function configJson(source: ConfigSource, type: ConfigEntityType, id: string): JsonObject | undefined {
  const { model } = source;
  switch (type) {
    case 'node_type':
      return mapped(model.nodeTypes.get(id), (bundle) => nodeTypeJson(bundle, model));
    case 'media_type':
      return mapped(model.mediaTypes.get(id), (bundle) => mediaTypeJson(bundle, model));
    case 'taxonomy_vocabulary':
      return mapped(model.vocabularies.get(id), (bundle) => vocabularyJson(bundle, model));
    case 'entity_form_display':
      return mapped(bundleOfForm(model, id), (bundle) => formDisplayJson(bundle, source));
    case 'field_config': {
      const [entityType, bundleName, fieldName = '', ...rest] = id.split('.');
      const bundle = rest.length > 0 ? undefined : bundlesOf(model, entityType)?.get(bundleName ?? '');
      const field = bundle?.fieldNamed.get(fieldName);
      return bundle && field && fieldConfigJson(bundle, field, source);
    }
    case 'field_storage_config': {
      const [entityType, fieldName = '', ...rest] = id.split('.');
      const bundles = rest.length > 0 ? [] : [...(bundlesOf(model, entityType)?.values() ?? [])];
      return fieldStorageJson(bundles, fieldName, source);
    }
  }
}

/** Returns the bundle of a form. A vocabulary without configured fields has none: clients then look up the vocabulary. */
function bundleOfForm(model: ContentModel, id: string): Bundle | undefined {
  const [entityType, bundleName = '', mode, ...rest] = id.split('.');
  if (mode !== 'default' || rest.length > 0) return undefined;
  const bundle = bundlesOf(model, entityType)?.get(bundleName);
  return entityType === 'taxonomy_term' && bundle?.fields.length === 0 ? undefined : bundle;
}

function mapped<Value>(value: Value | undefined, toJson: (value: Value) => JsonObject): JsonObject | undefined {
  return value && toJson(value);
}

/** Returns a node type for `/entity/node_type/{type}`. */
function nodeTypeJson(bundle: NodeType, model: ContentModel): JsonObject {
  return {
    ...commonOf(bundle, model),
    dependencies: dependencies([]),
    name: bundle.label,
    type: bundle.name,
    description: '',
    help: '',
    new_revision: bundle.newRevision,
    preview_mode: 1,
    display_submitted: bundle.displaySubmitted,
  };
}

/** The sources with another name in Islandora. */
const SOURCE_PLUGINS: Readonly<Partial<Record<MediaType['source'], string>>> = { remote_video: 'oembed:video' };

/** Returns a media type for `/entity/media_type/{type}`. */
function mediaTypeJson(bundle: MediaType, model: ContentModel): JsonObject {
  const { name, source, sourceField } = bundle;
  return {
    ...commonOf(bundle, model),
    dependencies: dependencies([`field.field.media.${name}.${sourceField.name}`]),
    id: name,
    label: bundle.label,
    description: '',
    source: SOURCE_PLUGINS[source] ?? source,
    queue_thumbnail_downloads: false,
    new_revision: bundle.newRevision,
    source_configuration: { source_field: sourceField.name },
    field_map: Object.fromEntries(bundle.autoFilled),
  };
}

/** Returns a vocabulary for `/entity/taxonomy_vocabulary/{vid}`. */
function vocabularyJson(bundle: Vocabulary, model: ContentModel): JsonObject {
  return {
    ...commonOf(bundle, model),
    dependencies: dependencies([]),
    name: bundle.label,
    vid: bundle.name,
    description: '',
    weight: 0,
    new_revision: bundle.newRevision,
  };
}

function commonOf({ uuid }: Bundle, { defaultLanguage }: ContentModel): JsonObject {
  return { uuid, langcode: defaultLanguage, status: true };
}

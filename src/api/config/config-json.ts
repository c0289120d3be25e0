import type { JsonObject } from '../../base/json.ts';
import { bundlesOf } from '../../model/bundles-of.ts';
import type { DescribedType } from '../../model/config-uuid.ts';
import type { Bundle, ContentModel } from '../../model/content-model.ts';
import { mediaTypeJson, nodeTypeJson, vocabularyJson } from './config-bundle.ts';
import type { ConfigSource } from './config-dependencies.ts';
import { fieldConfigJson } from './config-field.ts';
import { formDisplayJson } from './config-form.ts';
import { fieldStorageJson } from './config-storage.ts';

/** The entities that the original keeps its configuration in, as far as clients ask for them. */
export type ConfigEntityType = DescribedType | 'node_type' | 'media_type' | 'taxonomy_vocabulary';

/**
 * A part of the content model in the shape of a configuration entity of the original, by its id there
 * (`node.islandora_object.field_model`); undefined where the model has no such thing (spec: loader-api, 3).
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

/** A vocabulary without fields of its own has no form: clients then look whether there is such a vocabulary. */
function bundleOfForm(model: ContentModel, id: string): Bundle | undefined {
  const [entityType, bundleName = '', mode, ...rest] = id.split('.');
  if (mode !== 'default' || rest.length > 0) return undefined;
  const bundle = bundlesOf(model, entityType)?.get(bundleName);
  return entityType === 'taxonomy_term' && bundle?.fields.length === 0 ? undefined : bundle;
}

function mapped<Found>(found: Found | undefined, toJson: (found: Found) => JsonObject): JsonObject | undefined {
  return found && toJson(found);
}

import type { JsonObject } from '../../base/json.ts';
import { configUuid } from '../../model/config-uuid.ts';
import type { Bundle, ContentModel, FieldDefinition } from '../../model/content-model.ts';
import { bundleReference, type ConfigSource, dependencies, referenceTo } from './config-dependencies.ts';

/** A field of a bundle, as `/entity/field_config/{type}.{bundle}.{field}` shows it. */
export function fieldConfigJson(
  bundle: Bundle,
  field: FieldDefinition,
  { model, fieldTypes }: ConfigSource,
): JsonObject {
  const { entityType, name: bundleName } = bundle;
  const id = `${entityType}.${bundleName}.${field.name}`;
  const type = fieldTypes.of(field);
  return {
    uuid: configUuid('field_config', id),
    langcode: model.defaultLanguage,
    status: true,
    dependencies: dependencies(
      [`field.storage.${entityType}.${field.name}`, ownReference(bundle), ...targetReferences(field, model)],
      [type.module],
    ),
    id,
    field_name: field.name,
    entity_type: entityType,
    bundle: bundleName,
    label: field.label,
    description: '',
    required: field.required,
    translatable: field.translatable,
    default_value: [...field.defaultValue],
    default_value_callback: '',
    settings: type.fieldSettings(field),
    field_type: field.type,
  };
}

/**
 * The bundle that a field is of. Not of terms: there clients would take the vocabulary for one that the field may
 * refer to, and ask for names with their vocabulary before them.
 */
function ownReference(bundle: Bundle): string | undefined {
  return bundle.entityType === 'taxonomy_term' ? undefined : referenceTo(bundle);
}

/**
 * What a field may refer to. Where that is any vocabulary all are named, which the original does not do: clients look
 * here for the vocabularies to find terms in, and would find none.
 */
function targetReferences({ targetType, targetBundles }: FieldDefinition, { vocabularies }: ContentModel) {
  if (targetType === undefined) return [];
  const bundles = targetBundles ?? (targetType === 'taxonomy_term' ? [...vocabularies.keys()] : []);
  return bundles.map((name) => bundleReference(targetType, name));
}
